//! Rules for every command, with and without a server. The commands come from the command line itself; the table lists those that need
//! words or behave differently there.

use Ends::{Elsewhere, Refused, Tells, Well};
use clap::Command;
use serde_json::Value;

use crate::shop::{Said, Shop};

/// A command, and its results in places where it cannot do its work.
struct Case {
    /// The command.
    path: &'static str,
    /// Words that name something missing, or that are never understood.
    unknown: &'static [&'static str],
    /// Exit code for those words.
    code: i32,
    /// Words that would work if everything they need existed.
    sound: &'static [&'static str],
    /// Result of the sound words outside of a repository.
    outside: Ends,
    /// Result of the sound words in a repository without origin and without a server.
    bare: Ends,
}

/// Result of a command.
#[derive(Clone, Copy)]
enum Ends {
    /// Success.
    Well,
    /// Refusal in one sentence that contains this text.
    Refused(&'static str),
    /// Report that names what is missing.
    Tells(&'static str),
    /// Success with a project of its own.
    Elsewhere,
}

const GIT: Ends = Refused("git repository");
const NOPE: Ends = Refused("nope");
const AGENT: Ends = Refused("DBS_ATTEMPT");

const fn case(
    path: &'static str,
    (unknown, code): (&'static [&'static str], i32),
    sound: &'static [&'static str],
    (outside, bare): (Ends, Ends),
) -> Case {
    Case {
        path,
        unknown,
        code,
        sound,
        outside,
        bare,
    }
}

/// Case of a command that is not in the table: it takes no words, needs a repository, and nothing else.
const USUAL: Case = case("", (&["--nope"], 2), &[], (GIT, Well));

