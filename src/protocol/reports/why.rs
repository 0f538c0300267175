//! Why a task does not move, or what an agent does and how that is known.

use std::sync::Arc;

use crate::domain::attempt::{Activity, ActivityKind};
use crate::domain::{
    AgentSession, Attempt, EngineAction, Task, TaskId, TaskState, Timestamp, WaitReason, Worker,
};
use crate::protocol::query::{OutputFormat, QueryError};
use crate::protocol::reports::in_format;
use crate::protocol::reports::runs::progress;
use crate::protocol::reports::status::doing;
use crate::protocol::reports::task::file_report_words;
use crate::read_model::{AttentionKind, ReadModel, source_words};

/// Explains a task, or an agent at work, by its name.
pub(in crate::protocol) fn report(
    board: &ReadModel,
    name: &str,
    format: OutputFormat,
) -> Result<String, QueryError> {
    if let Some(task) = board.tasks.get(&TaskId::from(name)) {
        let own = board.attempts.values().filter(|attempt| attempt.task == task.id);
        let by_file = own.filter_map(|attempt| {
            let words = file_report_words(attempt)?;
            Some(format!("; attempt {} {words}", attempt.id))
        });
        let text = std::iter::once(why_task(board, task))
            .chain(by_file)
            .collect::<String>();
        let data = || {
            serde_json::json!({ "task": name, "state": task.state, "why_not": task.why_not, "text": text,
            "now": task.open_attempt.and_then(|open| board.live.get(&open)) })
        };
        let at_work = board.open_attempt(task).map(|attempt| sources(board, attempt));
        return in_format(format, data, || {
            std::iter::once(text.clone())
                .chain(at_work.unwrap_or_default())
                .collect()
        });
    }
    let attempt = open_attempt(board, name).ok_or_else(|| QueryError::NoTaskOrAgent(name.to_owned()))?;
    let (agent, known) = (attempt.worker.name(), &attempt.activity);
    let age = board.at.since(known.since);
    let live = board.live.get(&attempt.id);
    let data =
        || serde_json::json!({ "attempt": attempt.id, "activity": known, "age_ms": age.0, "now": live });
    in_format(format, data, || {
        let (doing, source) = (doing(known), source_words(known));
        let first = format!("{agent}: {doing} (from {source}, {age} ago)");
        std::iter::once(first).chain(sources(board, attempt)).collect()
    })
}

/// What an agent does right now, and what each source says of it; nothing where no server reads its terminal.
fn sources(board: &ReadModel, attempt: &Attempt) -> Vec<String> {
    let Some(live) = board.live.get(&attempt.id) else {
        return Vec::new();
    };
    let first = format!("  now: {}", live.summary());
    let each = live.sources.iter().map(|source| format!("  {}", source.line()));
    std::iter::once(first).chain(each).collect()
}

/// The open attempt of that number, agent or task.
pub(in crate::protocol) fn open_attempt<'a>(board: &'a ReadModel, name: &str) -> Option<&'a Arc<Attempt>> {
    board.attempts.values().find(|attempt| {
        let is_named = attempt.task.as_str() == name || attempt.worker.name() == name;
        attempt.state.is_open() && (is_named || attempt.id.to_string() == name)
    })
}

/// Why a task does not move, for people.
pub(super) fn why_task(board: &ReadModel, task: &Task) -> String {
    let id = &task.id;
    match &task.state {
        TaskState::Backlog => format!("{id} is in the backlog; hand it over with `dbs task release {id}`"),
        TaskState::Released => released(board, task),
        TaskState::Active | TaskState::Verifying => match board.open_attempt(task) {
            Some(attempt) => at_work(board, task, attempt),
            None => format!("{id}: the engine is about to go on with it"),
        },
        TaskState::Held(crate::domain::HoldReason::Approval) => {
            format!("{id} waits for approval: `dbs approve {id}` or `dbs reject {id} WHY`")
        }
        TaskState::Held(crate::domain::HoldReason::Findings(what)) => format!(
            "{id} waits for a decision, checks found: {what}; `dbs approve {id}` accepts it as it is, `dbs reject {id} WHY` has it fixed"
        ),
        TaskState::Held(crate::domain::HoldReason::Unreviewed(what)) => format!(
            "{id} was not merged: {what}, and no stage of its workflow reviews that; `dbs approve {id}` merges it, `dbs reject {id} WHY` sends it back"
        ),
        TaskState::Held(hold) => format!(
            "{id} is held: {}; retry with `dbs retry {id}`",
            task.hold_text(hold)
        ),
        TaskState::Parked(why) => format!("{id} is set aside: {why}; retry with `dbs retry {id}`"),
        TaskState::Done => format!("{id} is done"),
        TaskState::Failed(why) => {
            let why = crate::domain::task::behind_failed(why);
            format!("{id} failed: {why}; retry with `dbs retry {id}`")
        }
        TaskState::Skipped(cause) => format!("{id} was skipped because of {}", board.name_of(cause)),
        TaskState::Cancelled => format!("{id} was closed without being done"),
    }
}

