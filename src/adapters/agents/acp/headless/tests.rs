use super::*;

/// Messages written to the tool, as JSON.
fn written(steps: &[HeadlessStep]) -> Vec<Value> {
    let lines = steps.iter().filter_map(|step| match step {
        HeadlessStep::Write(line) => serde_json::from_str(line).ok(),
        _ => None,
    });
    lines.collect()
}

fn says(session: &mut AcpSession, line: &Value) -> Vec<HeadlessStep> {
    session.line(line.to_string().as_bytes())
}

/// One that has its session and is at its first turn, which is request 3.
fn at_work() -> AcpSession {
    let mut session = AcpSession::new("/w", None);
    session.start(&["tool".to_owned()]);
    says(&mut session, &json!({ "id": 1, "result": {} }));
    says(&mut session, &json!({ "id": 2, "result": { "sessionId": "s" } }));
    let steps = session.event_answer(BEGUN, &EventReply::Nothing);
    assert_eq!(steps, [HeadlessStep::Ready]);
    let sent = written(&session.message("go", "m1"));
    assert_eq!(sent[0]["params"]["prompt"][0]["text"], "go");
    session
}

fn ends(session: &mut AcpSession, id: u64, reason: &str) -> Vec<HeadlessStep> {
    says(session, &json!({ "id": id, "result": { "stopReason": reason } }))
}

fn permission(id: &Value) -> Value {
    json!({ "id": id, "method": "session/request_permission", "params": {
        "toolCall": { "kind": "execute", "rawInput": { "command": "make" } },
        "options": [{ "optionId": "once", "kind": "allow_once" }, { "optionId": "no", "kind": "reject_once" }],
    } })
}

#[test]
fn a_session_goes_on_where_the_tool_loads_it_and_else_ends_with_words() {
    let open = |can_load: bool| {
        let mut session = AcpSession::new("/w", Some("of-before"));
        session.start(&[]);
        let result = json!({ "agentCapabilities": { "loadSession": can_load } });
        says(&mut session, &json!({ "id": 1, "result": result }))
    };
    let loaded = written(&open(true));
    assert_eq!(loaded[0]["method"], "session/load");
    assert_eq!(loaded[0]["params"]["sessionId"], "of-before");
    assert!(open(false).contains(&HeadlessStep::Interrupt));
}

#[test]
fn the_model_begins_when_the_server_knows_the_session() {
    let mut session = AcpSession::new("/w", None);
    session.start(&[]);
    says(&mut session, &json!({ "id": 1, "result": {} }));
    let begun = says(&mut session, &json!({ "id": 2, "result": { "sessionId": "s" } }));
    let [HeadlessStep::Event { id, input }] = begun.as_slice() else {
        panic!("{begun:?}")
    };
    assert_eq!(input["session_id"], "s");
    assert_eq!(session.message("typed early", "m1"), []);
    assert_eq!(session.event_answer("turn-0", &EventReply::Nothing), []);
    assert_eq!(
        session.event_answer(id, &EventReply::Nothing),
        [HeadlessStep::Ready]
    );
    assert_eq!(session.event_answer(id, &EventReply::Nothing), [], "only once");
    let sent = written(&session.message("go", "m2"));
    assert_eq!(sent[0]["params"]["prompt"][0]["text"], "typed early");
}

#[test]
fn what_was_said_before_the_first_turn_and_in_other_sessions_is_not_shown_again() {
    let update = |of: &str| {
        json!({ "method": "session/update", "params": { "sessionId": of,
            "update": { "sessionUpdate": "tool_call", "title": "make" } } })
    };
    let mut loading = AcpSession::new("/w", Some("s"));
    loading.start(&[]);
    says(
        &mut loading,
        &json!({ "id": 1, "result": { "agentCapabilities": { "loadSession": true } } }),
    );
    assert_eq!(says(&mut loading, &update("s")), []);
    let mut session = at_work();
    assert_eq!(says(&mut session, &update("another")), []);
    let shown = says(&mut session, &update("s"));
    assert!(
        shown.contains(&HeadlessStep::Show("* make".to_owned())),
        "{shown:?}"
    );
}

#[test]
fn a_message_waits_for_the_end_of_the_turn_and_for_the_word_of_the_server() {
    let mut session = at_work();
    assert_eq!(session.message("next", "m2"), []);
    let ended = ends(&mut session, 3, "end_turn");
    let Some(HeadlessStep::Event { id, input }) = ended.last() else {
        panic!("{ended:?}")
    };
    assert_eq!(input["stop_hook_active"], false);
    let again = written(&session.event_answer(id, &EventReply::GoOn("report".to_owned())));
    assert_eq!(again[0]["params"]["prompt"][0]["text"], "report");
    let ended = ends(&mut session, 4, "end_turn");
    let Some(HeadlessStep::Event { id, input }) = ended.last() else {
        panic!("{ended:?}")
    };
    assert_eq!(input["stop_hook_active"], true);
    let next = session.event_answer(id, &EventReply::Nothing);
    assert_eq!(written(&next)[0]["params"]["prompt"][0]["text"], "next");
    let message = "m2".to_owned();
    assert!(next.contains(&HeadlessStep::Begun { message }));
}