/// Cases of the commands that need words or behave differently in such places.
#[rustfmt::skip]
const CASES: &[Case] = &[
    case("start", (&["--nope"], 2), &["--plain"], (GIT, Refused("origin"))),
    case("watch", (&["--nope"], 2), &[], (GIT, Refused("origin"))),
    case("attach", (&["nope"], 1), &["--plain"], (GIT, Refused("no server runs"))),
    case("sessions", (&["nope"], 2), &[], (Well, Well)),
    case("upgrade", (&["nope"], 2), &[], (Well, Well)),
    case("restart", (&["nope"], 2), &[], (GIT, Refused("origin"))),
    case("audit", (&["nope.md"], 1), &["nope.md"], (Refused("nope"), Refused("nope"))),
    case("atdd run", (&["nope.json"], 1), &["nope.json"], (GIT, Refused("nope"))),
    case("atdd check", (&["nope.json"], 1), &["nope.json"], (Refused("nope"), Refused("nope"))),
    case("atdd new", (&["nope.md"], 1), &["nope.md"], (GIT, Refused("nope"))),
    case("atdd setup", (&["nope"], 2), &[], (Tells("git repository"), Tells("origin"))),
    case("atdd status", (&["nope"], 2), &[], (GIT, Refused("no base branch is set"))),
    case("atdd history", (&["nope"], 2), &[], (GIT, Refused("no base branch is set"))),
    case("run", (&["nope.md"], 1), &["nope.md"], (GIT, Refused("nope"))),
    case("import", (&["nope.db"], 1), &["nope.db"], (NOPE, NOPE)),
    case("convert", (&["nope.md"], 1), &["nope.md"], (GIT, Refused("nope"))),
    case("design", (&["Export", "--output", "nope"], 2), &["-"], (GIT, Refused("has no name"))),
    case("plan new", (&["nope|"], 1), &["nope|"], (GIT, Refused("could not make a plan"))),
    case("plan write-back", (&["nope.md"], 1), &["nope.md"], (GIT, Refused("nope"))),
    case("kill-agent", (&["nope"], 1), &["t-1"], (GIT, Refused("t-1"))),
    case("interrupt", (&["nope"], 1), &["t-1"], (GIT, Refused("no turn to end"))),
    case("conduct", (&["--nope"], 2), &["Plan"], (GIT, Well)),
    case("mode", (&["nope"], 1), &["t-1"], (GIT, Refused("works in one way only"))),
    case("task create", (&["New", "--deps", "nope"], 1), &["New"], (GIT, Well)),
    case("batch create", (&["new", "--needs", "nope"], 1), &["new"], (GIT, Well)),
    case("batch show", (&["nope"], 1), &["main"], (GIT, Well)),
    case("batch update", (&["nope", "--goal", "sell"], 1), &["main", "--goal", "sell"], (GIT, Well)),
    case("task import", (&["nope.jsonl"], 1), &["nope.jsonl"], (GIT, NOPE)),
    case("task show", (&["nope"], 1), &["t-1"], (GIT, Well)),
    case("task list", (&["--stage", "nope"], 1), &[], (GIT, Well)),
    case("task update", (&["nope", "--priority", "1"], 1), &["t-1", "--priority", "1"], (GIT, Well)),
    case("task edit", (&["nope"], 1), &["nope"], (GIT, NOPE)),
    case("task comment", (&["nope", "word"], 1), &["t-1", "word"], (GIT, Well)),
    case("task dep", (&["t-1", "nope"], 1), &["t-1", "t-2"], (GIT, Well)),
    case("task release", (&["t-1", "nope"], 1), &["t-3"], (GIT, Well)),
    case("task withdraw", (&["nope"], 1), &["t-1"], (GIT, Well)),
    case("task park", (&["nope", "why"], 1), &["t-1", "why"], (GIT, Well)),
    case("task close", (&["nope", "why"], 1), &["t-4", "why"], (GIT, Well)),
    case("task merged", (&["nope"], 1), &["t-1"], (GIT, Refused("not left on its branch"))),
    case("task attic", (&["nope"], 1), &["t-1"], (GIT, Refused("origin"))),
    case(
        "pull",
        (&["--nope"], 2),
        &[],
        (GIT, Refused("no base branch is set")),
    ),
    case("diff", (&["nope"], 1), &["t-1"], (GIT, Refused("has not started"))),
    case("why", (&["nope"], 1), &["t-1"], (GIT, Well)),
    case("approve", (&["nope"], 1), &["t-2"], (GIT, Refused("does not wait for approval"))),
    case("reject", (&["nope", "why"], 1), &["t-2", "why"], (GIT, Refused("has no work to reject"))),
    case("skip", (&["nope"], 1), &["t-5"], (GIT, Well)),
    case("retry", (&["nope"], 1), &["t-4"], (GIT, Refused("create a new task"))),
    case("answer", (&["nope", "word"], 1), &["t-2", "word"], (GIT, Refused("no server runs"))),
    case("signal", (&["nope"], 2), &["claim"], (AGENT, AGENT)),
    case("done", (&["--nope"], 2), &[], (AGENT, AGENT)),
    case("progress", (&["--nope"], 2), &["word"], (AGENT, AGENT)),
    case("mcp", (&["nope"], 2), &[], (AGENT, AGENT)),
    case("config", (&["nope", "1"], 1), &[], (GIT, Well)),
    case("workflow list", (&["nope"], 2), &[], (Well, Well)),
    case("workflow show", (&["nope"], 1), &[], (Well, Well)),
    case("workflow check", (&["nope.toml"], 1), &[], (GIT, Well)),
    case("prompt", (&["nope"], 1), &["t-1"], (GIT, Refused("no base branch is set"))),
    case("logs", (&["nope"], 1), &[], (GIT, Well)),
    case("events", (&["--since", "nope"], 2), &[], (GIT, Well)),
    case("agents", (&["nope"], 2), &[], (Well, Well)),
    case("doctor", (&["nope"], 2), &[], (Tells("git repository"), Tells("origin"))),
    case("restore", (&["nope.db"], 1), &["nope.db"], (GIT, Refused("nope.db"))),
    case("init", (&["--nope"], 2), &[], (GIT, Refused("origin"))),
    case("demo", (&["--speed", "nope"], 2), &[], (Elsewhere, Elsewhere)),
    case("keys", (&["--preset", "nope"], 1), &[], (Well, Well)),
    case("help", (&["nope"], 2), &[], (Well, Well)),
    case("cost", (&["--by", "nope"], 2), &[], (GIT, Well)),
    case("man", (&[".git/HEAD/nope"], 1), &[], (Well, Well)),
    case("batch release", (&["nope"], 1), &["main"], (GIT, Well)),
    case("clean", (&["nope"], 2), &["--builds"], (GIT, Refused("origin"))),
    case("clear", (&["nope"], 2), &["--confirm", "project"], (GIT, Refused("origin"))),
    case("completions", (&["nope"], 2), &["bash"], (Well, Well)),
];

/// Commands without JSON output, and the reason.
const WITHOUT_JSON: &[(&str, &str)] = &[
    ("start", "it draws a screen"),
    ("attach", "it draws a screen"),
    ("man", "it prints a page for man"),
    ("completions", "it prints a script"),
    ("help", "it prints help for people"),
    ("mcp", "it prints nothing but JSON"),
];

fn verbs(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let path = format!("{path} {}", verb.get_name()).trim().to_owned();
        if verb.has_subcommands() {
            verbs(verb, &path, found);
        } else {
            found.push((path, verb.clone()));
        }
    }
}

