//! The loop: mutate, try, keep what is of interest.

use std::fmt;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::{Random, Syntax, mutate};

/// Longer texts are no seeds.
const LONGEST_SEED: usize = 20_000;

/// So many accepted mutants join the seeds.
const DESCENDANTS: usize = 500;

/// What is tried, for how long, and where results go.
pub struct Campaign<'a> {
    /// What the summary calls the reader.
    pub name: &'a str,
    /// The language of the reader.
    pub syntax: &'a dyn Syntax,
    /// The CPU time to spend.
    pub time: Duration,
    /// Inputs are a function of it and of the seed texts.
    pub seed: u64,
    /// The folder for `current`, `panic-*` and `slow-*`.
    pub save: PathBuf,
    /// How the names of saved inputs end, with the dot.
    pub ending: &'a str,
    /// An input that takes longer is slow.
    pub patience: Duration,
}

/// What came of a campaign.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The reader's name.
    pub name: String,
    /// Inputs tried.
    pub inputs: u64,
    /// Valid texts at the start.
    pub seeds: usize,
    /// Inputs that the reader accepted.
    pub accepted: u64,
    /// Inputs at which it panicked.
    pub panics: u64,
    /// Inputs that took longer than the patience.
    pub slow: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { name, inputs, seeds, accepted, panics, slow } = self;
        write!(
            f,
            "{name}: {inputs} inputs from {seeds} seeds, {accepted} accepted, {panics} panics, {slow} slow"
        )
    }
}

impl Campaign<'_> {
    /// Gives mutants of the texts to the reader until the time is over. The reader gets a text and a random
    /// number to draw options from, and says whether it accepts.
    ///
    /// # Panics
    /// If there is no text to start from, or no folder to save in.
    pub fn run(&self, mut corpus: Vec<Vec<u8>>, reader: &dyn Fn(&str, u64) -> bool) -> Tally {
        assert!(!corpus.is_empty(), "texts to start from");
        fs::create_dir_all(&self.save).expect("a folder to save in");
        let seeds = corpus.len();
        let mut random = Random::new(self.seed);
        let mut tally = Tally { name: self.name.to_string(), seeds, ..Tally::default() };
        let clock = Clock::new();
        while clock.busy() < self.time {
            let bytes = mutate(self.syntax, &mut random, &corpus);
            let text = String::from_utf8_lossy(&bytes);
            self.keep("current", &text);
            tally.inputs += 1;
            let (start, choice) = (clock.busy(), random.bits() >> 8);
            let result = catch_unwind(AssertUnwindSafe(|| reader(&text, choice)));
            let time = clock.busy() - start;
            match result {
                Ok(false) => {}
                Ok(true) => tally.accepted += 1,
                Err(_) => {
                    tally.panics += 1;
                    self.keep(&format!("panic-{}", tally.inputs), &text);
                }
            }
            if time > self.patience {
                tally.slow += 1;
                eprintln!("slow: run {}, {} bytes, {time:?}", tally.inputs, text.len());
                self.keep(&format!("slow-{}", tally.inputs), &text);
            }
            // What gets far is a good start for getting further.
            if matches!(result, Ok(true)) && bytes.len() < LONGEST_SEED && random.below(20) == 0 {
                let i = seeds + random.below(DESCENDANTS);
                if i < corpus.len() { corpus[i] = bytes } else { corpus.push(bytes) }
            }
        }
        tally
    }

    fn keep(&self, name: &str, text: &str) {
        // A full disk is no reason to stop.
        let _ = fs::write(self.save.join(format!("{name}{}", self.ending)), text);
    }
}

