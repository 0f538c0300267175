//! Reason why a task does not move, or activity of an agent and the evidence for it.

use std::sync::Arc;

use crate::domain::{AgentSession, Ask, Attempt, Task, TaskId, TaskState, Worker};
use crate::protocol::query::{OutputFormat, QueryError};
use crate::protocol::reports::in_format;
use crate::protocol::reports::progress::progress;
use crate::read_model::{AttentionKind, LiveActivity, ReadModel, file_report_words, source_words};
use crate::term::sanitize;

/// Explains a task, or an agent at work, by its name; with the report of each source if that is asked for.
pub(in crate::protocol) fn report(
    model: &ReadModel,
    name: &str,
    with_sources: bool,
    format: OutputFormat,
) -> Result<String, QueryError> {
    if let Some(task) = model.tasks.get(&TaskId::from(name)) {
        let own = model.attempts.values().filter(|attempt| attempt.task == task.id);
        let by_file = own.filter_map(|attempt| {
            let words = file_report_words(attempt)?;
            Some(format!("; attempt {} {words}", attempt.id))
        });
        let text = std::iter::once(why_task(model, task))
            .chain(by_file)
            .collect::<String>();
        let data = || {
            serde_json::json!({ "task": name, "state": task.state, "why_not": task.why_not, "text": text, "standing": model.standing(task),
            "now": task.open_attempt.and_then(|open| model.live.get(&open)) })
        };
        let at_work = model.open_attempt(task).filter(|_| with_sources);
        let at_work = at_work.map(|attempt| sources(model, attempt));
        return in_format(format, data, || {
            std::iter::once(text.clone())
                .chain(at_work.unwrap_or_default())
                .chain(model.kept_work(&task.id))
                .chain(owed(model, task))
                .collect()
        });
    }
    let attempt = open_attempt(model, name).ok_or_else(|| QueryError::NoTaskOrAgent(name.to_owned()))?;
    let (agent, known) = (attempt.worker.name(), &attempt.activity);
    let age = model.at.since(known.since);
    let live = model.live.get(&attempt.id);
    let data = || serde_json::json!({ "attempt": attempt.id, "activity": known, "age_ms": age.0, "now": live, "standing": model.attempt_standing(attempt) });
    in_format(format, data, || {
        let (doing, source) = (model.attempt_standing(attempt).line(), source_words(known));
        let first = format!("{agent}: {doing} (from {source}, {age} ago)");
        let each = with_sources.then(|| sources(model, attempt));
        std::iter::once(first).chain(each.unwrap_or_default()).collect()
    })
}

/// Returns the line for merged work, that of the task among it, which the person's branch lacks.
fn owed(model: &ReadModel, task: &Task) -> Option<String> {
    let batch = model.batches.get(&task.batch).filter(|_| task.merged.is_some())?;
    Some(format!("  {}", batch.owed_text()?))
}

/// Returns the current activity of an agent, and the report of each source; empty if no server reads its terminal.
fn sources(model: &ReadModel, attempt: &Attempt) -> Vec<String> {
    let Some(live) = model.live.get(&attempt.id) else {
        return Vec::new();
    };
    let first = format!("  now: {}", live.summary());
    let each = live.sources.iter().map(|source| format!("  {}", source.line()));
    std::iter::once(first).chain(children(live)).chain(each).collect()
}

/// Returns a line for each subagent and background command that runs for an agent.
pub(super) fn children(live: &LiveActivity) -> impl Iterator<Item = String> {
    live.children
        .iter()
        .map(|child| format!("    runs {}", child.line()))
}

/// The open attempt of that number, agent or task.
pub(in crate::protocol) fn open_attempt<'a>(model: &'a ReadModel, name: &str) -> Option<&'a Arc<Attempt>> {
    model.attempts.values().find(|attempt| {
        let is_named = attempt.task.as_str() == name || attempt.worker.name() == name;
        attempt.state.is_open() && (is_named || attempt.id.to_string() == name)
    })
}

