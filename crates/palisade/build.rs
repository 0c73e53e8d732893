//! Tells the binary what it is made of: the commit, the target, the profile, the features.

use std::process::Command;

fn git(words: &[&str]) -> Option<String> {
    let out = Command::new("git").args(words).output().ok().filter(|o| o.status.success())?;
    Some(String::from_utf8_lossy(&out.stdout).trim().to_string())
}

fn main() {
    // A package that is built outside the repository states its commit.
    println!("cargo:rerun-if-env-changed=PALISADE_COMMIT");
    println!("cargo:rerun-if-changed=build.rs");
    let stated = std::env::var("PALISADE_COMMIT").ok();
    let commit = stated.or_else(|| {
        let commit = git(&["rev-parse", "--short=10", "HEAD"])?;
        // A commit moves the head, or what it stands for.
        for name in ["HEAD", "logs/HEAD"] {
            let path = git(&["rev-parse", "--git-path", name])?;
            if std::path::Path::new(&path).exists() {
                println!("cargo:rerun-if-changed={path}");
            }
        }
        Some(commit)
    });
    println!("cargo:rustc-env=PALISADE_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    for (name, from) in [("PALISADE_TARGET", "TARGET"), ("PALISADE_PROFILE", "PROFILE")] {
        println!("cargo:rustc-env={name}={}", std::env::var(from).unwrap_or_default());
    }
    let mimalloc = std::env::var_os("CARGO_FEATURE_MIMALLOC").is_some();
    println!("cargo:rustc-env=PALISADE_FEATURES={}", if mimalloc { "mimalloc" } else { "none" });
}
