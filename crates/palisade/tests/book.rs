//! Every command of the book is run, and what the book says about its output is true.
//!
//! A block ```` ```LANGUAGE file=NAME ```` is a file. In a block ```` ```console ````, a line `$ palisade
//! ...` is a command and the lines behind it are its output; a line `...` stands for any lines.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{output, palisade};

struct Block {
    place: String,
    info: String,
    lines: Vec<String>,
}

fn blocks(path: &Path) -> Vec<Block> {
    let text = fs::read_to_string(path).unwrap();
    let mut out: Vec<Block> = Vec::new();
    let mut open = false;
    for (i, line) in text.lines().enumerate() {
        match (open, line.strip_prefix("```")) {
            (false, Some(info)) => {
                let place = format!("{}:{}", path.display(), i + 1);
                out.push(Block { place, info: info.into(), lines: Vec::new() });
                open = true;
            }
            (true, Some(_)) => open = false,
            (true, None) => out.last_mut().unwrap().lines.push(line.into()),
            (false, None) => {}
        }
    }
    assert!(!open, "{}: a block is not closed", path.display());
    out
}

/// Do the lines agree, where `...` stands for any lines?
fn agree(expected: &[String], said: &[&str]) -> bool {
    match expected.split_first() {
        None => said.is_empty(),
        Some((first, rest)) if first == "..." => (0..=said.len()).any(|k| agree(rest, &said[k..])),
        Some((first, rest)) => said.first().is_some_and(|s| s == first) && agree(rest, &said[1..]),
    }
}

#[test]
fn every_command_of_the_book_does_what_it_says() {
    let tmp = tempfile::tempdir().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src");
    let mut chapters: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    chapters.sort();
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    let all: Vec<Block> = chapters.iter().flat_map(|c| blocks(c)).collect();
    for c in chapters.iter().filter(|c| !c.ends_with("SUMMARY.md")) {
        let name = c.file_name().unwrap().to_str().unwrap();
        assert!(summary.contains(name), "{name} is not in the summary");
    }
    for block in &all {
        if let Some((_, name)) = block.info.split_once("file=") {
            fs::write(tmp.path().join(name), block.lines.join("\n") + "\n").unwrap();
        }
    }
    let mut wrong = Vec::new();
    let mut count = 0;
    for block in all.iter().filter(|b| b.info == "console") {
        let mut lines = block.lines.iter().peekable();
        while let Some(line) = lines.next() {
            let words = line.strip_prefix("$ ").unwrap_or_else(|| panic!("{}: {line}", block.place));
            let mut expected = Vec::new();
            while let Some(next) = lines.next_if(|l| !l.starts_with("$ ")) {
                expected.push(next.clone());
            }
            let words = shell_words::split(words).unwrap();
            assert_eq!(words[0], "palisade", "{}", block.place);
            let mut command = palisade();
            command.current_dir(tmp.path()).args(&words[1..]);
            let result = output(command);
            let said = String::from_utf8_lossy(&result.stdout).to_string();
            count += 1;
            if !agree(&expected, &said.lines().collect::<Vec<_>>()) {
                let errors = String::from_utf8_lossy(&result.stderr).to_string();
                wrong.push(format!("{}: {line}\n{said}{errors}", block.place));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 20, "{count} commands");
}

/// The targets of the links of a text, code left out.
fn links(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut out = Vec::new();
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        // Every second piece is code.
        let prose = line.split('`').step_by(2).collect::<Vec<_>>().join("");
        if !fenced && !line.starts_with("    ") {
            let targets = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            out.extend(targets.map(|(target, _)| target.to_string()));
        }
    }
    out
}

/// The heading that an anchor names is there.
fn has_anchor(text: &str, anchor: &str) -> bool {
    let named = |heading: &str| -> String {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || *c == '-' || *c == '_').collect()
    };
    text.lines().filter(|l| l.starts_with('#')).any(|l| named(l.trim_start_matches('#').trim()) == anchor)
}

#[test]
fn links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let files_of = |folder: &str| {
        let entries = fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path());
        entries.filter(|p| p.extension().is_some_and(|e| e == "md")).collect::<Vec<_>>()
    };
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|e| e.unwrap().path().join("README.md"));
    let book = root.join("docs/book/src");
    let pages = [".", "docs", "docs/book/src"].iter().flat_map(|f| files_of(f)).chain(crates);
    let (mut broken, mut count) = (Vec::new(), 0);
    for page in pages.filter(|p| p.exists()) {
        for link in links(&fs::read_to_string(&page).unwrap()) {
            if link.contains("://") {
                continue;
            }
            count += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            let text = fs::read_to_string(&target).unwrap_or_default();
            // What is outside of the folder of the book is no page of it.
            let outside = page.starts_with(&book) && path.contains("..");
            if !target.exists() || outside || !anchor.is_empty() && !has_anchor(&text, anchor) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
    assert!(count >= 20, "{count} links");
}
