//! A compiler that disagrees with the translation ends the run with exit code 70.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

#[test]
fn a_difference_is_an_internal_error() {
    if Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("no gcc: not tested");
        return;
    }
    let folder = std::env::temp_dir().join(format!("palisade-confirm-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = std::env::var("PATH").unwrap();
    let compiler = folder.join("gcc");
    let script = format!("#!/bin/sh\nPATH='{path}'\nexec gcc -fshort-enums \"$@\"\n");
    std::fs::write(&compiler, script).unwrap();
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    let file = folder.join("t.c");
    std::fs::write(&file, "enum e { A };\nint main(void) {\n  enum e x = A;\n  return x;\n}\n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
        command.env("PATH", format!("{}:{path}", folder.display()));
        let out = command.arg("verify").args(arguments).arg(&file).output().unwrap();
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned())
    };
    let (code, message) = run(&[]);
    assert_eq!(code, Some(70), "{message}");
    assert!(message.contains("t.c:1:1: `(enum e)0` is of type unsigned int or unsigned long"), "{message}");
    assert!(message.contains("of type unsigned char for the compiler"), "{message}");
    assert_eq!(run(&["--confirm", "off"]).0, Some(0));
    std::fs::remove_dir_all(&folder).unwrap();
}
