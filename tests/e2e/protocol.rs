//! A tool that speaks the Agent Client Protocol, without its interface: a scripted double of one, from its start through its requests to
//! the merge, and interrupted, killed, or sending nonsense.

use std::fs;

use crate::driver::Story;
use crate::kinds::{create, server, story};

/// Settings that start the double; `told` means that the tool itself reports the id of its session.
const KIND: &str = "start = [\"{prompt}\"]\nresume = [\"--session\", \"{session}\", \"{prompt}\"]\nsession = \"told\"\n\
                    headless = { protocol = \"acp\", arguments = [\"acp\"] }\n";

/// Script of the tool's side of the protocol. A story says what happens in a turn (`turn`), and at the handshake (`opened`).
const DOUBLE: &str = r#"
loads=true
reply() { id=${line#*\"id\":}; id=${id%%[,\}]*}; printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
update() { printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":%s}}\n' "$1"; }
says() { update '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"'"$1"'\n"}}'; }
calls() { update '{"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","title":"'"$1"'"}'; }
hears() { read -r line || exit 9; printf '%s\n' "$line" >> "$ROOT/heard-$DBS_ROLE-$DBS_ATTEMPT"; }
may() {
  printf '{"jsonrpc":"2.0","id":"a-1","method":"session/request_permission","params":{"sessionId":"s-1","toolCall":{"toolCallId":"c","kind":"execute","title":"run it","rawInput":{"command":"%s"}},"options":[{"optionId":"o-always","kind":"allow_always"},{"optionId":"o-once","kind":"allow_once"},{"optionId":"o-no","kind":"reject_once"}]}}\n' "$1"
  hears
  case "$line" in *'"optionId":"o-once"'*) return 0;; *) return 1;; esac
}
signals() { "$DBS_PROGRAM" signal "$@" >&2; }
work() { signals claim; if [ "$DBS_ROLE" = developer ]; then echo made > made.txt; git add made.txt; git commit -qm "[$DBS_TASK] made"; fi; signals done made; }
over() { line=$prompt; reply '{"stopReason":"'"$1"'"}'; }
opened() { :; }
$STORY
[ "$DBS_ROLE" = developer ] || turn() { work; over end_turn; }
while hears; do
  case "$line" in
    *'"method":"initialize"'*) opened; reply '{"protocolVersion":1,"agentCapabilities":{"loadSession":'$loads'}}';;
    *'"method":"session/new"'*) reply '{"sessionId":"s-1"}';;
    *'"method":"session/load"'*) says 'What was said before.'; reply '{}';;
    *'"method":"session/prompt"'*) prompt=$line; turn;;
  esac
done
"#;

/// A project whose agents are the double, at work on a task.
fn at_work(of_a_turn: &str) -> (Story, crate::driver::Server) {
    let story = story(KIND, &DOUBLE.replace("$STORY", of_a_turn));
    story.configure("[roles.developer]\nmode = \"headless\"\n[roles.reviewer]\nmode = \"headless\"\n");
    let server = server(&story);
    create(&story);
    (story, server)
}

/// Returns what the double of the developer's attempt was sent so far.
fn heard(story: &Story, attempt: u64) -> String {
    fs::read_to_string(story.root().join(format!("heard-developer-{attempt}"))).unwrap_or_default()
}

/// Waits until the request is open on the board. The status alone is not enough: it shows the title of the tool call, which arrives before
/// the request.
fn wait_for_ask(story: &Story) {
    story.wait_until("its request", || {
        let why = story.dbs(&["why", "t-1"]);
        why.contains("permission") && why.contains("make it")
    });
}

fn ends_merged(story: &Story) {
    story.wait_until("the merge", || story.count("done") == 1);
    assert_eq!(story.git(&story.origin(), &["show", "work:made.txt"]), "made");
}

const ASKS: &str = "turn() { says 'I make it.'; calls 'make it'; if may 'make it'; then work; else says 'I may not.'; signals block 'I may not make it.'; fi; over end_turn; }";

