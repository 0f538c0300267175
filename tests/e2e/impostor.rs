//! An agent that acts as a person: it tries every command for persons, also with a cleared environment, outside its session and from
//! another folder, with a server and without one. Nothing changes, and the task says what was tried.

use std::fs;
use std::path::Path;

use dbs::cli::args::{CommandFacts, Persons};
use dbs::cli::commands::command_line::command;
use dbs::display::{ColourDepth, DisplayCaps, Glyphs};
use dbs::domain::{AttemptId, SignalKind};
use dbs::protocol::connection::{blocking_runtime, call_once, greet, receive, send};
use dbs::protocol::wire::{AttachRequest, FromClient, FromServer, Packet, ServerCall, SignalSent};

use crate::driver::{Story, said};
use crate::scenarios::working;
use crate::script::write_script;

/// Commands for persons by their names in the table of commands, and as a person types them.
const TRIES: &[(&str, &str)] = &[
    ("answer", "answer t-2 yes"),
    ("approve", "approve t-2"),
    ("atdd init", "atdd init"),
    ("atdd new", "atdd new ../../MASTER.md"),
    ("atdd run", "atdd run"),
    ("attach", "attach --plain"),
    ("backup", "backup"),
    ("batch create", "batch create mine"),
    ("batch release", "batch release mine"),
    ("batch update", "batch update mine --title no"),
    ("clean", "clean --builds"),
    ("clear", "clear --confirm project"),
    ("conduct", "conduct"),
    ("convert", "convert ../../MASTER.md"),
    ("design", "design smuggled"),
    ("config KEY VALUE", "config gates.test true"),
    ("config KEY VALUE", "config roles.reviewer.command true"),
    ("config KEY VALUE", "config base_branch --unset"),
    ("doctor --repair", "doctor --repair"),
    ("init", "init"),
    ("interrupt", "interrupt t-1"),
    ("kill-agent", "kill-agent t-1"),
    ("mode", "mode t-1"),
    ("notify --test", "notify --test"),
    ("pause", "pause"),
    ("plan new", "plan new Mine"),
    ("plan write-back", "plan write-back ../../MASTER.md"),
    ("reject", "reject t-2 no"),
    ("restart", "restart"),
    ("restore", "restore nope.db"),
    ("resume", "resume"),
    ("retry", "retry t-2"),
    ("run", "run ../../MASTER.md --trust x"),
    ("server", "server"),
    ("skip", "skip t-2"),
    ("start", "start --plain"),
    ("stop", "stop --all"),
    ("task attic", "task attic t-2"),
    ("task close", "task close t-2 no"),
    ("task create", "task create Mine --release"),
    ("task dep", "task dep t-2 t-1"),
    ("task edit", "task edit t-2"),
    ("task import", "task import ../../tasks.jsonl"),
    ("task merged", "task merged t-2"),
    ("task park", "task park t-2 no"),
    ("task release", "task release t-2"),
    ("task retry", "task retry t-2"),
    ("task update", "task update t-1 --stage merging"),
    ("task withdraw", "task withdraw t-2"),
    ("trust", "trust --forget"),
    ("watch", "watch"),
];

