//! Our side of the Agent Client Protocol against the types of its authors: they read what we write, we understand what they write, and we
//! also understand messages that their types refuse (docs/adr/0022-messages-of-the-agent-client-protocol-are-read-leniently.md).

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES, AgentCapabilities, CLIENT_METHOD_NAMES, CancelNotification, ContentChunk, Cost, Diff,
    Error, InitializeRequest, InitializeResponse, LoadSessionRequest, LoadSessionResponse, NewSessionRequest,
    NewSessionResponse, PermissionOption, PermissionOptionKind, PromptRequest, PromptResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse, SessionNotification,
    SessionUpdate, StopReason, ToolCall, ToolCallLocation, ToolCallStatus, ToolCallUpdate,
    ToolCallUpdateFields, ToolKind, UsageUpdate,
};
use dbs::adapters::agents::acp::headless::AcpSession;
use dbs::adapters::agents::headless::{EventReply, HeadlessStep, HeadlessTool as _};
use dbs::agent_state::Figures;
use dbs::domain::AskReply;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// Messages to the tool, as JSON.
fn written(steps: &[HeadlessStep]) -> Vec<Value> {
    let lines = steps.iter().filter_map(|step| match step {
        HeadlessStep::Write(line) => serde_json::from_str(line).ok(),
        _ => None,
    });
    lines.collect()
}

/// The only message to the tool, with its parameters read as a type of the protocol.
fn sent<T: DeserializeOwned>(steps: &[HeadlessStep], method: &str) -> T {
    let all = written(steps);
    let [message] = all.as_slice() else {
        panic!("{steps:?}")
    };
    assert_eq!(
        (&message["jsonrpc"], &message["method"]),
        (&json!("2.0"), &json!(method))
    );
    serde_json::from_value(message["params"].clone()).expect("the protocol reads it")
}

fn tells(session: &mut AcpSession, line: &Value) -> Vec<HeadlessStep> {
    session.line(line.to_string().as_bytes())
}

