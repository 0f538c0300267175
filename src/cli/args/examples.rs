//! Examples under the help of every command. A test keeps the table complete.

use clap::error::ErrorKind;
use clap::{Command, CommandFactory as _};

use crate::cli::args::{CliArgs, groups};

/// Command and its examples, one a line.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "start",
        "dbs start\ndbs start \"Let people export their orders\"\ndbs start --paused\ndbs start --plain\ndbs start --theme high-contrast",
    ),
    ("watch", "dbs watch\ndbs watch --json >events.jsonl"),
    ("attach", "dbs attach\ndbs attach shop\ndbs attach --plain"),
    ("sessions", "dbs sessions\ndbs sessions --json"),
    ("agents", "dbs agents\ndbs agents --json"),
    ("mcp", "dbs mcp"),
    ("stop", "dbs stop\ndbs stop --all\ndbs stop --now"),
    ("restart", "dbs restart\ndbs restart --now"),
    ("upgrade", "dbs upgrade"),
    ("clear", "dbs clear\ndbs clear --confirm shop"),
    (
        "status",
        "dbs status\ndbs status --run invoice-export\ndbs status --json",
    ),
    ("history", "dbs history\ndbs history --limit 50 --json"),
    ("board", "dbs board\ndbs board --watch"),
    (
        "audit",
        "dbs audit docs/MASTER.md\ndbs audit docs/MASTER.md --strict --json",
    ),
    (
        "run",
        "dbs run docs/MASTER.md --dry-run\ndbs run docs/MASTER.md --interactive\ndbs run docs/MASTER.md --phase 3 --parallel\ndbs run docs/MASTER.md --done 1,2\ndbs run docs/MASTER.md --resume\ndbs run docs/MASTER.md --headless --trust HASH --output both\ndbs execute\ndbs run .design/plan.json --dry-run",
    ),
    (
        "import",
        "dbs import\ndbs import ../shop/.debussy/state.db --json",
    ),
    (
        "convert",
        "dbs convert ideas.md\ndbs convert ideas.md --name \"Invoice export\" --agent claude",
    ),
    (
        "design",
        "dbs design 'Let people export their invoices as CSV'\ndbs design - --name export <goal.md",
    ),
    ("plan new", "dbs plan new \"Invoice export\" --phases 4"),
    (
        "plan write-back",
        "dbs plan write-back docs/MASTER.md\ndbs plan write-back .design/plan.json",
    ),
    (
        "atdd run",
        "dbs atdd run\ndbs atdd run prds --dry-run\ndbs stories run --headless --output both",
    ),
    ("atdd init", "dbs atdd init\ndbs stories init"),
    (
        "atdd check",
        "dbs atdd check\ndbs atdd check prds/001-FEAT-export.json --strict",
    ),
    ("atdd setup", "dbs atdd setup\ndbs atdd setup --json"),
    (
        "atdd new",
        "dbs atdd new ideas.md\ndbs atdd new - --name export <ideas.md",
    ),
    ("atdd status", "dbs atdd status\ndbs atdd status --json"),
    ("atdd history", "dbs atdd history\ndbs atdd history --limit 3"),
    ("pause", "dbs pause"),
    ("resume", "dbs resume"),
    (
        "kill-agent",
        "dbs kill-agent developer-ravel\ndbs kill-agent dbs-1",
    ),
    ("interrupt", "dbs interrupt dbs-1"),
    ("mode", "dbs mode dbs-1\ndbs mode dbs-1 visible"),
    (
        "conduct",
        "dbs conduct \"Let people export their orders\"\ndbs conduct",
    ),
    (
        "task create",
        "dbs task create \"Fix login\" -d \"src/login.rs: …\" --type bug --priority 1\ndbs task create \"Fix login\" -d - <notes.md\ndbs task create \"Add CSV export\" --deps dbs-1 --tag security --release",
    ),
    (
        "batch create",
        "dbs batch create billing --title \"Invoices\" --base feature/billing\ndbs batch create mails --needs billing --goal - <goal.md\ndbs batch create export --base feature/export --acceptance\ndbs task create \"Send an invoice\" --batch mails",
    ),
    ("batch list", "dbs batch list\ndbs batch list --json"),
    ("batch show", "dbs batch show billing"),
    (
        "batch update",
        "dbs batch update billing --base feature/billing-2\ndbs batch update mails --no-needs",
    ),
    ("batch release", "dbs batch release billing"),
    (
        "task import",
        "dbs task import plan.jsonl\ndbs task import - <tasks.json",
    ),
    ("task show", "dbs task show dbs-1"),
    (
        "task list",
        "dbs task list\ndbs task list --state held --json\ndbs task list --stage reviewing",
    ),
    ("task ready", "dbs task ready"),
    (
        "task update",
        "dbs task update dbs-1 --priority 0 --add-tag priority\ndbs task update dbs-1 --stage development\ndbs task update dbs-1 --gate lint='make lint' --timeout 90m",
    ),
    (
        "task comment",
        "dbs task comment dbs-1 \"use the parser we have\"",
    ),
    (
        "task dep",
        "dbs task dep dbs-2 dbs-1\ndbs task dep dbs-2 dbs-1 --remove",
    ),
    ("task release", "dbs task release dbs-1 dbs-2"),
    ("task withdraw", "dbs task withdraw dbs-1"),
    ("task edit", "dbs task edit dbs-1"),
    ("keys", "dbs keys\ndbs keys --check\ndbs keys --preset vim"),
    ("task park", "dbs task park dbs-1 \"after the release\""),
    ("task close", "dbs task close dbs-1 \"not wanted any more\""),
    (
        "task retry",
        "dbs task retry dbs-1 --note \"the test server is back\"",
    ),
    ("task why", "dbs task why dbs-1"),
    ("task attic", "dbs task attic dbs-1"),
    ("diff", "dbs diff dbs-1\ndbs diff dbs-1 --review"),
    ("why", "dbs why dbs-1\ndbs why developer-ravel --sources"),
    ("approve", "dbs approve dbs-1"),
    ("reject", "dbs reject dbs-1 \"the empty file is not handled\""),
    ("skip", "dbs skip dbs-1"),
    (
        "retry",
        "dbs retry dbs-1\ndbs retry dbs-1 --stage development --note \"begin again\"\ndbs retry dbs-1 --clean",
    ),
    ("answer", "dbs answer dbs-1 \"yes, delete it\""),
    (
        "signal",
        "dbs signal claim\ndbs signal done \"all tests pass\"\ndbs signal reject \"src/lib.rs:12: panics on empty input\"\ndbs signal block \"needs a key I do not have\"",
    ),
    (
        "done",
        "dbs done \"all tests pass\"\ndbs done --report result.json",
    ),
    ("progress", "dbs progress \"the parser works\""),
    (
        "config",
        "dbs config\ndbs config base_branch develop\ndbs config max_total_agents --explain\ndbs config max_total_agents --unset",
    ),
    ("workflow list", "dbs workflow list"),
    (
        "workflow show",
        "dbs workflow show\ndbs workflow show investigation",
    ),
    (
        "workflow check",
        "dbs workflow check\ndbs workflow check .debussy/workflows/own.toml",
    ),
    (
        "prompt",
        "dbs prompt dbs-1\ndbs prompt dbs-1 --role reviewer\ndbs prompt --list",
    ),
    (
        "logs",
        "dbs logs\ndbs logs --follow\ndbs logs dbs-1\ndbs logs 12 --raw >output\ndbs logs 12 --cast >agent.cast",
    ),
    (
        "events",
        "dbs events --json\ndbs events --json --follow --since 812",
    ),
    (
        "trust",
        "dbs trust show\ndbs trust diff\ndbs trust --hash HASH\ndbs trust --forget\ndbs trust --origin git@example.org:shop.git",
    ),
    ("debug", "dbs debug\ndbs debug --json"),
    ("doctor", "dbs doctor\ndbs doctor --repair"),
    ("backup", "dbs backup\ndbs backup ~/shop.db"),
    ("restore", "dbs restore ~/shop.db"),
    ("notify", "dbs notify\ndbs notify --test"),
    (
        "init",
        "dbs init\ndbs init \"Invoice export\" --phases 4 --template backend",
    ),
    (
        "demo",
        "dbs demo\ndbs demo --plan\ndbs demo --stories\ndbs demo --plain\ndbs demo --headless --speed 10\ndbs demo --agent claude",
    ),
    ("help", "dbs help\ndbs help task create"),
    ("cost", "dbs cost\ndbs cost --by day\ndbs cost --by role --json"),
    ("metrics", "dbs metrics\ndbs metrics --json"),
    ("man", "dbs man ~/.local/share/man/man1\ndbs man >dbs.1"),
    (
        "completions",
        "dbs completions bash >~/.local/share/bash-completion/completions/dbs\ndbs completions fish >~/.config/fish/completions/dbs.fish",
    ),
];

