//! An agent that acts as a person: it tries every command that is for persons, also with a cleared environment, out of its session
//! and from another folder, with a server and without one. Nothing changes, and the task says what was tried.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use dbs::protocol::callers::{AllowedCallers, COMMANDS};

use crate::driver::Story;

/// The commands of the table that are for persons, as one types them; `trust` is in the table before the program has it.
const TRIES: &[(&str, &str)] = &[
    ("answer", "answer t-2 yes"),
    ("approve", "approve t-2"),
    ("attach", "attach --plain"),
    ("config KEY VALUE", "config gates.test true"),
    ("config KEY VALUE", "config roles.reviewer.command true"),
    ("config KEY VALUE", "config base_branch --unset"),
    ("init", "init"),
    ("kill-agent", "kill-agent t-1"),
    ("notify --test", "notify --test"),
    ("pause", "pause"),
    ("reject", "reject t-2 no"),
    ("resume", "resume"),
    ("retry", "retry t-2"),
    ("server", "server"),
    ("skip", "skip t-2"),
    ("start", "start --plain"),
    ("stop", "stop --all"),
    ("task close", "task close t-2 no"),
    ("task create", "task create Mine --release"),
    ("task dep", "task dep t-2 t-1"),
    ("task edit", "task edit t-2"),
    ("task import", "task import ../../../tasks.jsonl"),
    ("task park", "task park t-2 no"),
    ("task release", "task release t-2"),
    ("task retry", "task retry t-2"),
    ("task update", "task update t-1 --stage merging"),
    ("task withdraw", "task withdraw t-2"),
    ("watch", "watch"),
];

/// The agent: each way runs all tries; the lines of a way's file are exit codes and commands, then `end`. It works while `go` says
/// which way is next.
const AGENT: &str = r#"
attempt() {
    while read -r line; do
        "$PROGRAM" $line </dev/null >>"$1.said" 2>&1
        echo "$? $line" >>"$1"
    done <"$OUT/tries"
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
    /// Two tasks, and an agent at work on the first.
    fn new() -> Impostor {
        let story = Story::new("");
        let root = story.root();
        let script = root.join("agent.sh");
        let program = env!("CARGO_BIN_EXE_dbs");
        let begin = format!(
            "OUT='{}'\nPROGRAM='{program}'\nXDG_RUNTIME_DIR='{}'\n",
            root.display(),
            root.join("run").display()
        );
        let body = AGENT.replace(
            "for way in",
            "[ -n \"$1\" ] && { attempt \"$1\"; exit; }\nfor way in",
        );
        fs::write(&script, format!("{begin}{body}")).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let lines: String = TRIES.iter().map(|(_, line)| format!("{line}\n")).collect();
        fs::write(root.join("tries"), lines).unwrap();
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

    /// Lets the agent go that way, and waits until it has tried everything. All of it was refused in words.
    fn tries(&self, way: &str) {
        let root = self.story.root();
        fs::write(root.join(format!("go-{way}")), "").unwrap();
        let read = || fs::read_to_string(root.join(way)).unwrap_or_default();
        self.story.wait_until(way, || read().ends_with("end\n"));
        let codes = read();
        let said = fs::read_to_string(root.join(format!("{way}.said"))).unwrap();
        for (_, line) in TRIES {
            assert!(
                codes.contains(&format!("1 {line}\n")),
                "{way}, {line}: {codes}\n{said}"
            );
        }
        let refused = said.matches("is for persons").count();
        assert_eq!(refused, TRIES.len(), "{way}: {said}");
    }

    /// What the board and the settings say, without what changes by itself.
    fn state(&self) -> (String, String) {
        let settings = fs::read_to_string(self.story.project().join(".debussy/config.toml")).unwrap();
        (self.story.dbs(&["task", "list"]), settings)
    }
}

#[test]
fn every_command_for_persons_is_tried() {
    let persons = COMMANDS.iter().filter(|(_, who)| *who == AllowedCallers::Persons);
    for (name, _) in persons {
        let tried = TRIES.iter().any(|(known, _)| known == name);
        assert!(tried || *name == "trust", "{name} is not tried");
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
    for command in ["approve", "config KEY VALUE", "task close", "start"] {
        let text = format!("was refused `dbs {command}`");
        assert_eq!(shown.matches(&text).count(), 1, "{command}: {shown}");
    }
    drop(server);
    story.wait_until("the server has gone", || !story.is_live());
    impostor.tries("alone");
    assert_eq!(impostor.state(), before, "without a server");
    fs::write(story.root().join("go-end"), "").unwrap();
}
