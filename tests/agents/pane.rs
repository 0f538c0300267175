//! An agent in a real terminal: a holder owns it, our emulation answers its queries, and the test sees its screen and the states it
//! reports.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use dbs::adapters::holder::process::{ProcessSelector, members};
use dbs::adapters::holder::protocol::HolderReply;
use dbs::adapters::holder::{LocalHolders, ReplyReceiver, RequestSender};
use dbs::domain::{ProcessExit, Span};
use dbs::ports::agents::PrivateFile;
use dbs::ports::holders::{HolderId, HolderLiveness, Holders, LaunchSpec, OrphanPolicy, PaneSize};
use dbs::term::{EmulatorKind, ReportedState, Size, StatusRecord, TermEvent, Terminal};

use crate::lab::{Lab, wait_for};

const COLS: u16 = 110;
const ROWS: u16 = 32;
/// Deadline of a test that waits for a state or a text.
const PATIENCE: Duration = Duration::from_mins(1);
/// Time until a key is typed again.
const BETWEEN_KEYS: Duration = Duration::from_millis(500);

/// A running agent and what the test has seen of it.
pub(crate) struct Pane {
    holders: LocalHolders,
    id: HolderId,
    marker: String,
    requests: RequestSender,
    seen: Arc<Seen>,
    /// Number of reports that the test has looked at.
    looked_at: usize,
    reader: Option<JoinHandle<()>>,
}

struct Seen {
    began: Instant,
    screen: Mutex<Screen>,
    changed: Condvar,
}

struct Screen {
    terminal: Terminal,
    /// Reports of the program itself, without records of its subagents.
    reports: Vec<StatusRecord>,
    is_over: bool,
    happened: Vec<PaneEvent>,
    /// Beginning of a letter whose end was not read yet.
    half: Vec<u8>,
}

/// Output (`o`), keys (`i`), whether the program is suspended (`z`) or its exit code (`x`), with the time.
#[derive(Debug, Clone)]
pub(crate) struct PaneEvent {
    pub(crate) millis: u64,
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

impl Pane {
    /// Starts the agent in the project of `lab`.
    pub(crate) fn start(lab: &Lab, arguments: &[&str]) -> Self {
        Self::start_program(lab, lab.argv(arguments))
    }

    /// Starts a command line in the project of `lab`.
    pub(crate) fn start_program(lab: &Lab, argv: Vec<String>) -> Self {
        Self::start_with(lab, argv, lab.env(), Vec::new())
    }

    /// Starts a command line with this environment and these private files.
    pub(crate) fn start_with(
        lab: &Lab,
        argv: Vec<String>,
        env: Vec<(String, String)>,
        files: Vec<PrivateFile>,
    ) -> Self {
        let root = lab.root();
        let program: PathBuf = env!("CARGO_BIN_EXE_dbs").into();
        let holders = LocalHolders::new(program, root.join("attempts"), root.join("run"));
        let earlier = holders.inventory().expect("listed").len();
        let id = HolderId::new(format!("{}", earlier + 1));
        let marker = format!("{}/{id}", lab.marker());
        let spec = LaunchSpec {
            id: id.clone(),
            argv,
            cwd: lab.project(),
            env,
            size: PaneSize::cells(COLS, ROWS),
            marker: marker.clone(),
            log_limit: None,
            orphans: OrphanPolicy::Sweep,
            files,
        };
        holders.launch(&spec).expect("started");
        let connection = holders.connect(&id).expect("reachable");
        let seen = Arc::new(Seen {
            began: Instant::now(),
            screen: Mutex::new(Screen {
                terminal: Terminal::new(EmulatorKind::Rio, Size::new(COLS, ROWS), 500),
                reports: Vec::new(),
                is_over: false,
                happened: Vec::new(),
                half: Vec::new(),
            }),
            changed: Condvar::new(),
        });
        let requests = connection.requests.clone();
        requests.attach(0).expect("attached");
        let (for_reader, answers, replies) = (Arc::clone(&seen), requests.clone(), connection.replies);
        let read = move || for_reader.follow(replies, &answers);
        let reader = std::thread::Builder::new().name("pane".into()).spawn(read);
        Self {
            holders,
            id,
            marker,
            requests,
            seen,
            looked_at: 0,
            reader: Some(reader.expect("a thread starts")),
        }
    }

