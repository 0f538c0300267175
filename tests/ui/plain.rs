//! The plain client: the numbers of what needs a person, and what a typed line means.

use dbs::domain::{Ask, AskChannel, AskKind, AskReply, AttemptId, Command, TaskId, Timestamp};
use dbs::read_model::{AttentionItem, AttentionKind, AttentionSummary, ReadModel};
use dbs::ui::{PlainPrompts, PlainTyped, read_plain};

fn answer(attempt: u64, ask: &str, reply: AskReply) -> Command {
    Command::AnswerAsk {
        attempt: AttemptId(attempt),
        ask: ask.into(),
        reply,
    }
}

fn read_about(kind: AttentionKind, line: &str) -> PlainTyped {
    let mut prompts = PlainPrompts::default();
    let attention = waiting(&[("t-1", kind, "npm test")]);
    prompts.update(&attention);
    read_plain(line, &prompts, &attention)
}

#[test]
fn a_yes_to_an_agent_is_bound_to_what_it_asked() {
    let answer = |reply| PlainTyped::Submit(Box::new(answer(7, "npm test", reply)));
    let wanted = answer(AskReply::Allow);
    assert_eq!(read_about(AttentionKind::Permission, "1 yes"), wanted);
    assert_eq!(read_about(AttentionKind::Permission, " 1.  Y "), wanted);
    let no = |why: &str| answer(AskReply::Deny(why.to_owned()));
    assert_eq!(read_about(AttentionKind::Permission, "1 no"), no(""));
    assert_eq!(
        read_about(AttentionKind::Permission, "1 no use the copy"),
        no("use the copy")
    );
    assert_eq!(
        read_about(AttentionKind::Permission, "1 look"),
        PlainTyped::ShowOutput("t-1".into())
    );
    let unclear = read_about(AttentionKind::Permission, "1 yes please");
    assert!(
        matches!(&unclear, PlainTyped::Reply(lines) if lines[0].contains("1 yes, 1 no")),
        "{unclear:?}"
    );
}

#[test]
fn each_kind_takes_its_own_answers() {
    let ask = |kind, line| match read_about(kind, line) {
        PlainTyped::Submit(command) => Some(*command),
        _ => None,
    };
    let task = || TaskId::from("t-1");
    assert_eq!(
        ask(AttentionKind::Question, "1 yes, port 80"),
        Some(Command::Answer(task(), "yes, port 80".to_owned()))
    );
    assert_eq!(
        ask(AttentionKind::Approval, "1 yes"),
        Some(Command::Approve(task()))
    );
    assert_eq!(
        ask(AttentionKind::Approval, "1 no too long"),
        Some(Command::Reject(task(), "too long".to_owned()))
    );
    assert_eq!(ask(AttentionKind::Approval, "1 no"), None, "a no needs a reason");
    for kind in [AttentionKind::Gate, AttentionKind::Merge, AttentionKind::Held] {
        let retry = Command::Retry {
            task: task(),
            stage: None,
            note: Some("use the cache".to_owned()),
        };
        assert_eq!(ask(kind, "1 retry use the cache"), Some(retry));
    }
}

#[test]
fn every_other_line_is_a_word_of_the_client_or_a_command() {
    let plain = |line| read_plain(line, &PlainPrompts::default(), &AttentionSummary::default());
    assert_eq!(plain("  "), PlainTyped::Nothing);
    assert_eq!(plain("HELP"), PlainTyped::Help);
    assert_eq!(plain("q"), PlainTyped::Quit);
    assert_eq!(
        plain("show t-1 --json"),
        PlainTyped::CommandLine("show t-1 --json".to_owned())
    );
    let new = "task create \"Fix the log in\" --release";
    assert_eq!(
        plain("new Fix the log in --release"),
        PlainTyped::CommandLine(new.to_owned())
    );
    let missing = plain("3 yes");
    assert!(
        matches!(&missing, PlainTyped::Reply(lines) if lines[0].contains("there is no 3")),
        "{missing:?}"
    );
}

fn waiting(items: &[(&str, AttentionKind, &str)]) -> AttentionSummary {
    let model = ReadModel {
        attention: items
            .iter()
            .map(|(task, kind, text)| AttentionItem {
                task: (*task).into(),
                attempt: kind.is_agents().then_some(AttemptId(7)),
                kind: *kind,
                text: (*text).to_owned(),
                since: Timestamp(1),
                ask: kind.is_agents().then(|| Ask {
                    id: (*text).into(),
                    kind: AskKind::Permission,
                    text: (*text).to_owned(),
                    options: Vec::new(),
                    channel: AskChannel::Keys,
                }),
            })
            .collect(),
        ..ReadModel::default()
    };
    AttentionSummary::of(&model)
}

#[test]
fn a_number_stays_with_its_thing_and_is_never_given_twice() {
    let mut prompts = PlainPrompts::default();
    let both = waiting(&[
        ("t-1", AttentionKind::Permission, "npm test"),
        ("t-2", AttentionKind::Approval, "waits for your approval"),
    ]);
    let lines = prompts.update(&both);
    assert_eq!(
        lines,
        [
            "needs you: 1. t-1 permission: asks: npm test? Type 1 yes, 1 no, 1 say TEXT, 1 look",
            "needs you: 2. t-2 approval: waits for your approval. Type 2 yes, 2 no WHY, 2 skip",
        ]
    );
    assert_eq!(
        prompts.update(&both),
        Vec::<String>::new(),
        "nothing is printed twice"
    );
    let other = waiting(&[
        ("t-1", AttentionKind::Permission, "rm -r build"),
        ("t-2", AttentionKind::Approval, "waits for your approval"),
    ]);
    let lines = prompts.update(&other);
    assert_eq!(lines.first().unwrap(), "1 no longer waits: t-1 permission");
    assert!(
        lines.last().unwrap().contains("3. t-1 permission"),
        "another question has another number: {lines:?}"
    );
    assert!(prompts.get(1).is_none() && prompts.get(2).is_some());
    assert_eq!(prompts.list(&other).first().unwrap(), "2 things need you:");
    assert_eq!(prompts.update(&AttentionSummary::default()).len(), 2);
    assert_eq!(
        prompts.list(&AttentionSummary::default()),
        ["Nothing needs you. No agent is running."]
    );
}

#[test]
fn a_flood_of_prompts_is_counted_not_printed_one_by_one() {
    let ids: Vec<String> = (0..40).map(|n| format!("t-{n}")).collect();
    let items: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), AttentionKind::Failed, "no"))
        .collect();
    let lines = PlainPrompts::default().update(&waiting(&items));
    assert_eq!(lines.len(), 10);
    assert!(lines.last().unwrap().contains("31 more"), "{lines:?}");
}