/// Script of the agent. In each way it runs all tries and writes exit codes and commands to the file of that way, then `end`. A file
/// `go-WAY` starts a way.
const AGENT: &str = r#"
attempt() {
    while read -r line; do
        "$PROGRAM" $line </dev/null >>"$1.said" 2>&1
        echo "$? $line" >>"$1"
    done <"$OUT/tries"
    for own in 'task comment t-1 mine' 'task comment t-2 theirs' 'task list' 'why t-2'; do
        "$PROGRAM" $own </dev/null >>"$1.own" 2>&1
        echo "$? $own" >>"$1"
    done
    (cd "$OUT/elsewhere" && printf 'approve t-2\nconfig gates.test true\n' | "$PROGRAM" attach project --plain >>"$1.said" 2>&1)
    echo "$? elsewhere" >>"$1"
    echo end >>"$1"
}
for way in plain cleared escaped alone; do
    until [ -e "$OUT/go-$way" ]; do sleep 0.05; done
    case $way in
    plain) attempt "$OUT/plain" ;;
    cleared) env -i PATH="$PATH" OUT="$OUT" PROGRAM="$PROGRAM" HOME="$HOME" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" sh "$0" "$OUT/cleared" ;;
    *) (env -i PATH="$PATH" OUT="$OUT" PROGRAM="$PROGRAM" HOME="$HOME" XDG_RUNTIME_DIR="$XDG_RUNTIME_DIR" \
        setsid sh "$0" "$OUT/$way" </dev/null >/dev/null 2>&1 &) ;;
    esac
done
until [ -e "$OUT/go-end" ]; do sleep 0.05; done
"#;

struct Impostor {
    story: Story,
}

impl Impostor {
    /// Makes two tasks, and an agent at work on the first.
    fn new() -> Impostor {
        let story = Story::new("");
        let root = story.root();
        let script = root.join("agent.sh");
        let program = env!("CARGO_BIN_EXE_dbs");
        let other = root.join("elsewhere");
        story.git(&root, &["init", "-q", other.to_str().unwrap()]);
        let begin = format!(
            "OUT='{}'\nPROGRAM='{program}'\nXDG_RUNTIME_DIR='{}'\n",
            root.display(),
            root.join("run").display()
        );
        let body = AGENT.replace(
            "for way in",
            "[ -n \"$1\" ] && { attempt \"$1\"; exit; }\nfor way in",
        );
        write_script(&script, format!("{begin}{body}"));
        fs::write(root.join("tries"), tries().join("\n") + "\n").unwrap();
        fs::write(root.join("tasks.jsonl"), "{\"title\": \"Smuggled\"}\n").unwrap();
        let role = format!(
            "[roles.developer]\nagent = \"custom\"\ncommand = \"sh {}\"\n",
            script.display()
        );
        story.configure(&role);
        story.dbs(&["task", "create", "First", "--id", "t-1", "--release"]);
        story.dbs(&["task", "create", "Second", "--id", "t-2"]);
        Impostor { story }
    }

    /// Lets the agent try everything in the given way, and asserts that each command for persons was refused in words.
    fn tries(&self, way: &str) {
        let root = self.story.root();
        fs::write(root.join(format!("go-{way}")), "").unwrap();
        let read = || fs::read_to_string(root.join(way)).unwrap_or_default();
        self.story.wait_until(way, || read().ends_with("end\n"));
        let codes = read();
        let said = fs::read_to_string(root.join(format!("{way}.said"))).unwrap();
        for line in tries() {
            assert!(
                codes.contains(&format!("1 {line}\n")),
                "{way}, {line}: {codes}\n{said}"
            );
        }
        // An agent may read, and comment on its own task; another folder does not help.
        for line in [
            "0 task comment t-1 mine",
            "1 task comment t-2 theirs",
            "0 task list",
            "0 why t-2",
            "1 elsewhere",
        ] {
            assert!(
                codes.contains(&format!("{line}\n")),
                "{way}, {line}: {codes}\n{said}"
            );
        }
        let refused = said.matches("is for persons").count();
        assert_eq!(refused, tries().len() + 1, "{way}: {said}");
    }

    /// Returns what the board and the settings say, without what changes by itself.
    fn state(&self) -> (String, String) {
        let settings = fs::read_to_string(self.story.project().join(".debussy/config.toml")).unwrap();
        let listed = self.story.dbs(&["task", "list"]);
        // The agent's current activity stands in brackets after its name.
        let rows = listed
            .lines()
            .map(|line| line.split_once("  [").map_or(line, |(row, _)| row));
        (rows.collect::<Vec<_>>().join("\n"), settings)
    }
}