/// Of a task at work: what keeps it from going on first, then who works on it.
fn at_work(board: &ReadModel, task: &Task, attempt: &Attempt) -> String {
    let cause = match task.state {
        _ if !board.is_live => Some("no server runs; `dbs` starts one".to_owned()),
        TaskState::Verifying => None,
        _ => asked(board, attempt).or_else(|| kept_from_work(&attempt.activity)),
    };
    let worker = match (&attempt.worker, &task.state) {
        (Worker::Engine(action), _) => format!("the engine {} it (attempt {})", verb(*action), attempt.id),
        (Worker::Agent { name, .. }, TaskState::Verifying) => {
            format!("the engine checks what {name} did (attempt {})", attempt.id)
        }
        (Worker::Agent { name, .. }, _) => {
            let works = match cause {
                Some(_) => "has it",
                None => works(&attempt.activity),
            };
            format!(
                "{name} {works} (attempt {}{})",
                attempt.id,
                session_words(&attempt.session)
            )
        }
    };
    let leaves = attempt.leaves_since().map_or(
        "",
        |_| "; it is asked to stop because its context is full, and a fresh session follows",
    );
    let step = progress(board, attempt).map_or_else(String::new, |step| format!("; {step}"));
    let id = &task.id;
    match cause {
        Some(cause) => format!("{id}: {cause}; {worker}{leaves}{step}"),
        None => format!("{id}: {worker}{leaves}{step}"),
    }
}

/// What its agent asks a person, since when, and the way to answer; the oldest first.
fn asked(board: &ReadModel, attempt: &Attempt) -> Option<String> {
    let mut of_it = board
        .attention
        .iter()
        .filter(|item| item.attempt == Some(attempt.id));
    let item = of_it.find(|item| item.kind.is_agents())?;
    let (task, age) = (&item.task, board.at.since(item.since));
    let what = match item.kind {
        AttentionKind::Permission => format!("a permission: {}", item.text),
        AttentionKind::Question => format!("an answer: {}", item.text),
        _ => format!("somebody at its terminal: {}", item.text),
    };
    let way = if item.kind == AttentionKind::Dialog {
        "type there: `dbs`, then `i` on its row".to_owned()
    } else {
        format!("`dbs answer {task} ANSWER`")
    };
    Some(format!("waits for a person for {age}, needs {what}; {way}"))
}

/// What an agent is known to be kept by, where nothing is asked.
fn kept_from_work(activity: &Activity) -> Option<String> {
    let is_kept = matches!(
        activity.doing,
        ActivityKind::Limit { .. }
            | ActivityKind::NotLoggedIn(_)
            | ActivityKind::Failed(_)
            | ActivityKind::Error(_)
            | ActivityKind::Exited
            | ActivityKind::Lost
    );
    is_kept.then(|| format!("its agent is kept from work: {}", doing(activity)))
}

/// What an agent that nothing keeps from work does with its task; that it works is said only where that is known.
fn works(activity: &Activity) -> &'static str {
    if !activity.is_known() {
        "has it, and nothing has reported what it does"
    } else if activity.doing == ActivityKind::Idle {
        "has it and is idle"
    } else if activity.doing == ActivityKind::Starting {
        "is starting on it"
    } else {
        "is working on it"
    }
}

fn verb(action: EngineAction) -> &'static str {
    match action {
        EngineAction::Merge => "merges",
        EngineAction::Commit => "commits",
        EngineAction::Verify => "verifies",
    }
}

