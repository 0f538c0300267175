//! Report of one crash, as a page for the person and as a file for the developers. Both are bounded.

use crate::domain::cut::cut_bytes;
use std::any::Any;
use std::io;
use std::path::{Path, PathBuf};

use crate::adapters::clock::on_calendar;
use crate::adapters::crash::CrashScope;
use crate::domain::{Cause, Timestamp};
use crate::term::sanitize;

/// Maximum length of the text of the event, and of the trace, in bytes.
const LONGEST_WHAT: usize = 2_000;
const LONGEST_TRACE: usize = 64_000;
/// Reports that are kept in a folder.
const KEPT: usize = 10;

/// Message, source location, thread and backtrace of a panic. Nothing of the environment, of arguments or of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrashReport {
    pub what: String,
    /// File, line and column of its source.
    pub place: String,
    pub thread: String,
    pub at: Timestamp,
    pub trace: String,
}

/// Returns the payload of a panic as text.
pub fn payload(payload: &dyn Any) -> String {
    let owned = payload.downcast_ref::<String>().map(String::as_str);
    let text = owned.or_else(|| payload.downcast_ref::<&str>().copied());
    cut_bytes(text.unwrap_or("it broke without a word"), LONGEST_WHAT).to_owned()
}

impl CrashReport {
    /// Returns the report in one line.
    pub fn line(&self) -> String {
        format!(
            "a part broke: {} at {} (thread {})",
            sanitize(&self.words()),
            self.place,
            self.thread
        )
    }

    /// Returns the summary for the person at the screen; `report` is the place of the report, or the reason why there is none.
    pub fn summary(&self, report: &str, threads: CrashScope) -> String {
        let others = match threads {
            CrashScope::Client => "Agents and the server keep running. Come back with: `dbs`",
            CrashScope::Both => "The demo ends with it; your projects are untouched. Again: `dbs demo`",
        };
        let lines = [
            "dbs broke and has given your terminal back. This is a defect of dbs, not of your work.",
            "",
            &format!("  what    {}", sanitize(&self.words())),
            &format!(
                "  where   {} (thread {}, dbs {})",
                self.place,
                self.thread,
                env!("CARGO_PKG_VERSION")
            ),
            &format!("  report  {}", sanitize(report)),
            "",
            others,
        ];
        lines.map(|line| format!("{line}\n")).concat()
    }

    /// Writes the report into that folder, which is made if need be; the oldest beyond ten go. Answers the file.
    ///
    /// # Errors
    /// When it cannot be written, as a sentence.
    pub fn keep(&self, folder: &Path) -> Result<PathBuf, Cause> {
        let path = folder.join(format!("crash-{:013}-{}.txt", self.at.0, std::process::id()));
        let kept = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, self.text()));
        kept.map_err(|error| {
            Cause::from(format!(
                "could not keep the report in {}: {error}",
                folder.display()
            ))
        })?;
        // A report that cannot be removed does no harm.
        drop(remove_oldest(folder));
        Ok(path)
    }

    fn text(&self) -> String {
        let at = on_calendar(self.at);
        format!(
            "dbs {} on {} {}\n{at}\nthread {}\n{}\n{}\n\n{}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::OS,
            std::env::consts::ARCH,
            self.thread,
            self.place,
            cut_bytes(&self.what, LONGEST_WHAT),
            cut_bytes(&self.trace, LONGEST_TRACE)
        )
    }

    fn words(&self) -> String {
        let words = self.what.split_whitespace().collect::<Vec<_>>().join(" ");
        cut_bytes(&words, 300).to_owned()
    }
}

fn remove_oldest(folder: &Path) -> io::Result<()> {
    let is_report = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("crash-") && path.extension().is_some_and(|end| end == "txt")
    };
    let entries = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let mut reports: Vec<PathBuf> = entries.filter(is_report).collect();
    reports.sort();
    for old in reports.iter().rev().skip(KEPT) {
        std::fs::remove_file(old)?;
    }
    Ok(())
}