fn all_verbs() -> Vec<(String, Command)> {
    let mut found = Vec::new();
    verbs(&dbs::cli::commands::command_line::command(), "", &mut found);
    found
}

/// Every command with its case.
fn cases() -> Vec<(String, &'static Case)> {
    let case = |path: &str| CASES.iter().find(|case| case.path == path).unwrap_or(&USUAL);
    let verbs = all_verbs().into_iter();
    verbs.map(|(path, _)| (path.clone(), case(&path))).collect()
}

fn has_json(path: &str) -> bool {
    let verb = all_verbs().into_iter().find(|(name, _)| name == path).unwrap().1;
    verb.get_arguments().any(|arg| arg.get_long() == Some("json"))
}

fn words<'a>(path: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    path.split(' ').chain(more.iter().copied()).collect()
}

/// Asserts that a refusal is clear: one sentence from the program, or the mistake and the way out from the command line.
fn is_clear(said: &Said, what: &str) {
    assert!(!said.err.contains("panicked"), "{what}: {said:?}");
    if said.code == 2 {
        assert!(
            said.err.starts_with("error: ") && said.err.contains("--help"),
            "{what}: {said:?}"
        );
        return;
    }
    let mut lines = said.err.lines();
    let sentence = lines.next().unwrap_or_default();
    assert!(
        sentence.starts_with("dbs: ") && sentence.len() > 20,
        "{what}: {said:?}"
    );
    assert!(!sentence.ends_with('.'), "{what}: {said:?}");
    assert_eq!(lines.next(), None, "{what}: {said:?}");
}

#[test]
fn the_table_has_no_command_that_is_not_there() {
    let all = all_verbs();
    let is_there = |case: &&Case| all.iter().any(|(path, _)| path == case.path);
    let lost: Vec<&str> = CASES
        .iter()
        .filter(|case| !is_there(case))
        .map(|case| case.path)
        .collect();
    assert_eq!(lost, Vec::<&str>::new());
}

#[test]
fn every_command_has_help_with_examples_and_json_where_it_prints() {
    let shop = Shop::new();
    for (path, verb) in all_verbs() {
        let help = shop.does(&words(&path, &["--help"]));
        assert!(
            help.contains("Usage: ") && help.contains("Examples:"),
            "{path}: {help}"
        );
        let begin = format!("dbs {path}");
        let (_, examples) = help.split_once("Examples:\n").unwrap();
        assert!(
            examples.contains(&begin),
            "{path} is not in its own examples: {help}"
        );
        assert!(verb.get_about().is_some(), "{path} has no description");
        let silent = WITHOUT_JSON.iter().any(|(name, _)| *name == path);
        assert_ne!(has_json(&path), silent, "{path}");
    }
}

/// Notices of all events. Requests are stored even if they led to nothing, but have no notices.
fn told(shop: &Shop) -> Vec<Value> {
    let text = shop.does(&["events", "--json"]);
    let lines = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines
        .map(|line| line["notices"].clone())
        .filter(|notices| *notices != serde_json::json!([]))
        .collect()
}

fn what_is_unknown_is_refused(shop: &Shop) {
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    for (path, case) in cases() {
        let words = words(&path, case.unknown);
        let before = (shop.board(), told(shop));
        let said = shop.run(&words);
        assert_eq!(said.code, case.code, "{words:?}: {said:?}");
        assert_eq!(said.out, "", "{words:?}");
        is_clear(&said, &format!("{words:?}"));
        assert!(
            said.err.contains("nope"),
            "{words:?} is refused without the name: {said:?}"
        );
        assert_eq!((shop.board(), told(shop)), before, "{words:?} changed something");
    }
}

#[test]
fn every_command_refuses_what_is_unknown_and_changes_nothing() {
    what_is_unknown_is_refused(&Shop::new());
}

#[test]
fn every_command_refuses_what_is_unknown_with_a_server_too() {
    let shop = Shop::served();
    shop.does(&["pause"]);
    what_is_unknown_is_refused(&shop);
}

fn ends(said: &Said, ends: Ends, what: &str) {
    match ends {
        Well => assert!(said.code == 0 && !said.out.is_empty(), "{what}: {said:?}"),
        Refused(why) => {
            assert!(
                said.code == 1 && said.out.is_empty() && said.err.contains(why),
                "{what}: {said:?}"
            );
            is_clear(said, what);
        }
        Tells(text) => assert!(said.code == 1 && said.out.contains(text), "{what}: {said:?}"),
        Elsewhere => {}
    }
}

