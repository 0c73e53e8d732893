//! A solver process and the text that goes to and fro.
//!
//! Nothing here waits without end on the process: its output is read, and its input written, by threads of
//! their own, and every wait has a deadline or an interrupt flag to look at.

use std::io::{Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use palisade_smtlib::Framer;

/// Why no answer came.
#[derive(Debug)]
pub(super) enum Failure {
    /// The deadline passed.
    Timeout,
    /// The interrupt flag was raised.
    Interrupted,
    /// The process ended, could not be started, or said something that is no answer.
    Broken(String),
}

/// Until when to wait.
#[derive(Clone, Default)]
pub(super) struct Patience {
    pub deadline: Option<Instant>,
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// How often a wait looks at the interrupt flag.
const POLL: Duration = Duration::from_millis(10);
/// Longer answers than this are no answers.
const MAX_ANSWER: usize = 1 << 26;
/// How much of the error stream is kept for messages.
const MAX_STDERR: usize = 2000;

pub(super) struct Process {
    child: Child,
    input: Sender<Vec<u8>>,
    output: Receiver<Vec<u8>>,
    /// Output that is not yet part of a complete answer, of which the framer has seen the first `seen` bytes.
    buffer: Vec<u8>,
    seen: usize,
    framer: Framer,
    ended: bool,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_reader: JoinHandle<()>,
    last: String,
}

impl Process {
    pub fn spawn(command: &[String]) -> Result<Process, Failure> {
        let Some((program, args)) = command.split_first() else {
            return Err(Failure::Broken("the solver command is empty".into()));
        };
        let mut command = Command::new(program);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A group of its own, so that a solver behind a shell script can be ended with the script.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .spawn()
            .map_err(|e| Failure::Broken(format!("cannot start the solver `{program}`: {e}")))?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = (stdin, stdout, stderr) else {
            unreachable!("all three streams are piped");
        };
        let (input, to_write) = channel();
        let (read, output) = sync_channel(64);
        let errors = Arc::new(Mutex::new(Vec::new()));
        let tail = Arc::clone(&errors);
        thread::spawn(move || write_all(stdin, &to_write));
        thread::spawn(move || read_all(stdout, &read));
        let stderr_reader = thread::spawn(move || keep_tail(stderr, &tail));
        Ok(Process {
            child,
            input,
            output,
            buffer: Vec::new(),
            seen: 0,
            framer: Framer::new(),
            ended: false,
            stderr: errors,
            stderr_reader,
            last: String::new(),
        })
    }

    /// Hands a text to the process. Whether it arrives shows in the answers.
    pub fn send(&self, text: String) {
        let _ = self.input.send(text.into_bytes());
    }

    /// The next complete S-expression of the output.
    pub fn receive(&mut self, patience: &Patience) -> Result<String, Failure> {
        loop {
            if let Some(n) = self.framer.feed(&self.buffer[self.seen..]) {
                let rest = self.buffer.split_off(self.seen + n);
                let answer = std::mem::replace(&mut self.buffer, rest);
                self.seen = 0;
                return Ok(self.remember(&answer));
            }
            self.seen = self.buffer.len();
            if self.buffer.len() > MAX_ANSWER {
                return Err(Failure::Broken("an answer of more than 64 MB".into()));
            }
            if self.ended {
                let rest = std::mem::take(&mut self.buffer);
                self.seen = 0;
                self.framer = Framer::new();
                if rest.iter().any(|b| !b.is_ascii_whitespace()) {
                    return Ok(self.remember(&rest)); // the last word, without a line end
                }
                return Err(Failure::Broken(format!("the solver ended{}", self.exit_status())));
            }
            self.wait(patience)?;
        }
    }

    fn remember(&mut self, answer: &[u8]) -> String {
        let text = String::from_utf8_lossy(answer).trim().to_string();
        self.last = text.chars().take(200).collect();
        text
    }

    /// Waits for more output, or its end.
    fn wait(&mut self, patience: &Patience) -> Result<(), Failure> {
        loop {
            if patience.interrupt.as_ref().is_some_and(|i| i.load(Ordering::Relaxed)) {
                return Err(Failure::Interrupted);
            }
            let mut pause = if patience.interrupt.is_some() { POLL } else { Duration::from_secs(3600) };
            if let Some(deadline) = patience.deadline {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return Err(Failure::Timeout);
                }
                pause = pause.min(left);
            }
            match self.output.recv_timeout(pause) {
                Ok(bytes) => self.buffer.extend_from_slice(&bytes),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => self.ended = true,
            }
            return Ok(());
        }
    }

    fn exit_status(&mut self) -> String {
        // Its output is closed; give it a moment to end, so that its status and last words can be told.
        for _ in 0..40 {
            match self.child.try_wait() {
                Ok(Some(status)) if self.stderr_reader.is_finished() => return format!(" ({status})"),
                Ok(_) => thread::sleep(Duration::from_millis(5)),
                Err(_) => break,
            }
        }
        String::new()
    }

    /// What the process said last, for messages.
    pub fn last_words(&self) -> String {
        let mut out = String::new();
        if !self.last.is_empty() {
            out.push_str(&format!("; its last answer: {}", self.last));
        }
        let stderr =
            self.stderr.lock().map(|s| String::from_utf8_lossy(&s).trim().to_string()).unwrap_or_default();
        if !stderr.is_empty() {
            out.push_str(&format!("; on its error stream: {stderr}"));
        }
        out
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        #[cfg(unix)]
        let _ = rustix::process::kill_process_group(
            rustix::process::Pid::from_child(&self.child),
            rustix::process::Signal::KILL,
        );
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn write_all(mut stdin: ChildStdin, texts: &Receiver<Vec<u8>>) {
    for text in texts {
        if stdin.write_all(&text).and_then(|()| stdin.flush()).is_err() {
            return; // the process is gone: the reader will tell
        }
    }
}

/// The channel is bounded: a process that talks without end is made to wait.
fn read_all(mut stdout: ChildStdout, to: &SyncSender<Vec<u8>>) {
    let mut chunk = vec![0; 1 << 16];
    while let Ok(n) = stdout.read(&mut chunk) {
        if n == 0 || to.send(chunk[..n].to_vec()).is_err() {
            return;
        }
    }
}

fn keep_tail(mut stderr: ChildStderr, tail: &Mutex<Vec<u8>>) {
    let mut chunk = vec![0; 1 << 12];
    while let Ok(n) = stderr.read(&mut chunk) {
        if n == 0 {
            return;
        }
        let Ok(mut tail) = tail.lock() else { return };
        tail.extend_from_slice(&chunk[..n]);
        let excess = tail.len().saturating_sub(MAX_STDERR);
        tail.drain(..excess);
    }
}