#[test]
fn a_permission_is_answered_once_under_the_id_of_the_tool() {
    for id in [json!(0), json!("a")] {
        let mut session = at_work();
        let asked = says(&mut session, &permission(&id));
        let Some(HeadlessStep::Permission { id: key, input, .. }) = asked.last() else {
            panic!("{asked:?}")
        };
        let answer = session.permission_answer(key, input, &AskReply::Allow);
        let answer = written(&answer);
        assert_eq!(
            (&answer[0]["id"], &answer[0]["result"]["outcome"]["optionId"]),
            (&id, &json!("once"))
        );
        assert_eq!(session.permission_answer(key, input, &AskReply::Allow), []);
    }
}

#[test]
fn an_interrupt_cancels_the_turn_with_all_that_is_asked_and_the_tool_stays() {
    let mut session = at_work();
    says(&mut session, &permission(&json!(7)));
    let steps = session.interrupt("i");
    let told = written(&steps);
    assert_eq!(told[0]["method"], "session/cancel");
    assert_eq!(told[1]["result"]["outcome"]["outcome"], "cancelled");
    assert!(steps.contains(&HeadlessStep::Withdrawn { id: "7".to_owned() }));
    let ended = ends(&mut session, 3, "cancelled");
    assert!(ended.contains(&HeadlessStep::Report(AgentReport::doing(Doing::Idle))));
    assert_eq!(session.interrupt("i"), [], "no turn goes on");
    assert_eq!(written(&session.message("more", "m2")).len(), 1);
}

#[test]
fn files_and_terminals_are_refused_and_strange_replies_say_nothing() {
    let mut session = at_work();
    let asked = json!({ "id": 5, "method": "fs/write_text_file", "params": {} });
    assert_eq!(written(&says(&mut session, &asked))[0]["error"]["code"], -32601);
    assert_eq!(ends(&mut session, 99, "end_turn"), []);
    assert_eq!(session.line(b"{\"id\":3,\"result\":"), []);
    let error = json!({ "id": 3, "error": { "code": 429, "message": "too many" } });
    let steps = says(&mut session, &error);
    assert!(
        steps
            .iter()
            .any(|step| matches!(step, HeadlessStep::Report(report) if report.end.is_some())),
        "{steps:?}"
    );
}

#[test]
fn a_turn_that_was_cut_or_refused_is_sent_back_once_and_then_failed_with_words() {
    for (reason, words) in [
        ("refusal", "refused"),
        ("max_tokens", "most tokens"),
        ("max_turn_requests", "most requests"),
        ("\u{1b}[2Jnews", "not known"),
        ("", "not known"),
    ] {
        let mut session = at_work();
        let ended = ends(&mut session, 3, reason);
        let Some(HeadlessStep::Event { id, .. }) = ended.last() else {
            panic!("{ended:?}")
        };
        let shown = |step: &HeadlessStep| matches!(step, HeadlessStep::Show(line) if line.contains(words));
        assert!(ended.iter().any(shown), "{reason}: {ended:?}");
        assert_eq!(
            written(&session.event_answer(id, &EventReply::GoOn("report".to_owned()))).len(),
            1
        );
        let ended = ends(&mut session, 4, reason);
        let Some(HeadlessStep::Event { id, input }) = ended.last() else {
            panic!("{ended:?}")
        };
        assert_eq!(input["stop_hook_active"], true);
        let over = session.event_answer(id, &EventReply::Nothing);
        let failed = |step: &HeadlessStep| {
            matches!(step, HeadlessStep::Report(report)
                if report.seen.iter().any(|seen| format!("{seen:?}").contains(words)))
        };
        assert!(over.iter().any(failed), "{reason}: {over:?}");
        // The next turn begins without the problem of the last.
        session.message("more", "m2");
        let ended = ends(&mut session, 5, "end_turn");
        let Some(HeadlessStep::Event { id, .. }) = ended.last() else {
            panic!("{ended:?}")
        };
        let done = HeadlessStep::Report(AgentReport::doing(Doing::DONE));
        assert_eq!(session.event_answer(id, &EventReply::Nothing), [done]);
    }
}

#[test]
fn an_error_of_the_protocol_is_told_in_words_also_where_the_tool_has_none() {
    for (error, words) in [
        (json!({ "code": -32603 }), "failed within itself"),
        (
            json!({ "code": -32603, "message": "Internal error", "data": { "details": "no disk" } }),
            "Internal error: no disk",
        ),
        (
            json!({ "code": -32602, "message": "Bad", "data": "no model" }),
            "Bad: no model",
        ),
        (json!({ "code": -7, "message": "" }), "error -7"),
        (json!({}), "without words"),
    ] {
        let mut session = at_work();
        let steps = says(&mut session, &json!({ "id": 3, "error": error }));
        let Some(HeadlessStep::Report(report)) = steps.last() else {
            panic!("{steps:?}")
        };
        assert!(format!("{report:?}").contains(words), "{error}: {report:?}");
    }
}

#[test]
fn only_so_many_messages_wait_and_who_sends_one_more_is_told() {
    let mut session = at_work();
    for number in 0..MOST_WAITING {
        assert_eq!(session.message("more", &number.to_string()), []);
    }
    let refused = session.message("one too many", "last");
    let is_told =
        |step: &HeadlessStep| matches!(step, HeadlessStep::Show(line) if line.contains("not taken"));
    assert!(refused.iter().all(is_told) && refused.len() == 1, "{refused:?}");
    assert_eq!(session.waiting.len(), MOST_WAITING);
}