/// Returns all tries: the rows, and every other command for persons with a task for each word that it needs.
fn tries() -> Vec<String> {
    let mut tries: Vec<String> = TRIES.iter().map(|(_, line)| (*line).to_owned()).collect();
    for (name, words) in for_persons(&command(), "") {
        if !TRIES.iter().any(|(known, _)| *known == name) {
            tries.push(format!("{name}{}", " t-2".repeat(words)));
        }
    }
    tries
}

/// Returns the commands that are for persons, with and without the arguments that make them so, and how many words each needs.
fn for_persons(command: &clap::Command, before: &str) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for verb in command.get_subcommands() {
        let name = format!("{before}{}", verb.get_name());
        found.extend(for_persons(verb, &format!("{name} ")));
        let Some(facts) = verb.get::<CommandFacts>() else {
            continue;
        };
        let words = verb
            .get_positionals()
            .filter(|word| word.is_required_set())
            .count();
        let with = facts
            .for_persons
            .iter()
            .map(|(_, words)| (format!("{name} {words}"), 0));
        found.extend(with);
        found.extend((facts.callers == Persons).then_some((name, words)));
    }
    found
}

#[test]
fn every_command_for_persons_is_tried() {
    let names = for_persons(&command(), "");
    assert!(names.len() > 40, "{names:?}");
    for (name, _) in names {
        let has_row = TRIES.iter().any(|(known, _)| *known == name);
        assert!(
            has_row || tries().iter().any(|line| line.starts_with(&name)),
            "{name}"
        );
    }
}

#[test]
fn an_agent_that_acts_as_a_person_is_refused_whatever_it_does_to_its_process() {
    let impostor = Impostor::new();
    let story = &impostor.story;
    let server = story.server();
    let at_work = || story.dbs(&["status"]).contains("developer-");
    story.wait_until("the agent works", at_work);
    let before = impostor.state();
    for way in ["plain", "cleared", "escaped"] {
        impostor.tries(way);
        assert_eq!(impostor.state(), before, "{way}");
    }
    let shown = story.dbs(&["task", "show", "t-1"]);
    assert!(shown.contains("mine"), "{shown}");
    assert!(!story.dbs(&["task", "show", "t-2"]).contains("theirs"));
    for command in ["approve", "config KEY VALUE", "task close", "start"] {
        let text = format!("was refused `dbs {command}`");
        assert_eq!(shown.matches(&text).count(), 1, "{command}: {shown}");
    }
    drop(server);
    story.wait_until("the server has gone", || !story.is_live());
    // Without a server, the activity of an agent is unknown.
    let alone = impostor.state();
    assert_eq!(alone.1, before.1, "without a server");
    impostor.tries("alone");
    assert_eq!(impostor.state(), alone, "without a server");
    let others = story.dbs(&["task", "show", "t-2"]);
    assert!(!others.contains("theirs"), "{others}");
    fs::write(story.root().join("go-end"), "").unwrap();
}

/// Step of an agent that writes a file which a gate runs.
const WRITING: &str =
    r#"  { write = "check.sh", text = "\"$DBS_PROGRAM\" task create Smuggled --release\n" },"#;

#[test]
fn what_a_gate_runs_is_refused_what_is_for_persons() {
    let story = Story::new(&working(WRITING));
    let (heard, project) = (story.root().join("heard"), story.project());
    let gate = format!(
        "[gates]\ncheck = \"cp check.sh {0}.sh && cd {1} && sh {0}.sh >{0} 2>&1; true\"\n",
        heard.display(),
        project.display()
    );
    story.configure(&gate);
    let _server = story.server();
    story.wait_until("the server", || story.is_live());
    story.dbs(&["task", "create", "One", "--id", "t-1", "--release"]);
    story.wait_until("the task's end", || story.count("done") == 1);
    let text = fs::read_to_string(heard).unwrap();
    assert!(
        text.contains("`dbs task create` is for persons, and a gate calls"),
        "{text}"
    );
    assert!(!story.dbs(&["task", "list"]).contains("Smuggled"));
    story.dbs(&["stop", "--all"]);
}

