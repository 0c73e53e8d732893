//! What is measured: an engine of `palisade`, a configuration of it, or another tool.

use anyhow::{Context, Result, anyhow, bail};

/// Someone who runs against the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contestant {
    /// `palisade verify` with these arguments, among them the engine.
    Palisade {
        /// The name in tables.
        name: String,
        /// The arguments.
        args: Vec<String>,
    },
    /// Another tool.
    External {
        /// The name in tables.
        name: String,
        /// The command: words, with `{file}`, `{horn}`, `{vmt}`, `{timeout}` and `{memory}` replaced in them.
        words: Vec<String>,
    },
}

impl Contestant {
    /// An engine by its name.
    pub fn engine(name: &str) -> Contestant {
        Contestant::Palisade { name: name.to_owned(), args: vec!["--engine".to_owned(), name.to_owned()] }
    }

    /// Reads `NAME=ARGS` as a configuration of `palisade`.
    pub fn configuration(text: &str) -> Result<Contestant> {
        let (name, args) = named(text, "ARGS")?;
        Ok(Contestant::Palisade { name, args })
    }

    /// Reads `NAME=CMD` as another tool.
    pub fn external(text: &str) -> Result<Contestant> {
        let (name, words) = named(text, "CMD")?;
        if !words.iter().any(|word| ["{file}", "{horn}", "{vmt}"].iter().any(|hole| word.contains(hole))) {
            bail!(
                "the command of `{name}` names no input: write {{file}}, {{horn}} or {{vmt}} where it belongs"
            );
        }
        Ok(Contestant::External { name, words })
    }

    /// The name in tables.
    pub fn name(&self) -> &str {
        match self {
            Contestant::Palisade { name, .. } | Contestant::External { name, .. } => name,
        }
    }
}

fn named(text: &str, what: &str) -> Result<(String, Vec<String>)> {
    let (name, command) =
        text.split_once('=').ok_or_else(|| anyhow!("`{text}` is not of the form NAME={what}"))?;
    let words = shell_words::split(command).with_context(|| format!("`{command}`"))?;
    if name.is_empty() || words.is_empty() {
        bail!("`{text}` is not of the form NAME={what}");
    }
    Ok((name.to_owned(), words))
}