/// Returns the reason why a task does not move, for people.
pub(super) fn why_task(model: &ReadModel, task: &Task) -> String {
    let standing = model.standing(task);
    let id = &task.id;
    match model.open_attempt(task) {
        Some(attempt) => at_work(model, task, attempt),
        None => format!("{id}: {}", standing.sentence()),
    }
}

/// Returns the report of a task at work: its standing, or the question of its agent, then its worker.
fn at_work(model: &ReadModel, task: &Task, attempt: &Attempt) -> String {
    let asked = asked(model, attempt).filter(|_| model.is_live && task.state == TaskState::Active);
    let stands = asked.unwrap_or_else(|| model.standing(task).sentence());
    let worker = match (&attempt.worker, &task.state) {
        (Worker::Engine(_), _) => "by the engine".to_owned(),
        (Worker::Agent { name, .. }, TaskState::Verifying) => format!("the work of {name}"),
        (Worker::Agent { name, .. }, _) => format!("by {name}"),
    };
    let leaves = attempt.leaves_since().map_or(
        "",
        |_| "; it is asked to stop because its context is full, and a fresh session follows",
    );
    let step = progress(model, attempt).map_or_else(String::new, |step| format!("; {step}"));
    let session = session_words(&attempt.session);
    let used = attempt.model.as_ref().and_then(|_| attempt.model_words());
    let used = used.map_or_else(String::new, |words| format!(", model {}", sanitize(&words)));
    format!(
        "{}: {stands}; {worker} (attempt {}{session}{used}){leaves}{step}",
        task.id, attempt.id
    )
}

/// Returns the question of its agent to a person, the time since when it waits, and the way to answer; the oldest first.
fn asked(model: &ReadModel, attempt: &Attempt) -> Option<String> {
    let mut of_it = model
        .attention
        .iter()
        .filter(|item| item.attempt == Some(attempt.id));
    let item = of_it.find(|item| item.kind.is_agents())?;
    let (task, age) = (&item.task, model.at.since(item.since));
    let what = match item.kind {
        AttentionKind::Permission => format!("a permission: {}", item.text),
        AttentionKind::Question => format!("an answer: {}", item.text),
        _ => format!("a person at its terminal: {}", item.text),
    };
    let way = way_to_answer(task, item.kind, item.ask.as_ref());
    Some(format!("waits for a person for {age}, needs {what}; {way}"))
}

/// The commands by which a person answers the agent of a task.
fn way_to_answer(task: &TaskId, kind: AttentionKind, ask: Option<&Ask>) -> String {
    let options = ask.map(Ask::numbered_options).unwrap_or_default();
    match kind {
        AttentionKind::Permission => {
            format!("`dbs approve {task}` allows it, `dbs reject {task} WHY` denies it and says why")
        }
        _ if !options.is_empty() => format!("`dbs answer {task} NUMBER` chooses of {options}"),
        AttentionKind::Question => format!("`dbs answer {task} ANSWER`"),
        _ => "answer it there: `dbs`, then `i` on its row".to_owned(),
    }
}