    /// Types these bytes.
    pub(crate) fn type_keys(&self, keys: &str) {
        self.seen.note("i", keys.to_owned());
        self.requests.input(keys.as_bytes()).expect("typed");
    }

    /// Waits until the agent reports this state, and goes on behind that report.
    pub(crate) fn wait_for_state(&mut self, state: ReportedState) -> StatusRecord {
        let looked_at = self.looked_at;
        let find = |screen: &mut Screen| screen.report_after(looked_at, state);
        let (at, report) = self.wait(&format!("the state {state:?}"), find);
        self.looked_at = at + 1;
        report
    }

    /// Types these bytes again and again until the agent reports this state.
    pub(crate) fn type_until_state(&mut self, keys: &str, state: ReportedState) {
        self.type_each(BETWEEN_KEYS, keys, state);
    }

    /// Types these bytes until the agent reports this state, with this time between two attempts.
    pub(crate) fn type_each(&mut self, every: Duration, keys: &str, state: ReportedState) {
        let looked_at = self.looked_at;
        let mut last = None;
        wait_for(&format!("the state {state:?} after {keys:?}"), || {
            let is_due = last.is_none_or(|then: Instant| then.elapsed() > every);
            let is_there = self.seen.lock().report_after(looked_at, state).is_some();
            if is_due && !is_there {
                self.type_keys(keys);
                last = Some(Instant::now());
            }
            is_there
        });
        self.wait_for_state(state);
    }

    /// Waits until the screen has this text, apart from blanks and line ends.
    pub(crate) fn wait_for_text(&self, text: &str) {
        self.wait_for_one_of(&[text]);
    }

    /// Waits until the screen has any of these texts.
    pub(crate) fn wait_for_one_of(&self, texts: &[&str]) {
        let wanted: Vec<String> = texts.iter().map(|text| without_blanks(text)).collect();
        self.wait(&format!("one of the texts {texts:?}"), |screen| {
            let shown = without_blanks(&screen.text());
            wanted.iter().any(|text| shown.contains(text)).then_some(())
        });
    }

    /// Waits until the screen meets the condition, and returns when.
    pub(crate) fn wait_for_screen(&self, what: &str, mut is_so: impl FnMut(&str) -> bool) -> u64 {
        self.wait(what, |screen| is_so(&screen.text()).then_some(()));
        self.millis()
    }

    /// Waits until the program is over, and returns when.
    pub(crate) fn wait_until_over(&self) -> u64 {
        self.wait("the end", |screen| screen.is_over.then_some(()));
        self.millis()
    }

    /// Returns the milliseconds since the start.
    pub(crate) fn millis(&self) -> u64 {
        self.seen.millis()
    }

    /// Returns everything that happened in the terminal so far.
    pub(crate) fn happened(&self) -> Vec<PaneEvent> {
        self.seen.lock().happened.clone()
    }

    /// Returns the pid of the program.
    pub(crate) fn process(&self) -> nix::unistd::Pid {
        let HolderLiveness::Running(process) = self.holders.status(&self.id).state else {
            panic!("it does not run")
        };
        nix::unistd::Pid::from_raw(i32::try_from(process.child_pid).expect("a process number"))
    }

    /// Returns the states reported so far, without repetitions.
    pub(crate) fn states(&self) -> Vec<ReportedState> {
        let mut states: Vec<_> = self
            .seen
            .lock()
            .reports
            .iter()
            .map(|report| report.state)
            .collect();
        states.dedup();
        states
    }

    /// Waits until the program has ended by itself and everything it started is gone.
    pub(crate) fn wait_for_end(&self) -> ProcessExit {
        self.wait("the end", |screen| screen.is_over.then_some(()));
        let mut end = None;
        wait_for("the end on disk", || {
            if let HolderLiveness::Exited(found) = self.holders.status(&self.id).state {
                end = Some(found.exit);
            }
            end.is_some()
        });
        end.expect("just seen")
    }

