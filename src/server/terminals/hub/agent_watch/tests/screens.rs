//! Conclusions from a screen at rest.

use super::*;

const DIALOG: &str = "────\n  3 new servers found\n\n  ❯ 1. Use them\n    2. No\n\n Enter to confirm\n";

/// Lets the screen change at a time and takes all looks that are due until another.
fn looks(watch: &mut AgentWatch, screen: &str, from: u64, until: u64) {
    watch.screen_changed(Timestamp(from));
    while let Some(at) = watch.look_due().filter(|at| at.0 <= until) {
        watch.looked(screen, None, at);
    }
}

fn word_now(watch: &AgentWatch, at: u64) -> Option<ActivityKind> {
    word(&watch.state.conclude(Timestamp(at))).map(|(word, _)| word)
}

fn dialog() -> ActivityKind {
    ActivityKind::Dialog("3 new servers found".to_owned())
}

#[test]
fn a_dialog_at_rest_is_told_within_five_seconds_whatever_the_tool_reports() {
    for (doing, after) in [
        (None, ActivityKind::Working),
        (Some(Doing::WORKING), ActivityKind::Working),
        (Some(Doing::Idle), ActivityKind::Idle),
    ] {
        let mut watch = live();
        if let Some(doing) = doing {
            watch.observe(Source::StatusRecord, Timestamp(0), &AgentReport::doing(doing));
        }
        looks(&mut watch, DIALOG, 1_000, 3_000);
        assert_ne!(word_now(&watch, 3_000), Some(dialog()), "it may still change");
        looks(&mut watch, DIALOG, 3_000, 6_000);
        assert_eq!(word_now(&watch, 6_000), Some(dialog()));
        assert_eq!(watch.take_menu(), None, "the wait is told first");
        assert!(
            watch
                .tell(Timestamp(6_000))
                .iter()
                .any(|(word, _)| *word == dialog())
        );
        assert_eq!(
            watch.take_menu(),
            Some(vec!["Use them".to_owned(), "No".to_owned()])
        );
        assert_eq!(
            watch.look_due(),
            None,
            "nothing is looked at while nothing changes"
        );
        looks(&mut watch, "● Working …", 9_000, 9_600);
        assert_eq!(word_now(&watch, 9_600), Some(after));
    }
}

#[test]
fn a_screen_that_changes_is_not_at_rest() {
    let mut watch = live();
    for second in 0..20 {
        let screen = format!("{DIALOG}{second}");
        looks(&mut watch, &screen, second * 1_000, second * 1_000 + 900);
    }
    assert_eq!(word_now(&watch, 20_000), None);
}

#[test]
fn a_wait_without_a_text_has_that_of_the_screen() {
    let mut watch = live();
    watch.observe(Source::Title, Timestamp(0), &asks(""));
    looks(&mut watch, DIALOG, 1_000, 6_000);
    assert_eq!(word_now(&watch, 6_000), Some(permission("3 new servers found")));
    let mut watch = live();
    watch.observe(Source::StatusRecord, Timestamp(0), &asks("Bash: make"));
    looks(&mut watch, DIALOG, 1_000, 6_000);
    assert_eq!(word_now(&watch, 6_000), Some(permission("Bash: make")));
}

#[test]
fn a_tool_that_has_reported_nothing_is_still_after_fifteen_seconds() {
    let mut watch = live();
    looks(&mut watch, "hello", 1_000, 6_000);
    assert!(!watch.is_still(Timestamp(10_000)));
    assert!(watch.is_still(Timestamp(17_000)));
    watch.observe(Source::Hook, Timestamp(18_000), &working());
    assert!(!watch.is_still(Timestamp(60_000)));
}

#[test]
fn a_suspended_program_is_told_as_that_until_it_continues() {
    for (before, after) in [
        (None, ActivityKind::Working),
        (Some(AgentReport::doing(Doing::Idle)), ActivityKind::Idle),
    ] {
        let mut watch = live();
        if let Some(report) = before {
            watch.observe(Source::StatusRecord, Timestamp(0), &report);
        }
        watch.suspended(true, Timestamp(1_000));
        assert_eq!(word_now(&watch, 60_000), Some(ActivityKind::Suspended));
        watch.suspended(false, Timestamp(70_000));
        assert_eq!(word_now(&watch, 70_000), Some(after));
    }
}

#[test]
fn a_tool_was_left_when_it_says_so_or_a_person_typed_just_before_its_end() {
    let mut watch = live();
    assert!(!watch.was_left(Timestamp(1_000), true));
    watch.input(Timestamp(1_000));
    assert!(watch.was_left(Timestamp(9_000), true));
    assert!(!watch.was_left(Timestamp(9_000), false));
    assert!(!watch.was_left(Timestamp(12_000), true));
    let exit = br#"{"hook_event_name":"SessionEnd","reason":"prompt_input_exit"}"#;
    let report = crate::adapters::agents::claude::hooks::read(exit);
    watch.observe(Source::Hook, Timestamp(20_000), &report);
    assert!(watch.was_left(Timestamp(60_000), false));
}

#[test]
fn what_a_rule_reads_on_a_screen_is_told_at_the_next_look_and_holds_while_the_screen_stands() {
    let mut watch = live();
    let shown = Wait::new(AskKind::Permission, "ls");
    watch.screen_changed(Timestamp(0));
    watch.looked("box", Some(Doing::Blocked(shown)), Timestamp(500));
    assert_eq!(watch.tell(Timestamp(500))[0].0, permission("ls"));
    watch.looked("prompt", Some(Doing::Idle), Timestamp(1_000));
    assert_eq!(word_now(&watch, 60_000), Some(ActivityKind::Idle));
    assert!(!watch.state.conclude(Timestamp(60_000)).is_stale);
    assert!(!watch.is_still(Timestamp(60_000)), "its state is known");
    watch.looked("something else", None, Timestamp(61_000));
    assert_eq!(
        watch.state.conclude(Timestamp(61_000)).source,
        None,
        "nothing is known of it"
    );
}

#[test]
fn an_ask_that_a_title_announces_is_told_with_the_text_and_kind_of_its_screen() {
    let title = AgentReport::doing(Doing::Blocked(Wait::new(AskKind::Permission, "")));
    let mut watch = live();
    watch.observe(Source::Title, Timestamp(0), &title);
    assert_eq!(watch.tell(Timestamp(100)), [], "its text is on the screen");
    let shown = Wait::new(AskKind::Question, "Which one?");
    watch.looked("box", Some(Doing::Blocked(shown)), Timestamp(500));
    let question = ActivityKind::Question("Which one?".to_owned());
    assert_eq!(watch.tell(Timestamp(500))[0].0, question);
    let mut bare = live();
    bare.observe(Source::Title, Timestamp(0), &title);
    let due = bare.due(Timestamp(0)).unwrap();
    assert_eq!(bare.tell(due)[0].0, permission(""), "not for ever");
}