/// Test that plays both parts: started again with the marker of an agent, it is a client that attaches without any check of its own.
#[test]
fn a_client_that_an_agent_wrote_itself_is_refused_by_the_server() {
    #[expect(clippy::disallowed_methods, reason = "says which part to play")]
    let socket = std::env::var_os("DBS_STORY_SOCKET");
    if let Some(socket) = socket {
        let socket = Path::new(&socket);
        return println!("{}\n{}\n{}", attach(socket), shout(socket), crowd(socket));
    }
    let story = Story::new("");
    let mut server = story.server();
    story.wait_until("a server", || story.is_live());
    let runtime = fs::read_dir(story.root().join("run/dbs")).unwrap();
    let socket = runtime
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "sock"))
        .unwrap();
    let number = socket.file_stem().unwrap().to_str().unwrap().to_owned();
    let client = |marker: &str| {
        let mut client = story.outside(std::env::current_exe().unwrap().to_str().unwrap());
        let name = "impostor::a_client_that_an_agent_wrote_itself_is_refused_by_the_server";
        client.args([name, "--exact", "--nocapture"]);
        client.env("DBS_STORY_SOCKET", &socket).env("DBS_MARKER", marker);
        said(&client.output().unwrap())
    };
    let refused = client(&format!("dbs-{number}-1"));
    assert!(refused.contains("`dbs attach` is for persons"), "{refused}");
    assert!(refused.contains("4194304 are the most for its kind"), "{refused}");
    assert!(refused.contains("one agent may hold 32 open"), "{refused}");
    let shell = client(&format!("dbs-{number}-shell-1-5"));
    assert!(
        shell.contains("a screen") && shell.contains("all were taken"),
        "{shell}"
    );
    story.dbs(&["stop", "--all"]);
    server.0.wait().unwrap();
}

/// Returns the answer of a server to a signal that is far too long.
fn shout(socket: &Path) -> String {
    let signal = SignalSent {
        attempt: AttemptId(1),
        token: String::new(),
        kind: SignalKind::Progress,
        text: "x".repeat(6 * 1024 * 1024),
        report: None,
        key: "k".to_owned(),
        is_comment: false,
    };
    let answer = blocking_runtime()
        .unwrap()
        .block_on(call_once(socket, ServerCall::Signal(signal)));
    answer.unwrap_err().to_string()
}

/// Returns the answer of a server to a client that opens more and more connections and keeps them.
fn crowd(socket: &Path) -> String {
    blocking_runtime().unwrap().block_on(async {
        let mut held = Vec::new();
        for _ in 0..40 {
            match greet(socket).await {
                Ok(connection) => held.push(connection),
                Err(error) => return error.to_string(),
            }
        }
        "all were taken".to_owned()
    })
}

/// Returns the answer of a server to a client that attaches.
fn attach(socket: &Path) -> String {
    let request = AttachRequest {
        cols: 80,
        rows: 24,
        caps: DisplayCaps {
            palette: ColourDepth::True,
            glyphs: Glyphs::Ascii,
            ground: None,
        },
        remote: false,
        outer: None,
        theme: None,
        alt_is_escape: false,
    };
    blocking_runtime().unwrap().block_on(async {
        let (mut sender, mut receiver) = greet(socket).await.unwrap();
        send(&mut sender, &FromClient::Attach(request)).await.unwrap();
        loop {
            match receive(&mut receiver).await.unwrap() {
                Some(Packet::Message(FromServer::Bye(why))) => return why,
                Some(Packet::Frame(..)) => return "a screen".to_owned(),
                Some(_) => {}
                None => return "nothing".to_owned(),
            }
        }
    })
}
