//! Calls to a person by their terminal: only a person who looks elsewhere is called, and a simple terminal is sent nothing odd.

use crate::driver::Story;
use crate::terminal::{Make, Tty};

const ASKING: &str = r#"
[[part]]
role = "developer"
steps = [{ signal = "claim" }, { ask = "Go on?" }, { signal = "done", text = "Worked." }]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

fn ask(story: &Story, tty: &Tty<'_>, task: &str, needs: u32) {
    story.dbs(&["task", "create", "Something", "--id", task, "--release"]);
    tty.see(&format!("NEEDS YOU {needs}"));
}

#[test]
fn the_terminal_calls_who_looks_elsewhere_and_its_title_counts() {
    let story = Story::new(ASKING);
    let tty = story.tty_of(Make::New, &[("TERM", "foot")], &[], (120, 40));
    tty.see("? help");
    ask(&story, &tty, "t-1", 1);
    story.wait_until("the title", || {
        tty.times_received("1 needs you · project – dbs") == 1
    });
    assert_eq!(tty.times_received("\x1b]777;"), 0, "the person looks at it");
    assert_eq!(
        tty.times_received("\x1b]9;"),
        0,
        "foot is not known to show progress"
    );
    tty.look_away(true);
    ask(&story, &tty, "t-2", 2);
    let called = "\x1b]777;notify;dbs project;needs you: t-2 permission: Go on?\x1b\\\x07";
    story.wait_until("a call", || tty.times_received(called) == 1);
    tty.look_away(false);
    tty.press("C-b d");
    let (kept, back) = ("\x1b[22;2t", "\x1b[23;2t");
    story.wait_until("the old title", || {
        tty.times_received(kept) == 1 && tty.times_received(back) == 1
    });
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_terminal_that_shows_how_far_the_work_is_is_told_so_until_the_person_leaves() {
    let story = Story::new(ASKING);
    let tty = story.tty_of(
        Make::New,
        &[("TERM", "xterm-256color"), ("WT_SESSION", "1")],
        &[],
        (120, 40),
    );
    tty.see("? help");
    assert_eq!(tty.times_received("\x1b]9;4;"), 0, "nothing is under way");
    ask(&story, &tty, "t-1", 1);
    story.wait_until("that the work waits", || {
        tty.times_received("\x1b]9;4;4;0\x1b\\") >= 1
    });
    let gone = "\x1b]9;4;0;0\x1b\\";
    assert_eq!(tty.times_received(gone), 0);
    tty.press("C-b d");
    story.wait_until("the end of it", || tty.times_received(gone) == 1);
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn while_no_server_answers_nothing_is_shown_of_the_work_and_all_of_it_again_afterwards() {
    let story = Story::new(ASKING);
    let mut server = story.server();
    // A client that comes before the server listens starts another one.
    story.wait_until("a server", || story.is_live());
    let windows = [("TERM", "xterm-256color"), ("WT_SESSION", "1")];
    let tty = story.tty_of(Make::New, &windows, &[], (120, 40));
    tty.see("? help");
    ask(&story, &tty, "t-1", 1);
    let (waits, gone) = ("\x1b]9;4;4;0\x1b\\", "\x1b]9;4;0;0\x1b\\");
    story.wait_until("that the work waits", || tty.times_received(waits) >= 1);
    assert_eq!(tty.times_received(gone), 0);
    server.kill();
    story.wait_until("the end of it", || tty.times_received(gone) == 1);
    let told = tty.times_received(waits);
    story.wait_until("the next server", || tty.times_received(waits) > told);
    tty.press("C-b d");
    story.wait_until("the end of it again", || tty.times_received(gone) == 2);
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_simple_terminal_gets_the_bell_and_nothing_else() {
    let story = Story::new(ASKING);
    story.configure("[notify]\nwhen = \"always\"\nway = \"osc9\"\n");
    let tty = story.tty_of(Make::Old, &[("TERM", "linux")], &[], (120, 40));
    tty.see("? help");
    ask(&story, &tty, "t-1", 1);
    story.wait_until("the bell", || tty.times_received("\x07") == 1);
    tty.press("C-b d");
    for odd in ["\x1b]9;", "\x1b]2;", "\x1b[22;2t", "\x1b[23;2t"] {
        assert_eq!(tty.times_received(odd), 0, "{odd:?}");
    }
    assert_eq!(tty.leave().0, 0);
}

#[test]
fn a_program_that_calls_in_a_pane_is_marked_there_and_calls_who_looks_elsewhere_by_its_name() {
    let story = Story::new(ASKING);
    story.configure("[notify]\npause = 0\n");
    let tty = story.tty_of(Make::New, &[("TERM", "foot")], &[], (120, 40));
    tty.see("? help");
    tty.press("C-b c");
    tty.see("TYPING");
    let go = story.root().join("go");
    let script = story.root().join("call.sh");
    let lines = "while [ ! -e \"$1\" ]; do sleep 0.05; done; printf '\\033]9;4;1;42\\007\\033]777;notify;make;needs you\\007'; read x";
    std::fs::write(&script, lines).unwrap();
    tty.type_text(&format!("sh {} {}", script.display(), go.display()));
    tty.press("Enter");
    tty.look_away(true);
    tty.press("C-b 1");
    tty.see("[1 ");
    std::fs::write(&go, "").unwrap();
    tty.see("Shell⚑");
    let called = "\x1b]777;notify;dbs project;shell 2 says: make: needs you\x1b\\";
    story.wait_until("the call", || tty.times_received(called) == 1);
    tty.look_away(false);
    tty.press("C-b 7");
    tty.wait("its progress, and no mark where they look", |screen| {
        screen.has("42 %") && !screen.has("⚑")
    });
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}

/// Returns the lines that a person's program was called with, one after the other.
fn calls(story: &Story) -> Vec<String> {
    let text = std::fs::read_to_string(story.root().join("calls")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Has the server call a program that records its argument.
fn call_by_program(story: &Story, more: &str) {
    let command = "command = '''sh -c 'printf \"%s\\n\" \"$0\" >>../calls' '''";
    story.configure(&format!("[notify]\npause = 0\n{command}\n{more}"));
}

#[test]
fn a_server_nobody_looks_at_calls_a_program_and_an_address_once_also_over_a_restart() {
    let story = Story::new(ASKING);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!(
        "url = \"http://{}/hook\"\nsecret = \"s\"\n",
        listener.local_addr().unwrap()
    );
    call_by_program(&story, &url);
    let mut server = story.server();
    story.wait_until("a server", || story.is_live());
    story.dbs(&["task", "create", "Something", "--id", "t-1", "--release"]);
    let first = "dbs project: needs you: t-1 permission: Go on?";
    story.wait_until("the first call", || calls(&story) == [first]);
    let posted = posted(&listener);
    assert!(
        posted.starts_with("POST /hook HTTP/1.1")
            && posted.to_lowercase().contains("x-dbs-signature: sha256="),
        "{posted}"
    );
    assert!(
        posted.contains("\"task\":\"t-1\"") && !posted.contains("Go on?"),
        "{posted}"
    );
    // A call that is told but not yet stored when the server dies would be told again.
    story.wait_until("the memory of it", || {
        let kept = std::fs::read_to_string(story.state().join("told.json"));
        kept.is_ok_and(|kept| kept.matches("t-1").count() == 2)
    });
    server.kill();
    let mut server = story.server();
    story.wait_until("a server", || story.is_live());
    story.dbs(&["task", "create", "Something", "--id", "t-2", "--release"]);
    let second = "dbs project: needs you: t-2 permission: Go on?";
    story.wait_until("the second call", || calls(&story) == [first, second]);
    let tty = story.tty_of(Make::New, &[("TERM", "foot")], &[], (120, 40));
    ask(&story, &tty, "t-3", 3);
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
    story.dbs(&["task", "create", "Something", "--id", "t-4", "--release"]);
    let third = "dbs project: needs you: t-4 permission: Go on?";
    story.wait_until("the third call", || calls(&story).len() > 2);
    assert_eq!(calls(&story), [first, second, third], "the client showed t-3");
    story.dbs(&["stop", "--all"]);
    assert!(server.0.wait().unwrap().success());
}

/// Parts of a developer that makes a file, and of a reviewer that agrees.
const DONE_AT_ONCE: &str = r#"
[[part]]
role = "developer"
steps = [
  { signal = "claim" },
  { write = "a.txt", text = "a\n" },
  { commit = "Work" },
  { push = "origin" },
  { signal = "done", text = "Worked." },
]

[[part]]
steps = [{ signal = "claim" }, { signal = "done", text = "Good." }]
"#;

/// P24. A server makes no call in its first seconds; what happens then is told afterwards.
#[test]
fn a_server_nobody_looks_at_calls_for_a_task_that_was_done_in_its_first_seconds() {
    let story = Story::new(DONE_AT_ONCE);
    call_by_program(&story, "events = \"all\"\n");
    let _server = story.server();
    story.wait_until("a server", || story.is_live());
    story.dbs(&["task", "create", "Something", "--id", "t-1", "--release"]);
    story.wait_until("a call", || !calls(&story).is_empty());
    // The same call may also tell the end of the batch.
    let first = &calls(&story)[0];
    assert!(
        first.starts_with("dbs project: ") && first.ends_with("t-1 is done"),
        "{first}"
    );
    story.dbs(&["stop", "--all"]);
}

/// Answers the next request and returns it.
fn posted(listener: &std::net::TcpListener) -> String {
    use std::io::{Read as _, Write as _};
    let (mut stream, _) = listener.accept().unwrap();
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    while !bytes.ends_with(b"}]}") {
        let read = stream.read(&mut chunk).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&bytes));
        bytes.extend_from_slice(&chunk[..read]);
    }
    stream
        .write_all(b"HTTP/1.1 204 Fine\r\nContent-Length: 0\r\n\r\n")
        .unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_program_and_an_address_that_hang_hold_up_neither_the_engine_nor_the_end_of_the_server() {
    let story = Story::new(ASKING);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    story.configure(&format!(
        "[notify]\npause = 0\ncommand = \"sh -c 'sleep 600; true'\"\nurl = \"http://{}/\"\n",
        silent.local_addr().unwrap()
    ));
    let mut server = story.server();
    story.wait_until("a server", || story.is_live());
    story.dbs(&["task", "create", "Something", "--id", "t-1", "--release"]);
    let sleeps = || story.processes().iter().any(|line| line.contains(" sleep 600 "));
    story.wait_until("the program", sleeps);
    let held = silent.accept().unwrap();
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the next attempt", || story.attempt(2).exists());
    story.dbs(&["stop"]);
    assert!(server.0.wait().unwrap().success());
    assert!(!sleeps(), "the program outlived the server");
    drop(held);
}

#[test]
fn a_program_writes_the_clipboard_only_after_a_key_and_a_new_shell_begins_in_the_folder_of_the_one_in_focus()
{
    let story = Story::new(ASKING);
    let tty = story.tty_of(Make::New, &[("TERM", "foot")], &[], (120, 40));
    tty.see("? help");
    let (folder, script) = (story.root().join("else where"), story.root().join("report.sh"));
    std::fs::create_dir(&folder).unwrap();
    let address = folder.display().to_string().replace(' ', "%%20");
    let lines = format!(
        "printf '\\033]7;file://elsewhere.example/tmp\\007\\033]7;file://localhost{address}\\007\\033]52;c;aGVsbG8=\\007\\033]52;c;?\\007'\nread x\n"
    );
    std::fs::write(&script, lines).unwrap();
    tty.press("C-b c");
    tty.see("TYPING");
    tty.type_text(&format!("sh {}", script.display()));
    tty.press("Enter");
    tty.see("shell 2 wants to copy 5 characters to your clipboard: C-b Y does it");
    let copied = "\x1b]52;c;aGVsbG8=";
    assert_eq!(tty.times_received("\x1b]52;"), 0, "the person has not agreed");
    tty.press("C-b Y");
    story.wait_until("the copy", || tty.times_received(copied) == 1);
    assert!(tty.see("else where").has("Shell"), "its title names the folder");
    tty.press("C-b c");
    let here = story.root().join("here");
    tty.type_text(&format!("pwd > {}", here.display()));
    tty.press("Enter");
    let place = || std::fs::read_to_string(&here).unwrap_or_default();
    story.wait_until("the folder", || place().trim() == folder.display().to_string());
    tty.press("C-b d");
    assert_eq!(tty.leave().0, 0);
}
