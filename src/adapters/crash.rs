//! Handling of a crash of this program (a panic): the terminal is given back first, then one page says what happened and how to come back,
//! and a report is kept in a file. Must not hold anything of the environment, and must never break itself.
//!
//! The handling of a crash of a server, in a part that everything depends on, is in `server::poison`.

mod report;

pub use report::{CrashReport, payload};

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::ThreadId;

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

/// Places in the program whose crash is reported; more are counted as known. A part that breaks with every frame is reported
/// once.
const PLACES: usize = 32;

/// Threads of a process: those of a client only, or those of a client and a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashScope {
    /// Client only: the client ends, whichever thread breaks.
    Client,
    /// Client and server (the demo): the client ends with its own threads, the server looks after the others.
    Both,
}

/// Keeps reports of everything that breaks in this process, from here on, in that folder. For programs without a screen.
pub fn install_reporter(folder: &Path) {
    let (folder, known) = (folder.to_owned(), ReportedPlaces::default());
    std::panic::set_hook(Box::new(move |panic| {
        known.log_first(&CrashReport::of(panic), &folder);
    }));
}

/// Guard that restores the terminal and writes a report when a client thread panics.
pub struct CrashGuard {
    /// Cancelled when the client has to end because one of its threads broke. The crash has been reported by then.
    pub panicked: CancellationToken,
}

/// Guards the screen from here on: a crash of the client gives the terminal back by `give_back`, is reported on standard error, and is kept
/// in that folder.
pub fn guard_screen(folder: PathBuf, threads: CrashScope, give_back: fn()) -> CrashGuard {
    let broken = CancellationToken::new();
    let (reported, known, stop) = (AtomicBool::new(false), ReportedPlaces::default(), broken.clone());
    let own = std::thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        let crash = CrashReport::of(panic);
        if !is_of_client(threads, own) {
            known.log_first(&crash, &folder);
            return;
        }
        give_back();
        if !reported.swap(true, Ordering::AcqRel) {
            report(&crash, &folder, threads, &mut io::stderr().lock());
        }
        stop.cancel();
    }));
    CrashGuard { panicked: broken }
}

impl Drop for CrashGuard {
    fn drop(&mut self) {
        // While unwinding the hook must stay: a second panic would end the process without a word.
        if !std::thread::panicking() {
            drop(std::panic::take_hook());
        }
    }
}

/// Keeps the report and writes the page; that it could not be written is not reported anywhere.
fn report(crash: &CrashReport, folder: &Path, threads: CrashScope, out: &mut dyn Write) {
    let kept = crash.keep(folder);
    let kept = kept.map_or_else(|why| why.text, |path| path.display().to_string());
    drop(out.write_all(crash.summary(&kept, threads).as_bytes()));
    drop(out.flush());
}

fn is_of_client(threads: CrashScope, own: ThreadId) -> bool {
    let here = std::thread::current();
    threads == CrashScope::Client || here.id() == own || here.name() == Some("input")
}

/// Source locations whose panics were already reported.
#[derive(Debug, Default)]
struct ReportedPlaces(Mutex<BTreeSet<String>>);

impl ReportedPlaces {
    /// Keeps and logs a crash, unless one of the same place was.
    fn log_first(&self, crash: &CrashReport, folder: &Path) {
        if self.is_first(crash) {
            let kept = crash.keep(folder);
            let kept = kept.map_or_else(|why| why.text, |path| format!("the report is {}", path.display()));
            tracing::error!("{}; {kept}", crash.line());
        }
    }

    fn is_first(&self, crash: &CrashReport) -> bool {
        // One that breaks while this is held is of no interest.
        let Some(mut places) = self.0.try_lock() else {
            return false;
        };
        places.len() < PLACES && places.insert(crash.place.clone())
    }
}

/// A crash as a hook sees it.
impl CrashReport {
    fn of(panic: &PanicHookInfo<'_>) -> CrashReport {
        let place = panic.location().map_or_else(
            || "an unknown place".to_owned(),
            |place| format!("{}:{}:{}", place.file(), place.line(), place.column()),
        );
        let thread = std::thread::current();
        CrashReport {
            what: payload(panic.payload()),
            place,
            thread: thread.name().unwrap_or("without a name").to_owned(),
            at: crate::adapters::clock::now(),
            trace: std::backtrace::Backtrace::force_capture().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crash() -> CrashReport {
        CrashReport {
            what: "index out of bounds:\u{1b}[31m the len is 3".to_owned(),
            place: "src/ui/view.rs:12:5".to_owned(),
            thread: "input".to_owned(),
            at: crate::domain::Timestamp(1_795_256_206_629),
            trace: "frame\n".repeat(100_000),
        }
    }

    #[test]
    fn the_page_says_what_happened_where_the_report_is_that_all_goes_on_and_how_to_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut out = Vec::new();
        report(&crash(), folder.path(), CrashScope::Client, &mut out);
        let page = String::from_utf8(out).unwrap();
        let report = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap();
        let report = report.path();
        for words in [
            "the len is 3",
            "src/ui/view.rs:12:5",
            "input",
            report.to_str().unwrap(),
            "Agents and the server keep running",
            "`dbs`",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
        assert!(!page.contains('\u{1b}') && page.lines().count() < 15, "{page}");
        let text = std::fs::read_to_string(&report).unwrap();
        assert!(text.contains("the len is 3") && text.contains("frame"), "{text}");
        assert!(text.len() <= 70_000, "{}", text.len());
    }

    #[test]
    fn a_report_that_cannot_be_kept_is_no_reason_not_to_tell() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut out = Vec::new();
        report(&crash(), &file.path().join("no"), CrashScope::Both, &mut out);
        let page = String::from_utf8(out).unwrap();
        assert!(
            page.contains("the len is 3") && page.contains("could not keep"),
            "{page}"
        );
        assert!(
            !page.contains("the server keep running"),
            "a demo's server is in the same process"
        );
    }

    #[test]
    fn ten_reports_are_kept_and_the_newest_is_among_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("server.log"), "not ours to remove").unwrap();
        let mut last = PathBuf::new();
        for number in 0..14 {
            let mut crash = crash();
            crash.at.0 += number * 1_000;
            last = crash.keep(folder.path()).unwrap();
        }
        let count = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(count, 11);
        assert!(last.exists() && folder.path().join("server.log").exists());
    }

    #[test]
    fn what_breaks_with_every_frame_is_reported_once() {
        let known = ReportedPlaces::default();
        assert!(known.is_first(&crash()));
        assert!(!known.is_first(&crash()));
        let mut other = crash();
        other.place = "src/other.rs:1:1".to_owned();
        assert!(known.is_first(&other));
    }

    #[test]
    fn a_panic_of_a_client_gives_the_terminal_back_and_is_reported_and_ends_it() {
        static GIVEN: AtomicBool = AtomicBool::new(false);
        let folder = tempfile::tempdir().unwrap();
        let before = std::panic::take_hook();
        let looked = guard_screen(folder.path().to_owned(), CrashScope::Client, || {
            GIVEN.store(true, Ordering::Release);
        });
        let broke = std::thread::Builder::new()
            .name("input".to_owned())
            .spawn(|| panic!("broken by a test"))
            .unwrap()
            .join();
        let is_cancelled = looked.panicked.is_cancelled();
        drop(looked);
        std::panic::set_hook(before);
        assert!(broke.is_err() && is_cancelled && GIVEN.load(Ordering::Acquire));
        let kept: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
        assert_eq!(kept.len(), 1);
    }
}