    /// Kills the agent, as if the machine had lost it, and waits for its end.
    pub(crate) fn kill(&self) {
        let kill = nix::sys::signal::Signal::SIGKILL;
        nix::sys::signal::kill(self.process(), kill).expect("it is ours");
        self.wait_for_end();
    }

    fn wait<T>(&self, what: &str, mut find: impl FnMut(&mut Screen) -> Option<T>) -> T {
        let deadline = Instant::now() + PATIENCE;
        let mut screen = self.seen.lock();
        loop {
            if let Some(found) = find(&mut screen) {
                return found;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || screen.is_over {
                let (reports, over) = (screen.reports.clone(), screen.is_over);
                let text = screen.text();
                panic!("waited in vain for {what}; ended: {over}; reports: {reports:#?}; screen:\n{text}");
            }
            screen = self
                .seen
                .changed
                .wait_timeout(screen, left)
                .unwrap_or_else(std::sync::PoisonError::into_inner)
                .0;
        }
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        let stopped = self.holders.stop(&self.id, Span(3000));
        let left = members(&mut ProcessSelector::marked(&self.marker));
        // The holder has closed the connection, so the reader comes to its end.
        let read = self.reader.take().map_or(Ok(()), JoinHandle::join);
        if std::thread::panicking() {
            return;
        }
        assert!(read.is_ok(), "the reader panicked; its message is above");
        assert_eq!(stopped.expect("stopped").survivors, 0);
        assert_eq!(left.expect("listed"), [], "processes are left");
    }
}

impl Seen {
    fn lock(&self) -> MutexGuard<'_, Screen> {
        self.screen
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Reads what the holder sends until the program is over.
    fn follow(&self, mut replies: ReplyReceiver, answers: &RequestSender) {
        while let Ok(Some(reply)) = replies.next_reply() {
            match reply {
                HolderReply::Output { bytes, .. } => self.take(&bytes, answers),
                HolderReply::Suspended(is) => self.note("z", u8::from(is).to_string()),
                HolderReply::Exited(end) => {
                    let code = if let ProcessExit::Code(code) = end.exit {
                        code
                    } else {
                        -1
                    };
                    self.note("x", code.to_string());
                    break;
                }
                _ => {}
            }
        }
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    fn millis(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).expect("no test takes that long")
    }

    fn note(&self, kind: &'static str, text: String) {
        let millis = self.millis();
        self.lock().happened.push(PaneEvent { millis, kind, text });
    }

    fn take(&self, bytes: &[u8], answers: &RequestSender) {
        let now = self.millis();
        let mut screen = self.lock();
        let text = screen.letters(bytes);
        screen.happened.push(PaneEvent {
            millis: now,
            kind: "o",
            text,
        });
        for event in screen.terminal.feed(now, bytes) {
            match event {
                // A program that has just ended needs no answer.
                TermEvent::Reply(bytes) => drop(answers.input(&bytes)),
                TermEvent::AgentState(report) if report.id.is_none() => screen.reports.push(report),
                _ => {}
            }
        }
        self.changed.notify_all();
    }
}

impl Screen {
    /// Returns the first report of this state behind the first `looked_at`, and its position.
    fn report_after(&self, looked_at: usize, state: ReportedState) -> Option<(usize, StatusRecord)> {
        let later = self.reports.iter().enumerate().skip(looked_at);
        let mut of_state = later.filter(|(_, report)| report.state == state);
        of_state.next().map(|(at, report)| (at, report.clone()))
    }

    /// Returns the whole letters in what was read, with those whose beginning was read before.
    fn letters(&mut self, bytes: &[u8]) -> String {
        self.half.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.half) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => self.half.len(),
        };
        let rest = self.half.split_off(whole);
        let letters = std::mem::replace(&mut self.half, rest);
        String::from_utf8_lossy(&letters).into_owned()
    }

    fn text(&mut self) -> String {
        self.terminal.text(0, ROWS - 1, 0)
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}
