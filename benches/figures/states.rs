//! Time from the evidence until a person sees the state of an agent: from its own status record, and from a hook of its tool.
#![expect(clippy::unwrap_used, reason = "what cannot be set up is no measurement")]
#![expect(clippy::disallowed_methods, reason = "measures time")]

use std::fs::{self, File};
use std::io::Write as _;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::dbs::Project;
use crate::outer::Outer;
use crate::table::{Table, percentiles};

/// Longest time for any step here.
const DEADLINE: Duration = Duration::from_mins(1);
/// Longer than the board waits between two reports of one agent, so that no measured report had to wait.
const BETWEEN: Duration = Duration::from_millis(900);
/// A tab without a terminal, chosen at once. The board shows the terminal of the selected task where there is room.
const LOG_TAB: &[u8] = b"\x024";
/// Seconds between two frames of a program that always draws.
const FRAME: &str = "0.033";

/// An agent that prints each order, or calls its hook with it.
struct ToldAgent {
    // Dropped first, because a client brings back a server that vanishes.
    client: Outer,
    _project: Project,
    orders: File,
    asked: u8,
    _folder: tempfile::TempDir,
}

impl ToldAgent {
    /// An agent that draws nothing by itself.
    fn quiet() -> Self {
        Self::new("")
    }

    /// An agent that draws 30 frames a second, as tools at work do.
    fn drawing() -> Self {
        Self::new(&format!(
            "(while :; do printf '\\033[9;1H\\033[2Kframe %s' $((n = n + 1)); sleep {FRAME}; done) &\n"
        ))
    }

    fn new(begin: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (script, orders) = (folder.path().join("agent.sh"), folder.path().join("orders"));
        nix::unistd::mkfifo(&orders, nix::sys::stat::Mode::S_IRWXU).unwrap();
        let body = format!(
            "{begin}exec 3<>{}\nwhile IFS= read -r line <&3; do\n  case $line in\n    'hook '*) printf '%s' \"${{line#hook }}\" | {} hook & hook=$! ;;\n    \
             stop) kill $hook ;;\n    *) printf '%b' \"$line\" ;;\n  esac\ndone\n",
            orders.display(),
            crate::dbs::program()
        );
        fs::write(&script, body).unwrap();
        let project = Project::new(&format!(
            "max_total_agents = 1\n[roles.default]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
            script.display()
        ));
        project.server();
        project.tasks(1);
        project.wait_until("the agent", DEADLINE, || project.holders().len() == 1);
        let client = project.client();
        client.first();
        // Opening the pipe for both reading and writing does not block.
        let orders = File::options().read(true).write(true).open(&orders).unwrap();
        Self {
            client,
            _project: project,
            orders,
            asked: 0,
            _folder: folder,
        }
    }

    fn order(&mut self, line: &str) {
        writeln!(self.orders, "{line}").unwrap();
    }

    /// A text that differs from the one before in every cell.
    fn next_text(&mut self) -> String {
        self.asked = (self.asked + 1) % 26;
        char::from(b'a' + self.asked).to_string().repeat(12)
    }

    /// Time from an order until its text is on the client's screen; nothing if it never is.
    fn measure(&mut self, line: &str, text: &str) -> Option<Duration> {
        self.client.look_for(text.as_bytes());
        let begin = Instant::now();
        self.order(line);
        self.client.arrival(Duration::from_secs(5)).map(|at| at - begin)
    }

    /// Time from a status record until the screen shows its ask; `before` is the time since the record that the agent works.
    fn record(&mut self, before: Duration) -> Option<Duration> {
        self.order(&status_record("working", ""));
        std::thread::sleep(before);
        let text = self.next_text();
        self.measure(&status_record("blocked:kind=permission", &text), &text)
    }

    /// Time from the start of a hook's process until the screen shows its ask.
    fn hook(&mut self) -> Option<Duration> {
        let text = self.next_text();
        let call = format!(
            r#"hook {{"hook_event_name":"PermissionRequest","session_id":"s","tool_name":"Bash","tool_input":{{"command":"{text}"}}}}"#
        );
        let taken = self.measure(&call, &text);
        self.order("stop");
        std::thread::sleep(BETWEEN);
        taken
    }
}

/// Output of an agent that reports its state, in the form for `printf`.
fn status_record(state: &str, text: &str) -> String {
    let text = STANDARD.encode(text);
    format!(r"\033]7501;state={state}:app=bench:msg={text}\033\\")
}

/// Each kind of evidence, on the tab that shows the agent's terminal and on one that does not.
pub(crate) fn states(table: &mut Table) {
    let times = table.sizes.of(60, 5);
    let mut shown = ToldAgent::quiet();
    row(table, "a hook's process starts", times, || shown.hook());
    row(table, "a status record", times, || shown.record(BETWEEN));
    let soon = Duration::from_millis(60);
    row(table, "a status record 60 ms after another", times, || {
        let taken = shown.record(soon);
        std::thread::sleep(BETWEEN);
        taken
    });
    drop(shown);
    let mut hidden = ToldAgent::drawing();
    hidden.client.type_in(LOG_TAB);
    std::thread::sleep(BETWEEN);
    row(
        table,
        "a status record of a hidden agent that draws 30 times a second",
        times,
        || hidden.record(BETWEEN),
    );
}

fn row(table: &mut Table, evidence: &str, times: u32, mut measure: impl FnMut() -> Option<Duration>) {
    let all: Vec<Option<Duration>> = (0..times).map(|_| measure()).collect();
    let lost = all.iter().filter(|taken| taken.is_none()).count();
    table.row(
        format!("{evidence} → the screen shows the state, p50 / p99"),
        "< 200 ms",
        percentiles(all.into_iter().flatten().collect(), lost),
        "–",
    );
}