/// Returns the whole command line, with its commands in groups and with examples.
pub fn command() -> Command {
    let mut all = CliArgs::command();
    // What is deferred has to be there to be given an example.
    all.build();
    for (path, examples) in EXAMPLES {
        let lines: Vec<String> = examples.lines().map(|line| format!("  {line}")).collect();
        let text = format!("Examples:\n{}", lines.join("\n"));
        let words: Vec<&str> = path.split(' ').collect();
        all = with(all, &words, &text);
    }
    groups::with_groups(all)
}

/// Returns the help of a command, or the error that no such command exists, as clap reports both.
pub fn help_of(words: &[String]) -> clap::Error {
    let words = words.iter().map(String::as_str);
    let typed = ["dbs"].into_iter().chain(words).chain(["--help"]);
    match command().try_get_matches_from(typed) {
        Err(help) => help,
        Ok(_) => command().error(ErrorKind::InvalidSubcommand, "this command has no help"),
    }
}

fn with(command: Command, path: &[&str], text: &str) -> Command {
    match path.split_first() {
        None => command.after_help(text.to_owned()),
        Some((first, rest)) => command.mut_subcommand(*first, |verb| with(verb, rest, text)),
    }
}

#[cfg(test)]
mod tests {
    use std::any::TypeId;

    use super::*;