fn replies(session: &mut AcpSession, id: u64, result: &impl Serialize) -> Vec<HeadlessStep> {
    tells(session, &json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn updates(session: &mut AcpSession, update: SessionUpdate) -> Vec<HeadlessStep> {
    let params = SessionNotification::new("s", update);
    tells(
        session,
        &json!({ "jsonrpc": "2.0", "method": CLIENT_METHOD_NAMES.session_update, "params": params }),
    )
}

fn asks(session: &mut AcpSession, params: &impl Serialize) -> Vec<HeadlessStep> {
    let method = CLIENT_METHOD_NAMES.session_request_permission;
    tells(
        session,
        &json!({ "jsonrpc": "2.0", "id": 0, "method": method, "params": params }),
    )
}

/// A session in its first turn, which is request 3.
fn at_work() -> AcpSession {
    let mut session = AcpSession::new("/w", None);
    session.start(&[]);
    replies(&mut session, 1, &InitializeResponse::new(ProtocolVersion::V1));
    replies(&mut session, 2, &NewSessionResponse::new("s"));
    session.event_answer("session", &EventReply::Nothing);
    session.message("go", "m1");
    session
}

fn shown(steps: &[HeadlessStep]) -> Vec<&str> {
    let lines = steps.iter().filter_map(|step| match step {
        HeadlessStep::Show(line) => Some(line.as_str()),
        _ => None,
    });
    lines.collect()
}

/// The reply to the requested permission, after that answer.
fn answered(session: &mut AcpSession, asked: &[HeadlessStep], reply: &AskReply) -> Value {
    let Some(HeadlessStep::Permission { id, input, .. }) = asked.last() else {
        panic!("{asked:?}")
    };
    written(&session.permission_answer(id, input, reply))[0]["result"].clone()
}

/// The fields of the hook for the requested permission.
fn hook(asked: &[HeadlessStep]) -> (&Value, &Value) {
    let Some(HeadlessStep::Permission { input, .. }) = asked.last() else {
        panic!("{asked:?}")
    };
    (&input["tool_name"], &input["tool_input"])
}

fn edit_of(path: &str) -> ToolCallUpdate {
    let fields = ToolCallUpdateFields::new()
        .kind(ToolKind::Edit)
        .locations(vec![ToolCallLocation::new(path)])
        .content(vec![Diff::new(path, "new").old_text("old".to_owned()).into()]);
    ToolCallUpdate::new("c", fields)
}

fn options() -> Vec<PermissionOption> {
    vec![
        PermissionOption::new("always", "Always", PermissionOptionKind::AllowAlways),
        PermissionOption::new("once", "Once", PermissionOptionKind::AllowOnce),
        PermissionOption::new("no", "No", PermissionOptionKind::RejectOnce),
    ]
}

#[test]
fn what_is_written_is_what_the_protocol_reads() {
    let names = AGENT_METHOD_NAMES;
    let mut session = AcpSession::new("/w", None);
    let first: InitializeRequest = sent(&session.start(&["tool".to_owned()]), names.initialize);
    assert_eq!(first.protocol_version, ProtocolVersion::V1);
    assert!(!first.client_capabilities.terminal && !first.client_capabilities.fs.read_text_file);
    let steps = replies(&mut session, 1, &InitializeResponse::new(ProtocolVersion::V1));
    let new: NewSessionRequest = sent(&steps, names.session_new);
    assert_eq!(new.cwd.to_str(), Some("/w"));
    replies(&mut session, 2, &NewSessionResponse::new("s"));
    session.event_answer("session", &EventReply::Nothing);
    let prompt: PromptRequest = sent(&session.message("go", "m1"), names.session_prompt);
    assert_eq!((&*prompt.session_id.0, prompt.prompt), ("s", vec!["go".into()]));
    let asked = asks(
        &mut session,
        &RequestPermissionRequest::new("s", edit_of("/w/a"), options()),
    );
    let answer = answered(&mut session, &asked, &AskReply::Allow);
    let answer: RequestPermissionResponse = serde_json::from_value(answer).expect("the protocol reads it");
    let RequestPermissionOutcome::Selected(selected) = answer.outcome else {
        panic!("{answer:?}")
    };
    assert_eq!(&*selected.option_id.0, "once");
    let cancel: CancelNotification = sent(&session.interrupt("i"), names.session_cancel);
    assert_eq!(&*cancel.session_id.0, "s");

    let mut session = AcpSession::new("/w", Some("of-before"));
    session.start(&[]);
    let loads = AgentCapabilities::new().load_session(true);
    let steps = replies(
        &mut session,
        1,
        &InitializeResponse::new(ProtocolVersion::V1).agent_capabilities(loads),
    );
    let load: LoadSessionRequest = sent(&steps, names.session_load);
    assert_eq!(
        (&*load.session_id.0, load.cwd.to_str()),
        ("of-before", Some("/w"))
    );
    let begun = replies(&mut session, 2, &LoadSessionResponse::new());
    assert!(
        matches!(begun.as_slice(), [HeadlessStep::Event { .. }]),
        "{begun:?}"
    );
}

#[test]
fn what_the_protocol_writes_is_understood() {
    let mut session = at_work();
    let chunk = ContentChunk::new("I make it.\n".into());
    assert_eq!(
        shown(&updates(
            &mut session,
            SessionUpdate::AgentMessageChunk(chunk.clone())
        )),
        ["I make it."]
    );
    assert_eq!(
        shown(&updates(&mut session, SessionUpdate::AgentThoughtChunk(chunk))),
        ["~ I make it."]
    );
    let call = ToolCall::new("c", "make").kind(ToolKind::Execute);
    assert_eq!(
        shown(&updates(&mut session, SessionUpdate::ToolCall(call))),
        ["* make"]
    );
    let failed = ToolCallUpdateFields::new()
        .status(ToolCallStatus::Failed)
        .content(vec!["no room".into()]);
    let failed = SessionUpdate::ToolCallUpdate(ToolCallUpdate::new("c", failed));
    assert_eq!(shown(&updates(&mut session, failed)), ["  ! no room"]);
    let usage = UsageUpdate::new(12, 100).cost(Cost::new(0.5, "USD"));
    let steps = updates(&mut session, SessionUpdate::UsageUpdate(usage));
    let [HeadlessStep::Report(report)] = steps.as_slice() else {
        panic!("{steps:?}")
    };
    assert!(
        matches!(
            report.figures.as_slice(),
            [Figures::Context { .. }, Figures::Total { cost: Some(_), .. }]
        ),
        "{report:?}"
    );
    let asked = asks(
        &mut session,
        &RequestPermissionRequest::new("s", edit_of("/w/a"), options()),
    );
    assert_eq!(hook(&asked), (&json!("Edit"), &json!({ "file_path": "/w/a" })));
    for (reason, words) in [
        (StopReason::EndTurn, "= turn over"),
        (StopReason::Cancelled, "= interrupted"),
        (StopReason::Refusal, "refused"),
        (StopReason::MaxTokens, "most tokens"),
        (StopReason::MaxTurnRequests, "most requests"),
    ] {
        let steps = replies(&mut at_work(), 3, &PromptResponse::new(reason));
        assert!(shown(&steps).concat().contains(words), "{reason:?}: {steps:?}");
    }
    let error = json!({ "jsonrpc": "2.0", "id": 3, "error": Error::auth_required() });
    let steps = tells(&mut at_work(), &error);
    assert!(
        matches!(steps.last(), Some(HeadlessStep::Report(report)) if report.end.is_some()),
        "{steps:?}"
    );
}

/// Asserts that the type does not accept the message at all.
fn is_refused<T: DeserializeOwned>(message: &Value) {
    assert!(
        serde_json::from_value::<T>(message.clone()).is_err(),
        "accepted now, see the ADR: {message}"
    );
}

#[test]
fn a_permission_is_answered_although_its_types_refuse_it() {
    let call = json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "make" } });
    let once = json!({ "optionId": "once", "name": "Once", "kind": "allow_once" });
    let strange = [
        json!([{ "optionId": "day", "name": "Today", "kind": "allow_for_today" }, once]),
        json!([{ "optionId": "once", "kind": "allow_once" }]),
        json!([once, null]),
    ];
    for options in strange {
        let params = json!({ "sessionId": "s", "toolCall": call, "options": options });
        is_refused::<RequestPermissionRequest>(&params);
        let mut session = at_work();
        let asked = asks(&mut session, &params);
        assert_eq!(hook(&asked).1["command"], "make");
        let answer = answered(&mut session, &asked, &AskReply::Allow);
        assert_eq!(answer["outcome"]["optionId"], "once", "{params}");
    }
}