fn session_words(session: &AgentSession) -> String {
    match session {
        AgentSession::Fresh => String::new(),
        AgentSession::Continued(of) => format!(", which continues the session of attempt {}", of.after),
        AgentSession::Restarted(of) => {
            let after = of.after;
            format!(
                ", session {}, begun when the context of attempt {after} was full",
                of.session
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{
        ActivityKind, Ask, AskChannel, AskKind, AttemptId, Board, BoardSettings, Claims, Command, Event,
        HoldReason, PauseReason, RequestId, SignalKind, Skip, TaskDraft, Timestamp, WaitReason, Workplace,
    };
    use crate::read_model::RunningChild;

    /// Puts a task on a board, and an agent to work on it.
    fn prepare(board: &mut Board) {
        let flows = crate::formats::workflow::builtin().into_iter();
        let flows = flows.filter_map(|(name, text)| crate::formats::workflow::read(name.as_ref(), text).0);
        board.apply(Timestamp(1), &Event::WorkflowsLoaded(flows.collect()));
        let settings = BoardSettings {
            base: Some("main".to_owned()),
            ..BoardSettings::default()
        };
        board.apply(Timestamp(1), &Event::configured(settings));
        for command in [
            Command::Create(TaskDraft::new("t-1", "Build")),
            Command::Release(vec!["t-1".into()]),
        ] {
            let (request, by) = (RequestId(0), "ann".to_owned());
            board.apply(Timestamp(2), &Event::Asked { request, by, command });
        }
    }

    /// A board whose only task is worked on, after these events; the report is read a minute later.
    fn told(events: &[Event]) -> String {
        told_at(Timestamp(61_000), events)
    }

    /// The same, read at that time.
    fn told_at(now: Timestamp, events: &[Event]) -> String {
        let mut board = Board::default();
        prepare(&mut board);
        for event in events {
            board.apply(Timestamp(1_000), event);
        }
        let model = ReadModel::of(&board, now);
        let name = model.attempts[&AttemptId(1)].worker.name().to_owned();
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
            "t-1: waits for a person for 1m, needs a permission: Bash: make; `dbs approve t-1` allows it, `dbs reject t-1 WHY` \
             denies it and says why; by AGENT (attempt 1)"
        );
        assert_eq!(
            told(&[asks(AskKind::Dialog)]),
            "t-1: waits for a person for 1m, needs a person at its terminal: Bash: make; answer it there: `dbs`, then `i` on \
             its row; by AGENT (attempt 1)"
        );
    }

    #[test]
    fn the_reports_of_the_sources_are_told_only_where_they_are_asked_for() {
        let source = crate::read_model::SourceReport {
            source: "hook".to_owned(),
            says: "working".to_owned(),
            age: crate::domain::Span::seconds(2),
            counts: true,
            why: "it is the highest source".to_owned(),
        };
        let live = LiveActivity {
            words: "working: Bash".to_owned(),
            source: Some("hook".to_owned()),
            since: Timestamp(1_000),
            age: crate::domain::Span::seconds(2),
            is_stale: false,
            is_waiting: false,
            children: vec![RunningChild {
                name: "make docs".to_owned(),
                age: crate::domain::Span::seconds(90),
            }],
            sources: vec![source],
        };
        let mut board = Board::default();
        prepare(&mut board);
        board.apply(Timestamp(1_000), &started());
        let mut model = ReadModel::of(&board, Timestamp(61_000));
        model.live.insert(AttemptId(1), live);
        let agent = model.attempts[&AttemptId(1)].worker.name().to_owned();
        for name in ["t-1", &agent] {
            let told = |with_sources| report(&model, name, with_sources, OutputFormat::Lines).unwrap();
            assert_eq!(told(false).lines().count(), 1, "{}", told(false));
            let all = told(true);
            assert!(
                all.contains(
                    "\n  now: working: Bash; runs make docs\n    runs make docs  1m\n  hook: working, 2s ago; counts: "
                ),
                "{all}"
            );
        }
    }

    #[test]
    fn a_dialog_whose_entries_are_known_is_answered_by_their_numbers() {
        let options = ["No, exit", "Yes, I trust this folder"]
            .map(str::to_owned)
            .to_vec();
        let menu = Event::MenuSeen {
            attempt: AttemptId(1),
            options,
        };
        let said = told(&[seen(ActivityKind::Dialog("trust this folder".to_owned())), menu]);
        let way = "`dbs answer t-1 NUMBER` chooses of 1 No, exit; 2 Yes, I trust this folder";
        assert!(said.contains(way), "{said}");
    }

    #[test]
    fn what_an_agent_does_is_said_only_where_that_is_known() {
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
                "waits for a person for 1m, needs a person at its terminal: make; ",
            ),
            (
                ActivityKind::Error(what()),
                "waits for a person for 1m, needs a person at its terminal: reports an error: make; ",
            ),
            (
                ActivityKind::Failed(what()),
                "turn failed: make; by AGENT (attempt 1)",
            ),
            (
                ActivityKind::NotLoggedIn(what()),
                "stopping: not logged in; by AGENT",
            ),
            (ActivityKind::Idle, "idle; by AGENT (attempt 1)"),
        ] {
            let said = told(&[seen(ActivityKind::Working), seen(doing)]);
            assert!(said.starts_with(&format!("t-1: {cause}")), "{said}");
            assert!(!said.contains("working"), "{said}");
        }
        assert_eq!(told(&[]), "t-1: starting; by AGENT (attempt 1)");
        assert_eq!(
            told_at(Timestamp(30_000), &[started()]),
            "t-1: starting; by AGENT (attempt 1)"
        );
        assert_eq!(
            told(&[started()]),
            "t-1: nothing reported yet; by AGENT (attempt 1)"
        );
        assert_eq!(
            told(&[seen(ActivityKind::Working)]),
            "t-1: working; by AGENT (attempt 1)"
        );
    }

    /// A person's command, as an event.
    fn asked_for(command: Command) -> Event {
        let (request, by) = (RequestId(0), "ann".to_owned());
        Event::Asked { request, by, command }
    }

    fn ended(tail: &str) -> Event {
        Event::AttemptEnded {
            attempt: AttemptId(1),
            exit: crate::domain::ProcessExit::Code(2),
            tail: tail.to_owned(),
            cause: None,
        }
    }

    #[test]
    fn a_task_that_is_tried_again_says_after_what_and_how_to_try_at_once() {
        let said = told_at(
            Timestamp(2_000),
            &[started(), ended("$ sh agent.sh\nsh: 0: cannot open agent.sh\n")],
        );
        assert_eq!(
            said,
            "t-1: retry in 9s, after: exited with code 2 before reporting: cannot open agent.sh; \
             `dbs retry t-1` tries at once"
        );
        let outside = Event::AttemptNotStarted {
            attempt: AttemptId(1),
            why: "could not read origin: p.git does not appear to be a git repository".into(),
        };
        let said = told_at(Timestamp(2_000), &[outside]);
        assert!(
            said.contains("s, after: could not be started: could not read origin: p.git does"),
            "{said}"
        );
    }

    #[test]
    fn a_task_that_is_held_because_its_agents_ended_says_what_the_last_one_printed() {
        let mut board = Board::default();
        let agent_ends = |attempt: u64| Event::AttemptEnded {
            attempt: AttemptId(attempt),
            exit: crate::domain::ProcessExit::Code(2),
            tail: "sh: 0: cannot open agent.sh".to_owned(),
            cause: None,
        };
        prepare(&mut board);
        for attempt in 1..=3 {
            board.apply(Timestamp(attempt * 1_000_000), &agent_ends(attempt));
            board.apply(Timestamp(attempt * 1_000_000 + 900_000), &Event::Ticked);
        }
        let model = ReadModel::of(&board, Timestamp(9_000_000));
        assert_eq!(
            why_task(&model, &board.tasks[&TaskId::from("t-1")]),
            "t-1: held: exited 3 times without reporting: cannot open agent.sh; `dbs retry t-1` retries it"
        );
    }

    #[test]
    fn while_evidence_is_unknown_or_nothing_is_heard_of_a_process_the_cause_is_told() {
        let done = Event::Signalled {
            attempt: AttemptId(1),
            kind: SignalKind::Done,
            text: "done".to_owned(),
            report: None,
            claims: Claims::default(),
            key: "1".to_owned(),
            by_file: false,
        };
        let why = || "could not reach origin: no route to host".into();
        let unknown = Event::Verified {
            attempt: AttemptId(1),
            evidence: vec![crate::domain::Evidence::new(
                crate::domain::EvidenceKind::CommitsAhead,
                crate::domain::Tri::Unknown(why()),
            )],
            head: None,
            integration: None,
        };
        let exit = Event::AttemptEnded {
            attempt: AttemptId(1),
            exit: crate::domain::ProcessExit::Code(0),
            tail: String::new(),
            cause: None,
        };
        let said = told_at(Timestamp(2_000), &[started(), done, exit, unknown]);
        assert!(
            said.starts_with("t-1: verifying: could not be checked yet, again in ")
                && said
                    .contains("s: could not reach origin: no route to host; the work of AGENT (attempt 1)"),
            "{said}"
        );
        let unheard = Event::AttemptUnknown {
            attempt: AttemptId(1),
            why: why(),
        };
        assert_eq!(
            told(&[unheard]),
            "t-1: starting: could not reach origin: no route to host; by AGENT (attempt 1)"
        );
    }

    #[test]
    fn a_person_who_skips_a_task_and_takes_that_back_is_told_so() {
        let skip = asked_for(Command::Skip("t-1".into()));
        let board = told(&[skip]);
        assert!(
            board.starts_with("t-1: skipped by ann; `dbs retry t-1` retries it"),
            "{board}"
        );
    }

    fn task(id: &str, state: TaskState, why_not: Option<WaitReason>) -> Task {
        let draft = TaskDraft::new(id, "Build");
        Task {
            state,
            why_not,
            ..Task::planned(Timestamp(1), &draft, "development".into())
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of states and their texts")]
    fn of_a_task_that_nobody_works_on_the_cause_comes_first_and_then_the_way_out() {
        let held = TaskState::Held(HoldReason::Blocked("no key".to_owned()));
        let others = [
            task("held", held, None),
            task(
                "failed",
                TaskState::Failed("failed 3 of 3 tries: x".to_owned()),
                None,
            ),
            task(
                "left-out",
                TaskState::Skipped(Skip::Person { by: "ann".to_owned() }),
                None,
            ),
        ];
        let model = ReadModel {
            at: Timestamp(1_000),
            is_live: true,
            tasks: others.map(|task| (task.id.clone(), Arc::new(task))).into(),
            ..ReadModel::default()
        };
        let waits = |why: WaitReason| task("t-1", TaskState::Released, Some(why));
        let skipped = |root: &str| task("t-1", TaskState::Skipped(Skip::Dependency(root.into())), None);
        let stopped = Task {
            deps: ["failed".into()].into(),
            ..waits(WaitReason::Aborted)
        };
        for (task, said) in [
            (
                waits(WaitReason::Dependencies(vec!["t-0".into()])),
                "waits for t-0",
            ),
            (
                waits(WaitReason::Dependencies(vec!["held".into()])),
                "waits for held; held is held; answer with `dbs retry held --note 'ANSWER'`",
            ),
            (
                waits(WaitReason::NoRoom { running: 4, most: 4 }),
                "queued: 4 of 4 agents are running",
            ),
            (waits(WaitReason::Paused), "paused; `dbs resume` continues"),
            (
                waits(WaitReason::NoGoAhead),
                "queued: its batch has not been released yet; `dbs batch release main` hands it over",
            ),
            (
                waits(WaitReason::NoBase),
                "no base branch is set: dbs config base_branch NAME",
            ),
            (
                stopped,
                "run stopped: failed failed; `dbs retry failed` or `dbs skip failed`",
            ),
            (
                task("t-1", TaskState::Failed("gate: tests failed".to_owned()), None),
                "failed: gate: tests failed; `dbs retry t-1` or `dbs skip t-1`",
            ),
            (
                task("t-1", TaskState::Parked("not now".to_owned()), None),
                "parked: not now; `dbs retry t-1` retries it",
            ),
            (
                skipped("failed"),
                "skipped: failed failed; `dbs retry failed` retries it",
            ),
            (
                skipped("left-out"),
                "skipped with left-out; `dbs retry left-out` retries it",
            ),
        ] {
            assert_eq!(why_task(&model, &task), format!("t-1: {said}"));
        }
        let unserved = ReadModel {
            is_live: false,
            ..model
        };
        let said = why_task(&unserved, &waits(WaitReason::Paused));
        assert_eq!(said, "t-1: released: no server runs; `dbs` starts one");
        let at = Timestamp(500);
        let by = "ann".to_owned();
        let paused = ReadModel {
            pause: Some(PauseReason::Operator { by, at }),
            ..unserved
        };
        let said = why_task(&paused, &waits(WaitReason::Paused));
        assert_eq!(said, "t-1: paused: ann paused the board; `dbs resume` continues");
    }
}