/// The files among the given places and below the folders among them, by the endings of their names, in the
/// order of the names.
pub fn files_below<'p>(places: impl IntoIterator<Item = &'p Path>, endings: &[&str]) -> Vec<PathBuf> {
    let mut work: Vec<PathBuf> = places.into_iter().map(Path::to_path_buf).collect();
    work.reverse();
    let mut files = Vec::new();
    while let Some(at) = work.pop() {
        if at.is_dir() {
            let entries = fs::read_dir(&at).into_iter().flatten().flatten();
            let mut below: Vec<PathBuf> = entries.map(|e| e.path()).collect();
            below.sort();
            work.extend(below.into_iter().rev());
        } else if at.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e)) {
            files.push(at);
        }
    }
    files
}

/// The texts of [`files_below`] that are short enough to start from.
pub fn texts_below<'p>(places: impl IntoIterator<Item = &'p Path>, endings: &[&str]) -> Vec<Vec<u8>> {
    let texts = files_below(places, endings).into_iter().filter_map(|f| fs::read(f).ok());
    texts.filter(|t| t.len() < LONGEST_SEED).collect()
}

/// The CPU time of the process (readers may use threads), or else the time that passed.
struct Clock(Instant);

impl Clock {
    fn new() -> Clock {
        Clock(Instant::now())
    }

    fn busy(&self) -> Duration {
        cpu_time().unwrap_or_else(|| self.0.elapsed())
    }
}

/// User and system time where Linux tells it, in ticks of a hundredth of a second.
fn cpu_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program comes in parentheses and may contain anything.
    let mut fields = text.rsplit(") ").next()?.split(' ').skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    /// Words apart by blanks.
    struct Words;

    impl Syntax for Words {
        fn words(&self) -> &[&str] {
            &["one", "two", "bad"]
        }
        fn in_word(&self, byte: u8) -> bool {
            byte != b' '
        }
        fn phrase_end(&self, _: &[u8], token: Range<usize>) -> usize {
            token.end
        }
        fn brackets(&self) -> &[(&str, &str)] {
            &[("[", "]")]
        }
        fn depth(&self) -> usize {
            100
        }
        fn longest(&self) -> usize {
            500
        }
    }

    #[test]
    fn mutants_are_reproducible_and_bounded() {
        let corpus = vec![b"one two".to_vec(), b"two".to_vec()];
        let mutants = |seed: u64| -> Vec<Vec<u8>> {
            let mut random = Random::new(seed);
            (0..2_000).map(|_| mutate(&Words, &mut random, &corpus)).collect()
        };
        let first = mutants(7);
        assert_eq!(first, mutants(7));
        assert_ne!(first, mutants(8));
        assert!(first.iter().all(|m| m.len() <= 500));
        assert!(first.iter().any(|m| m.len() > 200), "some nest deep");
        assert!(first.iter().any(|m| m.windows(3).any(|w| w == b"bad")), "some take a new word");
    }

    #[test]
    fn a_panic_is_counted_and_its_input_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let campaign = Campaign {
            name: "words",
            syntax: &Words,
            time: cpu_time().unwrap_or_default() + Duration::from_millis(300),
            seed: 1,
            save: folder.path().join("saved"),
            ending: ".txt",
            patience: Duration::from_secs(5),
        };
        let tally = campaign.run(vec![b"one two".to_vec()], &|text, _| {
            assert!(!text.contains("bad"), "found");
            text.contains("two")
        });
        assert!(tally.panics > 0 && tally.accepted > 0 && tally.slow == 0, "{tally}");
        let saved: Vec<String> = (fs::read_dir(&campaign.save).expect("saved").flatten())
            .map(|e| e.file_name().into_string().expect("a name"))
            .filter(|n| n.starts_with("panic-"))
            .collect();
        assert_eq!(saved.len() as u64, tally.panics);
        for name in saved {
            assert!(fs::read_to_string(campaign.save.join(name)).expect("a text").contains("bad"));
        }
    }

    #[test]
    fn seeds_are_found_below_folders_in_order() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, text).expect("written");
        };
        write("b.c", "second");
        write("a/x.i", "first");
        write("a/y.txt", "no seed");
        assert_eq!(texts_below([folder.path()], &["c", "i"]), [b"first".to_vec(), b"second".to_vec()]);
    }
}