/// A rule that allows edits of `/w/a` must not decide about a change that also names another file.
#[test]
fn a_part_of_a_change_that_is_not_known_counts_for_its_file() {
    let mut params = json!(RequestPermissionRequest::new("s", edit_of("/w/a"), options()));
    let parts = params["toolCall"]["content"].as_array_mut().expect("parts");
    parts.push(json!({ "type": "patch", "path": "/etc/passwd", "patch": "" }));
    let read: RequestPermissionRequest =
        serde_json::from_value(params.clone()).expect("the type skips the part");
    assert_eq!(
        read.tool_call.fields.content.map(|parts| parts.len()),
        Some(1),
        "kept now, see the ADR"
    );
    let asked = asks(&mut at_work(), &params);
    assert_eq!(hook(&asked).0, "Change", "no rule about files matches the change");
}

#[test]
fn an_update_shows_what_can_be_read_of_it_although_its_types_refuse_it() {
    for (update, line) in [
        (json!({ "sessionUpdate": "tool_call", "title": "make" }), "* make"),
        (
            json!({ "sessionUpdate": "tool_call", "toolCallId": 7, "title": "make" }),
            "* make",
        ),
        (
            json!({ "sessionUpdate": "tool_call_update", "status": "failed", "content": [
                { "type": "content", "content": { "type": "text", "text": "no room" } } ] }),
            "  ! no room",
        ),
        (
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "markdown", "text": "It is made.\n" } }),
            "It is made.",
        ),
    ] {
        let params = json!({ "sessionId": "s", "update": update });
        is_refused::<SessionNotification>(&params);
        let told =
            json!({ "jsonrpc": "2.0", "method": CLIENT_METHOD_NAMES.session_update, "params": params });
        assert_eq!(shown(&tells(&mut at_work(), &told)), [line], "{told}");
    }
    let usage = json!({ "sessionUpdate": "usage_update", "used": 12, "size": null, "cost": { "amount": 0.5, "currency": "USD" } });
    let params = json!({ "sessionId": "s", "update": usage });
    is_refused::<SessionNotification>(&params);
    let told = json!({ "jsonrpc": "2.0", "method": CLIENT_METHOD_NAMES.session_update, "params": params });
    let steps = tells(&mut at_work(), &told);
    let [HeadlessStep::Report(report)] = steps.as_slice() else {
        panic!("{steps:?}")
    };
    assert!(
        report
            .figures
            .iter()
            .any(|figures| matches!(figures, Figures::Total { cost: Some(_), .. })),
        "{report:?}"
    );
}

#[test]
fn a_session_begins_and_ends_its_turns_although_its_types_refuse_the_replies() {
    for first in [
        json!({ "agentCapabilities": { "loadSession": true } }),
        json!({ "protocolVersion": "1", "agentCapabilities": { "loadSession": true } }),
    ] {
        is_refused::<InitializeResponse>(&first);
        let mut session = AcpSession::new("/w", Some("s"));
        session.start(&[]);
        let _load: LoadSessionRequest =
            sent(&replies(&mut session, 1, &first), AGENT_METHOD_NAMES.session_load);
    }
    for error in [
        json!({ "code": -32000 }),
        json!({ "code": "-32000", "message": "Log in" }),
    ] {
        is_refused::<Error>(&error);
        let steps = tells(
            &mut at_work(),
            &json!({ "jsonrpc": "2.0", "id": 3, "error": error }),
        );
        assert!(
            shown(&steps).concat().to_lowercase().contains("log in"),
            "{steps:?}"
        );
    }
}
