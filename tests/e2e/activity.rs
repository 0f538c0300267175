//! Activity of an agent at work, as known from its title, its hooks and its status records, and what the board is told of it.

use std::fs;

use crate::driver::Story;
use crate::script::write_script;

/// A tool that reports by its title, by hooks and by status records, and goes on when the test writes into its pipes.
const TOOL: &str = r#"#!/bin/sh
hook() { printf '%s' "$1" | "$DBS_PROGRAM" hook; }
go_on() { read -r _ < "$ROOT/$1"; }
number=0
while [ $number -lt 5000 ]; do
  printf '\033]0;\342\227\220 work\007\033]0;\342\227\221 work\007'
  number=$((number + 1))
done
go_on first
hook '{"hook_event_name":"UserPromptSubmit","session_id":"s"}'
hook '{"hook_event_name":"SubagentStart","agent_id":"a1","agent_type":"Explore"}'
hook '{"hook_event_name":"Notification","notification_type":"permission_prompt"}'
stty -icanon -echo
printf 'May it?\n\342\235\257 1. Yes\n  2. No\n'
dd bs=1 count=1 > /dev/null 2>&1
printf '\033[2J\033[H'
go_on answered
printf '\033]7501;state=working\007'
go_on second
"$DBS_PROGRAM" signal block "That is all."
"#;

fn story() -> Story {
    let story = Story::new("[[part]]\nsteps = [{ signal = \"claim\" }]\n");
    let (root, program) = (story.root(), story.root().join("claude"));
    let text = TOOL.replace("$ROOT", &root.display().to_string());
    write_script(&program, text);
    for pipe in ["first", "answered", "second"] {
        let made = story.outside("mkfifo").arg(root.join(pipe)).status().unwrap();
        assert!(made.success());
    }
    let command = program.display().to_string();
    story.configure(&format!("[roles.developer]\ncommand = {command:?}\n"));
    story
}

#[test]
fn what_an_agent_does_is_told_from_each_source_and_only_words_that_decide_become_events() {
    let story = story();
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    let why = |part: &str| story.dbs(&["why", "t-1", "--sources"]).contains(part);
    story.wait_until("its title", || why("title: working"));
    fs::write(story.root().join("first"), "go\n").unwrap();
    story.wait_until("its hook", || why("hook: asks for a permission"));
    assert!(
        why("now: asks for a permission; runs Explore"),
        "{}",
        story.dbs(&["why", "t-1", "--sources"])
    );
    story.wait_until("its ask", || {
        story.dbs(&["status"]).contains("asks for a permission")
    });
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the answer", || why("its wait has ended"));
    fs::write(story.root().join("answered"), "go\n").unwrap();
    story.wait_until("its status record", || why("status record: working"));
    story.wait_until("its work on the board", || {
        story.dbs(&["status"]).contains("working; runs Explore")
    });
    let agent = story.dbs(&["why", "1", "--json"]);
    for part in ["\"counts\":true", "\"source\":\"status record\"", "\"age_ms\""] {
        assert!(agent.contains(part), "{part}: {agent}");
    }
    let events = story.dbs(&["events"]);
    let observed = events.lines().filter(|line| line.contains("observed")).count();
    assert!(
        (2..20).contains(&observed),
        "{observed} of ten thousand titles: {events}"
    );
    server.kill();
    let _next = story.server();
    story.wait_until("the next server", || why("status record: working"));
    fs::write(story.root().join("second"), "go\n").unwrap();
    story.wait_until("its end", || {
        story.dbs(&["task", "show", "t-1"]).contains("That is all.")
    });
}

#[test]
fn a_countdown_goes_on_between_two_looks_though_nothing_happens_on_the_board() {
    let story = Story::new("[[part]]\nsteps = [{ signal = \"claim\" }]\n");
    let settings = story
        .remove_settings()
        .replace("crash_backoff = 1\n", "crash_backoff = 50\n");
    story.write_settings(&(settings + "[roles.developer]\ncommand = \"sh -c 'exit 2'\"\n"));
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    let is_told = || story.dbs(&["task", "list"]).contains("retry in ");
    story.wait_until("the end of its agent", is_told);
    for report in [&["task", "list"][..], &["board"]] {
        let first = story.dbs(report);
        story.wait_until("the next second", || story.dbs(report) != first);
        let (next, kept) = (story.dbs(report), story.dbs(&["events", "--json"]));
        assert!(next.contains("retry in "), "{next}");
        assert_eq!(kept.matches("attempt_ended").count(), 1, "{kept}");
    }
}