fn session_words(session: &AgentSession) -> String {
    match session {
        AgentSession::Fresh => String::new(),
        AgentSession::Continued(of) => format!(", which goes on with the session of attempt {}", of.after),
        AgentSession::Restarted(of) => {
            let after = of.after;
            format!(
                ", session {}, begun when the context of attempt {after} was full",
                of.session
            )
        }
    }
}

fn released(board: &ReadModel, task: &Task) -> String {
    let id = &task.id;
    match &task.why_not {
        _ if !board.is_live => format!("{id} is released, and no server runs; `dbs` starts one"),
        None => format!("{id} is about to start"),
        Some(WaitReason::Until(until)) => format!("{id}: retry in {}", time_left(*until, board.at)),
        Some(why) => {
            let way = way_out(task, why).map_or_else(String::new, |way| format!("; {way}"));
            format!("{id}: {}{way}", board.wait_text(why))
        }
    }
}

/// What a person can do about it, where the cause does not say so itself and nothing else will end it.
fn way_out(task: &Task, why: &WaitReason) -> Option<String> {
    if *why == WaitReason::Paused {
        Some("`dbs resume` goes on".to_owned())
    } else if *why == WaitReason::NoGoAhead {
        Some(format!("`dbs batch release {}` hands it over", task.batch))
    } else {
        None
    }
}

