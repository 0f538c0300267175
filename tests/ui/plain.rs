//! The plain client: the numbers of the items that need a person, and the meaning of a typed line.

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
fn a_text_is_no_answer_to_a_permission_and_a_dialog_takes_its_entries() {
    for line in ["1 say no, never", "1 never", "1 2", "1 yes, but only once"] {
        let said = read_about(AttentionKind::Permission, line);
        assert!(
            matches!(&said, PlainTyped::Reply(lines) if lines[0].contains("1 yes, 1 no, 1 no WHY")),
            "{line}: {said:?}"
        );
    }
    let mut attention = waiting(&[("t-1", AttentionKind::Dialog, "trust this folder")]);
    let read = |attention: &AttentionSummary| {
        let mut prompts = PlainPrompts::default();
        let lines = prompts.update(attention);
        (lines, read_plain("1 2", &prompts, attention))
    };
    assert!(
        matches!(read(&attention).1, PlainTyped::Reply(_)),
        "the entries of the dialog are unknown"
    );
    let ask = attention.rows[0].item.ask.as_mut().unwrap();
    ask.options = ["No, exit", "Yes, I trust this folder"]
        .map(str::to_owned)
        .to_vec();
    let (lines, chosen) = read(&attention);
    assert_eq!(
        lines,
        [
            "needs you: 1. t-1 dialog: shows a dialog: trust this folder (1 No, exit; 2 Yes, I trust this folder). Type 1 NUMBER, 1 look"
        ]
    );
    let number = Command::Answer("t-1".into(), "2".to_owned());
    assert_eq!(chosen, PlainTyped::Submit(Box::new(number)));
}

#[test]
fn a_question_that_blocks_a_task_is_answered_with_a_retry() {
    let mut attention = waiting(&[("t-1", AttentionKind::Held, "blocked: CSV or JSON?")]);
    attention.rows[0].is_question = true;
    let lines = PlainPrompts::default().update(&attention);
    assert!(
        lines[0].ends_with("Type 1 retry ANSWER, 1 skip, 1 park WHY, 1 look"),
        "{lines:?}"
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
            "needs you: 1. t-1 permission: asks: npm test? Type 1 yes, 1 no, 1 no WHY, 1 look",
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
        "another question gets another number: {lines:?}"
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