#[test]
fn a_task_is_done_over_the_protocol_and_merged_after_a_person_allowed_what_was_asked() {
    let (story, _server) = at_work(ASKS);
    wait_for_ask(&story);
    story.dbs(&["approve", "t-1"]);
    ends_merged(&story);
    let shown = story.dbs(&["logs", "1"]);
    for part in ["I make it.", "* make it", "! allowed it", "= turn over"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let logs = story.logs();
    assert_eq!(
        logs.matches("asks: Bash").count(),
        1,
        "one request is one ask: {logs}"
    );
    let prompt = heard(&story, 1);
    assert!(
        prompt.contains("session/new") && prompt.contains("Make it"),
        "{prompt}"
    );
}

#[test]
fn a_no_from_the_inbox_is_the_option_that_refuses_and_the_tool_says_what_follows() {
    let (story, _server) = at_work(ASKS);
    wait_for_ask(&story);
    story.dbs(&["reject", "t-1", "not now"]);
    story.wait_until("its report", || story.count("held") == 1);
    assert!(
        heard(&story, 1).contains(r#""optionId":"o-no""#),
        "{}",
        heard(&story, 1)
    );
    assert!(story.dbs(&["task", "show", "t-1"]).contains("I may not make it."));
}

#[test]
fn escape_cancels_a_turn_of_the_protocol_with_what_it_asks_and_a_typed_line_begins_the_next() {
    let turn = r#"turn() { case "$line" in *'hurry up'*) work; over end_turn;; *) may 'make it'; hears; over cancelled;; esac; }"#;
    let (story, _server) = at_work(turn);
    wait_for_ask(&story);
    let tty = story.tty(&["attach"], (140, 50));
    tty.press("C-b a");
    tty.see("make it");
    tty.press("i");
    tty.wait("to type", |screen| screen.status().contains("TYPE"));
    tty.press("Esc");
    tty.see("= interrupted");
    // Its request ends with the turn, before anything else is typed.
    story.wait_until("the end of what it asks", || {
        !story.dbs(&["status"]).contains("make it")
    });
    tty.type_text("please hurry up\n");
    ends_merged(&story);
    let heard = heard(&story, 1);
    for part in [
        r#""method":"session/cancel""#,
        r#""outcome":{"outcome":"cancelled"}"#,
        "please hurry up",
    ] {
        assert!(heard.contains(part), "{part}: {heard}");
    }
}

#[test]
fn what_a_person_types_before_the_tool_is_ready_follows_the_prompt() {
    let turn = r#"opened() { if [ "$DBS_ROLE" = developer ]; then mkfifo "$ROOT/gate"; read -r _ < "$ROOT/gate"; fi; }
turn() { case "$line" in *'hurry up'*) work;; *) signals claim;; esac; over end_turn; }"#;
    let (story, _server) = at_work(turn);
    let gate = story.root().join("gate");
    story.wait_until("its handshake", || gate.exists());
    let tty = story.tty(&["attach"], (140, 50));
    tty.press("C-b a");
    tty.press("i");
    tty.wait("to type", |screen| screen.status().contains("TYPE"));
    tty.type_text("please hurry up\n");
    tty.see("queued > please hurry up");
    fs::write(&gate, "go\n").unwrap();
    story.wait_until("its work", || story.count("done") == 1);
    let told = heard(&story, 1);
    let at = |words: &str| told.find(words).unwrap_or_else(|| panic!("{words}: {told}"));
    assert!(at("Make it") < at("please hurry up"), "{told}");
}

/// Works only in its second session; in the first it leaves a file and waits to be killed.
const WAITS: &str = r#"turn() { if [ -e begun.txt ]; then rm begun.txt; work; over end_turn; else echo > begun.txt; says 'I wait.'; echo $PPID > "$ROOT/part"; mv "$ROOT/part" "$ROOT/runner"; hears; fi; }"#;

fn kill_runner(story: &Story) {
    let file = story.root().join("runner");
    story.wait_until("its turn", || file.exists());
    let pid = fs::read_to_string(&file).unwrap();
    let mut kill = story.outside("sh");
    kill.args(["-c", &format!("kill -9 {pid}")]);
    assert!(kill.status().unwrap().success());
}

#[test]
fn a_killed_session_of_the_protocol_is_loaded_by_the_id_that_its_tool_told() {
    let (story, _server) = at_work(WAITS);
    kill_runner(&story);
    ends_merged(&story);
    let again = heard(&story, 2);
    assert!(
        again.contains("session/load") && again.contains(r#""sessionId":"s-1""#),
        "{again}"
    );
    assert!(again.contains("You were interrupted"), "{again}");
    let shown = story.dbs(&["logs", "2"]);
    assert!(!shown.contains("What was said before."), "{shown}");
}

#[test]
fn a_tool_that_loads_no_session_begins_its_task_again_after_a_kill() {
    let turn = format!(
        "loads=false\n{}",
        WAITS.replace("[ -e begun.txt ]", r#"[ -e "$ROOT/runner" ]"#)
    );
    let (story, _server) = at_work(&turn.replace("rm begun.txt; ", ""));
    kill_runner(&story);
    ends_merged(&story);
    let shown = story.dbs(&["logs", "2"]);
    assert!(shown.contains("the tool cannot load sessions"), "{shown}");
    assert!(heard(&story, 3).contains("session/new"), "{}", heard(&story, 3));
}

#[test]
fn a_tool_that_talks_nonsense_or_ends_early_is_tried_again_and_harms_nobody() {
    let turn = r#"
opened() { if [ "$DBS_ATTEMPT" = 1 ]; then exit 3; fi; }
turn() {
  printf '{"jsonrpc":\n{"id":{"id":1},"method":"session/request_permission"}\n[[[[\n\377\033]0;owned\007\n'
  printf '{"jsonrpc":"2.0","id":99,"result":{}}\n{"method":"session/update","params":{"sessionId":"s-1","update":[7]}}\n'
  printf '{"method":"fs/write_text_file","id":7,"params":{"path":"/etc/x","content":""}}\n'; hears
  printf '{"method":"'; head -c 20000000 /dev/zero | tr '\0' x; printf '"}\n'
  if [ "$DBS_ATTEMPT" = 2 ]; then exit 0; fi
  work; over end_turn
}"#;
    let (story, _server) = at_work(turn);
    ends_merged(&story);
    assert!(heard(&story, 3).contains("-32601"), "{}", heard(&story, 3));
    let shown = story.dbs(&["logs", "3"]);
    assert!(shown.contains("is too long and was left out"), "{shown}");
    let raw = story.run(&["logs", "3", "--raw"]).stdout;
    let title = b"\x1b]0;owned";
    assert!(!raw.windows(title.len()).any(|bytes| bytes == title));
}