#[test]
fn what_a_hook_asked_stays_asked_over_a_killed_server_though_the_terminal_shows_work() {
    let story = story();
    let answer = story.root().join("answer");
    let tool = format!(
        "#!/bin/sh\nprintf '\\033]7501;state=working\\007'\nread -r _ < {1}\n\
         printf '{{\"hook_event_name\":\"PermissionRequest\",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"make\"}}}}' \
         | \"$DBS_PROGRAM\" hook > {0}.part\nmv {0}.part {0}\nread -r _\n",
        answer.display(),
        story.root().join("first").display()
    );
    fs::write(story.root().join("claude"), tool).unwrap();
    let mut server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    let why = |part: &str| story.dbs(&["why", "t-1", "--sources"]).contains(part);
    story.wait_until("its record", || why("status record: working"));
    fs::write(story.root().join("first"), "go\n").unwrap();
    let waits = || why("now: asks: Bash: make");
    story.wait_until("its request", || {
        waits() && story.dbs(&["status"]).contains("asks: Bash: make")
    });
    server.kill();
    let _next = story.server();
    story.wait_until("the next server", || story.is_live() && waits());
    story.dbs(&["approve", "t-1"]);
    story.wait_until("the answer", || answer.exists());
    assert!(fs::read_to_string(&answer).unwrap().contains("allow"));
    let log = story.dbs(&["logs"]);
    assert_eq!(log.matches("asks: Bash: make").count(), 1, "{log}");
}

#[test]
fn a_tool_without_a_login_is_said_at_once_with_its_words_and_the_command_to_log_in() {
    let story = story();
    let tool = "#!/bin/sh\nprintf '{\"hook_event_name\":\"StopFailure\",\"error\":\"authentication_failed\",\
                \"last_assistant_message\":\"Please run /login\"}' | \"$DBS_PROGRAM\" hook\nread -r _\n";
    fs::write(story.root().join("claude"), tool).unwrap();
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    let said = "cannot work: Please run /login; run `claude` in a terminal and log in with `/login`";
    story.wait_until("the missing login", || story.dbs(&["logs"]).contains(said));
    story.wait_until("the end of the attempt", || {
        story.dbs(&["events"]).contains("attempt_ended")
    });
}

#[test]
fn a_missing_login_that_is_printed_in_the_terminal_is_shown_and_stops_nobody() {
    let story = story();
    let tool = "#!/bin/sh\nprintf '\\033]7501;state=blocked:kind=auth:msg=UGxlYXNlIHJ1biAvbG9naW4=\\007'\nread -r _\n\
                printf '\\033]7501;state=working\\007'\nread -r _\n";
    fs::write(story.root().join("claude"), tool).unwrap();
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    let said = "what runs in its terminal says that a login is missing: Please run /login";
    story.wait_until("its words", || {
        story.dbs(&["why", "t-1", "--sources"]).contains(said)
    });
    let events = story.dbs(&["events"]);
    assert!(
        !events.contains("attempt_ended") && !events.contains("cannot work"),
        "{events}"
    );
}

#[test]
fn a_usage_limit_that_a_hook_tells_pauses_the_work() {
    let story = story();
    let tool = "#!/bin/sh\nprintf '{\"hook_event_name\":\"StopFailure\",\"error\":\"rate_limit\",\
                \"last_assistant_message\":\"5-hour limit reached\"}' | \"$DBS_PROGRAM\" hook\nread -r _\n";
    fs::write(story.root().join("claude"), tool).unwrap();
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "Work", "--id", "t-1", "--release"]);
    let paused = "is at its usage limit, 14m left: 5-hour limit reached; `dbs resume` continues at once";
    story.wait_until("the pause", || story.dbs(&["status"]).contains(paused));
    story.wait_until("the end of the attempt", || {
        story.dbs(&["events"]).contains("attempt_ended")
    });
}