fn time_left(until: Timestamp, now: Timestamp) -> String {
    until.since(now).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        Ask, AskChannel, AskKind, AttemptId, Board, BoardSettings, Claims, Command, Event, RequestId,
        SignalKind, TaskDraft, Workplace,
    };

    /// A board whose only task is worked on, after these events; the report is read a minute later.
    fn told(events: &[Event]) -> String {
        told_at(Timestamp(61_000), events)
    }

    /// The same, read at that time.
    fn told_at(now: Timestamp, events: &[Event]) -> String {
        let mut board = Board::default();
        let flows = crate::formats::workflow::builtin().into_iter();
        let flows = flows.filter_map(|(name, text)| crate::formats::workflow::read(name.as_ref(), text).0);
        board.apply(Timestamp(1), &Event::WorkflowsLoaded(flows.collect()));
        let settings = BoardSettings {
            base: Some("main".to_owned()),
            ..BoardSettings::default()
        };
        board.apply(Timestamp(1), &Event::Configured(settings));
        for command in [
            Command::Create(TaskDraft::new("t-1", "Build")),
            Command::Release(vec!["t-1".into()]),
        ] {
            let (request, by) = (RequestId(0), "ann".to_owned());
            board.apply(Timestamp(2), &Event::Asked { request, by, command });
        }
        for event in events {
            board.apply(Timestamp(1_000), event);
        }
        let model = ReadModel::of(&board, now);
        let name = model.agents().next().unwrap().attempt.worker.name().to_owned();
        why_task(&model, &board.tasks[&TaskId::from("t-1")]).replace(&name, "AGENT")
    }

    fn asks(kind: AskKind) -> Event {
        Event::AskOpened {
            attempt: AttemptId(1),
            ask: Ask {
                id: "ask-1".into(),
                kind,
                text: "Bash: make".to_owned(),
                options: Vec::new(),
                channel: AskChannel::Request,
            },
            rule: None,
        }
    }

    fn seen(doing: ActivityKind) -> Event {
        Event::Observed {
            attempt: AttemptId(1),
            doing,
            source: "hook".to_owned(),
        }
    }

    fn started() -> Event {
        Event::AttemptStarted {
            attempt: AttemptId(1),
            workplace: Workplace {
                path: "t".to_owned(),
                branch: None,
                start: None,
                start_tree: None,
                git_overrides: None,
            },
        }
    }

    #[test]
    fn the_last_step_of_an_agent_is_told_with_its_age_and_so_is_a_long_silence() {
        let step = Event::Signalled {
            attempt: AttemptId(1),
            kind: SignalKind::Progress,
            text: "parser written".to_owned(),
            report: None,
            claims: Claims::default(),
            key: "1".to_owned(),
            by_file: false,
        };
        let started = started();
        let said = told(&[started.clone(), step]);
        assert!(said.ends_with("; last step 1m ago: parser written"), "{said}");
        assert!(!told(std::slice::from_ref(&started)).contains("step"));
        assert!(told_at(Timestamp(601_000), &[started]).ends_with("; no step reported in 10m"));
    }

    #[test]
    fn an_agent_that_waits_for_a_person_is_the_cause_and_the_way_to_answer_is_said() {
        assert_eq!(
            told(&[asks(AskKind::Permission)]),
            "t-1: waits for a person for 1m, needs a permission: Bash: make; `dbs answer t-1 ANSWER`; AGENT has it (attempt 1)"
        );
        assert_eq!(
            told(&[asks(AskKind::Dialog)]),
            "t-1: waits for a person for 1m, needs somebody at its terminal: Bash: make; type there: `dbs`, then `i` on its \
             row; AGENT has it (attempt 1)"
        );
    }

    #[test]
    fn that_an_agent_works_is_said_only_while_it_does() {
        let what = || "make".to_owned();
        for (doing, cause) in [
            (
                ActivityKind::Permission(what()),
                "waits for a person for 1m, needs a permission: make; ",
            ),
            (
                ActivityKind::Question(what()),
                "waits for a person for 1m, needs an answer: make; ",
            ),
            (
                ActivityKind::Dialog(what()),
                "waits for a person for 1m, needs somebody at its terminal: make; ",
            ),
            (
                ActivityKind::Error(what()),
                "waits for a person for 1m, needs somebody at its terminal: reports an error: make; ",
            ),
            (
                ActivityKind::Failed(what()),
                "its agent is kept from work: turn failed: make; ",
            ),
            (ActivityKind::Idle, "AGENT has it and is idle"),
        ] {
            let said = told(&[seen(ActivityKind::Working), seen(doing)]);
            assert!(said.starts_with(&format!("t-1: {cause}")), "{said}");
            assert!(!said.contains("working"), "{said}");
        }
        let silent = told(&[]);
        assert!(!silent.contains("working"), "{silent}");
        let started = told(&[started()]);
        let unknown = "t-1: AGENT has it, and nothing has reported what it does";
        assert!(started.starts_with(unknown), "{started}");
    }

    #[test]
    fn of_a_task_that_nobody_works_on_the_cause_comes_first_and_then_the_way_out() {
        let model = ReadModel {
            at: Timestamp(1_000),
            is_live: true,
            ..ReadModel::default()
        };
        let task = |state: TaskState, why_not: Option<WaitReason>| Task {
            state,
            why_not,
            ..Task::planned(
                Timestamp(1),
                &TaskDraft::new("t-1", "Build"),
                "development".into(),
            )
        };
        let waits = |why: WaitReason| task(TaskState::Released, Some(why));
        for (task, said) in [
            (
                waits(WaitReason::Dependencies(vec!["t-0".into()])),
                "t-1: waits for t-0",
            ),
            (
                waits(WaitReason::NoRoom { running: 4, most: 4 }),
                "t-1: 4 of 4 agents are running",
            ),
            (
                waits(WaitReason::Paused),
                "t-1: the board is paused; `dbs resume` goes on",
            ),
            (
                waits(WaitReason::NoGoAhead),
                "t-1: its batch has not been released yet; `dbs batch release main` hands it over",
            ),
            (
                waits(WaitReason::NoBase),
                "t-1: no base branch is set: dbs config base_branch NAME",
            ),
            (
                task(TaskState::Failed("gate: tests failed".to_owned()), None),
                "t-1 failed: gate: tests failed; retry with `dbs retry t-1`",
            ),
            (
                task(TaskState::Parked("not now".to_owned()), None),
                "t-1 is set aside: not now; retry with `dbs retry t-1`",
            ),
        ] {
            assert_eq!(why_task(&model, &task), said);
        }
    }

    #[test]
    fn what_keeps_an_agent_from_work_comes_before_who_works() {
        let limit = ActivityKind::NotLoggedIn("run `claude /login`".to_owned());
        assert_eq!(
            told(&[seen(ActivityKind::Working), seen(limit)]),
            "t-1: its agent is kept from work: not logged in: run `claude /login`; AGENT has it (attempt 1)"
        );
        assert_eq!(
            told(&[seen(ActivityKind::Working)]),
            "t-1: AGENT is working on it (attempt 1)"
        );
    }
}
