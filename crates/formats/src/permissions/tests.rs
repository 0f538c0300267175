use super::*;

fn rules(text: &str) -> Vec<PermissionRule> {
    read_setting(text).unwrap().0
}

fn run(command: &str) -> ToolUse {
    ToolUse {
        tool: "Bash".to_owned(),
        action: ToolAction::Run(command.to_owned()),
    }
}

fn edit() -> ToolUse {
    ToolUse {
        tool: "Edit".to_owned(),
        action: ToolAction::Edit("as it was written".to_owned()),
    }
}

/// Returns the decision of rules and a policy about a command: `allow`, `ask` or `deny`.
fn on_command(text: &str, command: &str) -> PermissionDecision {
    let (rules, policy) = read_setting(text).unwrap();
    decide(&rules, policy, &run(command), &[]).decision()
}

fn on_paths(text: &str, paths: &[&str]) -> PermissionDecision {
    let (rules, policy) = read_setting(text).unwrap();
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    decide(&rules, policy, &edit(), &paths).decision()
}

use PermissionDecision::{Allow, Ask, Deny};

#[test]
fn the_first_rule_that_fits_decides_and_the_policy_decides_the_rest() {
    let text = "allow run git push origin HEAD; deny run git push*; ask run make deploy*; allow";
    for (command, expected) in [
        ("git push origin HEAD", Allow),
        ("git push origin main", Deny),
        ("make deploy now", Ask),
        ("make", Allow),
    ] {
        assert_eq!(on_command(text, command), expected, "{command}");
    }
    let all = rules(text);
    let decided = decide(&all, PermissionPolicy::Ask, &run("git  push --all"), &[]);
    assert_eq!(decided, PermissionVerdict::By(&all[1]));
    assert_eq!(all[1].to_string(), "deny run git push*");
}

#[test]
fn an_allowing_rule_fits_one_simple_command() {
    for command in [
        "git status",
        "git status --short src/lib.rs",
        "  git   status\t-s ",
        "git status 'a b' \"c; d\" --x=1",
    ] {
        assert_eq!(on_command("allow run git status*", command), Allow, "{command}");
    }
}

#[test]
fn what_is_not_one_simple_command_for_certain_is_asked_whatever_is_allowed() {
    for command in [
        "git status; rm -rf x",
        "git status && rm -rf x",
        "git status || rm x",
        "git status | sh",
        "git status & rm x",
        "git status\nrm -rf x",
        "git status\r\nrm -rf x",
        "git status $(rm -rf x)",
        "git status \"$(rm -rf x)\"",
        "git status `rm -rf x`",
        "git status \"`rm x`\"",
        "git status <(rm x)",
        "git status > ~/.bashrc",
        "git status >>x",
        "git status < /etc/passwd",
        "git status $HOME",
        "git status ${x:=$(rm x)}",
        "git status \\\nrm",
        "git status \"\\\"; rm x\"",
        "git status 'a",
        "git status \"a",
        "git status 'a'\"'\"'; rm x",
        "git status {a,b}",
        "git status *",
        "git status # x",
        "git status !!",
        "git status ~root",
        "git status \u{0}",
        "git status \u{1b}[2J",
        "git status\u{2028}rm x",
        "PAGER=rm git status",
        "if git status",
        "! git status",
        "(git status)",
        "{ git status; }",
        "time git status",
        "git 'status'",
        "",
        "   ",
        "''",
    ] {
        assert_eq!(on_command("allow run git status*", command), Ask, "{command:?}");
        let is_plain = command == "git 'status'" || command == "''";
        if !is_plain {
            assert_eq!(on_command("allow run *", command), Ask, "{command:?}");
        }
    }
    let long = format!("git status {}", "x".repeat(LONGEST_USE));
    assert_eq!(
        on_command("allow run git status*; allow", &long),
        Ask,
        "a long one"
    );
}

#[test]
fn a_denying_rule_fits_wherever_its_command_could_be() {
    for command in [
        "git push",
        "cd x && git push origin main",
        "x; git push",
        "$(git push)",
        "`git push`",
        "sh -c 'git push'",
        "bash -c \"cd x; git   push\"",
        "/usr/bin/git push",
        "GIT_DIR=x git push",
        "git \"push\"",
        "g\\it push",
        "g'i't push",
        "git\tpush",
        "git${IFS}push",
        "git \\\n push",
        "true\ngit push",
        "env -i git push",
        "GIT push",
        "echo \u{e9}; git push",
    ] {
        assert_eq!(
            on_command("deny run git push*; allow", command),
            Deny,
            "{command}"
        );
        assert_eq!(on_command("ask run git push*; allow", command), Ask, "{command}");
    }
    for command in ["git pull", "legit push", "git status", "git-push-all"] {
        assert_eq!(
            on_command("deny run git push*; allow", command),
            Allow,
            "{command}"
        );
    }
    assert_eq!(on_command("deny run git push; allow", "git push && make"), Deny);
    assert_eq!(
        on_command("deny run git push; allow", "git push --dry-run"),
        Allow
    );
    assert_eq!(on_command("deny run *; allow", ""), Deny);
}