#[test]
fn outside_of_a_repository_every_command_says_so_or_does_not_need_one() {
    let shop = Shop::new();
    let outside = shop.git.root().join("home");
    for (path, case) in cases()
        .iter()
        .filter(|(_, case)| !matches!(case.outside, Elsewhere))
    {
        let words = words(path, case.sound);
        ends(
            &shop.run_in(&outside, &words),
            case.outside,
            &format!("{words:?}"),
        );
        let left: Vec<_> = std::fs::read_dir(&outside).unwrap().collect();
        assert!(left.is_empty(), "{words:?} left {left:?}");
    }
}

/// Runs all commands in a repository without origin and without a server, in the order of the table, with text or JSON output.
fn all_ends(as_json: bool) {
    let shop = Shop::new();
    for id in ["t-1", "t-2", "t-3", "t-4", "t-5"] {
        shop.does(&["task", "create", "Fix", "--id", id]);
    }
    shop.git.git(&shop.git.project(), &["remote", "remove", "origin"]);
    // Each command relies on the effects of those before it.
    let mut cases = cases();
    let place = |path: &str| CASES.iter().position(|case| case.path == path);
    cases.sort_by_key(|(path, _)| place(path));
    for (path, case) in cases.iter().filter(|(_, case)| !matches!(case.bare, Elsewhere)) {
        let mut words = words(path, case.sound);
        let asked = as_json && has_json(path);
        words.extend(asked.then_some("--json"));
        let said = shop.run(&words);
        if let (true, Refused(_)) = (asked, case.bare) {
            assert_eq!(said.code, 1, "{words:?}: {said:?}");
            is_clear(&said, &format!("{words:?}"));
        } else {
            ends(&said, case.bare, &format!("{words:?}"));
        }
        let bad = |line: &&str| serde_json::from_str::<Value>(line).is_err();
        let bad = said.out.lines().find(bad).filter(|_| asked);
        assert_eq!(bad, None, "{words:?}");
    }
}

#[test]
fn without_origin_and_server_every_command_that_needs_neither_works() {
    all_ends(false);
}

#[test]
fn without_origin_and_server_every_command_prints_json_when_asked_to() {
    all_ends(true);
}

/// Commands with the arguments and the effect of another command, which no list shows.
#[test]
fn why_and_retry_are_understood_behind_task_too() {
    let shop = Shop::new();
    shop.does(&["task", "create", "Fix", "--id", "t-1"]);
    assert_eq!(shop.does(&["task", "why", "t-1"]), shop.does(&["why", "t-1"]));
    let (behind, alone) = (shop.run(&["task", "retry", "nope"]), shop.run(&["retry", "nope"]));
    assert_eq!((behind.code, &behind.err), (1, &alone.err));
    assert!(shop.does(&["task", "retry", "--help"]).contains("--note"));
}

#[test]
fn a_group_without_a_command_and_a_command_nobody_knows_are_wrong_use() {
    let shop = Shop::new();
    for words in [&["task"][..], &["workflow"]] {
        let said = shop.run(words);
        assert!(
            said.code == 2 && said.err.contains("Usage: "),
            "{words:?}: {said:?}"
        );
    }
    for words in [&["nope"][..], &["task", "nope"], &["workflow", "nope"]] {
        let said = shop.run(words);
        assert_eq!(said.code, 2, "{words:?}");
        is_clear(&said, &format!("{words:?}"));
    }
}

/// Every text in backticks that begins with the program's name, in the texts of the program, with its place.
fn named_commands() -> Vec<(String, String)> {
    fn collect(folder: &std::path::Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, found);
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            // A wrapped text continues after the blanks of the next line.
            let text = text.replace("\\\n", "");
            let pieces = text.split("`dbs ").skip(1);
            let commands = pieces.filter_map(|rest| rest.split_once('`'));
            found.extend(commands.map(|(command, _)| (command.to_owned(), path.display().to_string())));
        }
    }
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["src", "docs", "assets"] {
        collect(&root.join(folder), &mut found);
    }
    found
}

#[test]
fn every_command_that_is_named_anywhere_exists() {
    let all = dbs::cli::commands::command_line::command();
    let rows = "conformance.md";
    let mut bad = Vec::new();
    for (named, place) in named_commands() {
        // Open rows of `conformance.md` name commands as their seeds do; `hold` is a program of its own.
        if place.ends_with(rows) || named.starts_with("hold") {
            continue;
        }
        let mut at = &all;
        for word in named.split_whitespace() {
            let is_word = word.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !word.starts_with('-');
            if !is_word || !at.has_subcommands() {
                break;
            }
            let Some(next) = at.find_subcommand(word) else {
                bad.push(format!("`dbs {named}` in {place}"));
                break;
            };
            at = next;
        }
    }
    assert_eq!(bad, Vec::<String>::new());
}