    fn bare(command: &Command, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
            let path = format!("{path} {}", verb.get_name());
            if verb.has_subcommands() {
                found.extend(bare(verb, &path));
            } else if verb.get_after_help().is_none() {
                found.push(path);
            }
        }
        found
    }

    #[test]
    fn every_command_shows_examples() {
        assert_eq!(bare(&command(), "dbs"), Vec::<String>::new());
    }

    #[test]
    fn every_example_is_a_command_that_can_be_read() {
        let sound = |line: &str| {
            let line = line.split(" >").next().unwrap();
            let line = line.split(" <").next().unwrap();
            command().try_get_matches_from(shell_words::split(line).unwrap())
        };
        for line in EXAMPLES.iter().flat_map(|(_, lines)| lines.lines()) {
            assert!(sound(line).is_ok(), "{line}: {:?}", sound(line).err());
        }
        command().debug_assert();
    }

    /// Numbers without a sign that leads to "unexpected argument" instead of the allowed range.
    fn unsigned(command: &Command, path: &str, found: &mut Vec<String>) {
        for verb in command.get_subcommands() {
            let path = format!("{path} {}", verb.get_name());
            unsigned(verb, &path, found);
            for argument in verb.get_arguments() {
                let kind = argument.get_value_parser().type_id();
                let is_number = kind == TypeId::of::<u8>()
                    || kind == TypeId::of::<u32>()
                    || kind == TypeId::of::<u64>()
                    || kind == TypeId::of::<usize>()
                    || kind == TypeId::of::<f64>();
                let takes_values = argument.get_action().takes_values();
                if is_number && takes_values && !argument.is_allow_negative_numbers_set() {
                    found.push(format!("{path} {}", argument.get_id()));
                }
            }
        }
    }

    #[test]
    fn every_number_may_be_typed_with_a_sign() {
        let mut found = Vec::new();
        unsigned(&command(), "dbs", &mut found);
        assert_eq!(found, Vec::<String>::new());
    }

    #[test]
    fn the_help_of_a_command_is_what_its_flag_prints() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let flag = command().try_get_matches_from(["dbs", "task", "create", "--help"]);
        let asked = help_of(&words("task create"));
        assert_eq!(asked.render().to_string(), flag.unwrap_err().render().to_string());
        assert_eq!(help_of(&[]).kind(), ErrorKind::DisplayHelp);
        for unknown in ["nope", "rehearse"] {
            assert_eq!(
                help_of(&words(unknown)).kind(),
                ErrorKind::InvalidSubcommand,
                "{unknown}"
            );
        }
    }
}