#[test]
fn an_allowed_path_lies_in_the_folder_unless_its_pattern_is_absolute() {
    for (text, paths, expected) in [
        ("allow edit *", &["src/lib.rs"][..], Allow),
        ("allow edit src/*", &["src/a/b.rs"], Allow),
        ("allow edit src/*", &["docs/x"], Ask),
        ("allow edit *", &["/etc/passwd"], Ask),
        ("allow edit *", &["src/link", "/etc/passwd"], Ask),
        ("allow edit *", &[], Ask),
        ("allow edit /tmp/x/*", &["/tmp/x/y"], Allow),
        ("edits", &["src/lib.rs"], Allow),
        ("edits", &["src/link", "/etc/passwd"], Ask),
        ("edits", &[], Ask),
        ("deny edit .git/*; allow", &[".git/config"], Deny),
        ("deny edit .git/*; allow", &["/w/shop/.GIT/config"], Deny),
        (
            "deny edit .git/*; allow",
            &["src/link", "/shop/.git/hooks/x"],
            Deny,
        ),
        ("deny edit .git/*; allow", &["src/x.git/config"], Allow),
        ("deny edit *; allow", &[], Deny),
    ] {
        assert_eq!(on_paths(text, paths), expected, "{text}: {paths:?}");
    }
}

#[test]
fn rules_name_a_class_of_tools_all_or_one_by_its_name() {
    let other = |tool: &str| ToolUse {
        tool: tool.to_owned(),
        action: ToolAction::Other,
    };
    let text = "allow mcp__dbs__signal *; allow WebSearch cats; deny * *";
    let all = rules(text);
    let on = |wanted: &ToolUse| decide(&all, PermissionPolicy::Allow, wanted, &[]).decision();
    assert_eq!(on(&other("mcp__dbs__signal")), Allow);
    assert_eq!(
        on(&other("WebSearch")),
        Deny,
        "nothing is known of what it looks for"
    );
    assert_eq!(on(&run("make")), Deny);
    let fetch = |address: &str| ToolUse {
        tool: "WebFetch".to_owned(),
        action: ToolAction::Fetch(address.to_owned()),
    };
    let docs = rules("allow fetch https://docs.rs/*");
    let on = |address: &str| decide(&docs, PermissionPolicy::Ask, &fetch(address), &[]).decision();
    assert_eq!(on("https://docs.rs/serde"), Allow);
    for address in [
        "https://docs.rs@evil.test/",
        "https://docs.rs/\nx",
        "http://docs.rs/",
    ] {
        assert_eq!(on(address), Ask, "{address}");
    }
}

#[test]
fn a_tool_is_told_that_it_may_edit_only_where_no_rule_says_something_about_it() {
    for (text, expected) in [
        ("edits", true),
        ("allow", true),
        ("deny run git push*; allow", true),
        ("allow edit *; ask", true),
        ("ask", false),
        ("deny", false),
        ("deny edit .git/*; allow", false),
        ("allow edit src/*; edits", false),
        ("deny Write *; allow", false),
        ("ask * *; allow", false),
    ] {
        let (rules, policy) = read_setting(text).unwrap();
        assert_eq!(allows_all_edits(&rules, policy), expected, "{text}");
    }
}

#[test]
fn a_setting_that_is_no_list_of_rules_says_which_part_is_wrong() {
    for (text, part) in [
        ("", "empty"),
        (" ; ", "empty"),
        ("maybe", "`maybe` is neither a rule"),
        ("allow run", "`allow run` is neither a rule"),
        ("permit run x", "`permit run x` is neither a rule"),
        ("ask; allow run x", "`allow run x` stands behind"),
    ] {
        let why = read_setting(text).unwrap_err();
        assert!(why.text.contains(part), "{text}: {why}");
    }
}

proptest::proptest! {
    #[test]
    fn a_pattern_that_begins_with_a_star_fits_wherever_it_would_fit_the_rest_from_some_place_on(
        pattern in "\\*[ab ]{0,3}\\*?[ab;]{0,2}",
        command in "[ab; |]{0,12}",
    ) {
        let from_any_place = (0..=command.len()).any(|at| {
            let rest = command.get(at..).unwrap();
            let first = rest.split([';', '|']).next().unwrap().trim_end();
            glob::fits(pattern.trim(), rest.trim_end()) || glob::fits(pattern.trim(), first)
        });
        let squeezed = !command.contains("  ") && !pattern.contains("  ") && command.trim() == command;
        proptest::prop_assume!(squeezed && !command.is_empty());
        proptest::prop_assert_eq!(command_line::fits_anywhere(&pattern, &command), from_any_place);
    }
}
