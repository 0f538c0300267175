//! Replies to what the agent of a task asks, for the commands that give one.

use std::time::Duration;

use crate::adapters::clock;
use crate::adapters::deadline::Deadline;
use crate::cli::commands::prelude::*;
use crate::domain::{Ask, AskReply, AttemptId, Command, TaskId};
use crate::protocol::query::TaskDetail;

/// Maximum time until the board knows the observed wait of an agent, on a busy machine.
const UNTIL_BOARD_KNOWS: Duration = Duration::from_secs(3);

/// Gives the agent of a task the reply if it asks something that takes it, else executes the command.
pub(super) fn reply_or(
    env: &ProcessEnv,
    task: &TaskId,
    takes_it: impl Fn(&Ask) -> bool,
    reply: AskReply,
    otherwise: Command,
    json: JsonFlag,
) -> CommandResult {
    let mut access = BoardAccess::open(env)?;
    let asked = open_ask(&mut access, task, &takes_it)?;
    let asked = asked.and_then(|(attempt, ask)| takes_it(&ask).then_some((attempt, ask.id)));
    let command = match asked {
        Some((attempt, ask)) => Command::AnswerAsk { attempt, ask, reply },
        None => otherwise,
    };
    let answer = access.execute(&env.author(), command)?;
    Ok(print_reply(&answer, "", json))
}

/// Returns the first ask of a task's agent that `is_meant` selects, else its first ask. An observed wait is waited for until the board knows
/// it: without that the reply would be refused, or be taken for something else.
pub(super) fn open_ask(
    access: &mut BoardAccess,
    task: &TaskId,
    is_meant: &dyn Fn(&Ask) -> bool,
) -> CommandResult<Option<(AttemptId, Ask)>> {
    open_ask_until(&Deadline::after(UNTIL_BOARD_KNOWS), is_meant, || {
        access.task(task)
    })
}

fn open_ask_until(
    deadline: &Deadline,
    is_meant: &dyn Fn(&Ask) -> bool,
    mut look: impl FnMut() -> CommandResult<Option<TaskDetail>>,
) -> CommandResult<Option<(AttemptId, Ask)>> {
    loop {
        let Some(detail) = look()? else {
            return Ok(None);
        };
        let asked = detail.attempt.as_ref().and_then(|attempt| {
            let now = clock::now();
            let mut open = attempt.open_asks(now);
            let meant = open.find(|known| is_meant(&known.ask));
            let known = meant.or_else(|| attempt.open_asks(now).next())?;
            Some((attempt.id, known.ask.clone()))
        });
        if asked.is_some() || !detail.is_waiting || deadline.is_over() {
            return Ok(asked);
        }
        deadline.sleep();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{
        AskChannel, AskId, AskKind, AskRecord, AttemptState, Task, TaskDraft, Timestamp, Verdict,
    };
    use crate::read_model::settled_attempt;

    /// A task whose agent is seen to wait or not, and what the board knows that it asks.
    fn detail(is_waiting: bool, ask: Option<&str>) -> TaskDetail {
        let mut attempt = settled_attempt(7, "development", 0, 1, Verdict::Passed);
        attempt.state = AttemptState::Running;
        attempt.asks.extend(ask.map(|id| {
            let ask = Ask {
                id: id.into(),
                kind: AskKind::Permission,
                text: "Bash: make".to_owned(),
                options: Vec::new(),
                channel: AskChannel::Request,
            };
            AskRecord::new(ask, Timestamp(1))
        }));
        TaskDetail {
            task: Arc::new(Task::planned(
                Timestamp(0),
                &TaskDraft::new("t-1", "One"),
                "development".into(),
            )),
            attempt: Some(Arc::new(attempt)),
            is_waiting,
        }
    }

    /// The ask that is found when the task is seen like this, one time after the other, and how many times it was looked at.
    fn found(seen: Vec<Option<TaskDetail>>, deadline: &Deadline) -> (Option<AskId>, usize) {
        let (mut seen, mut looks) = (seen.into_iter(), 0);
        let ask = open_ask_until(deadline, &|_| true, || {
            looks += 1;
            Ok(seen.next().unwrap())
        });
        (ask.unwrap().map(|(_, ask)| ask.id), looks)
    }

    #[test]
    fn what_an_agent_is_seen_to_wait_for_is_found_once_the_board_knows_it() {
        let late = || {
            vec![
                Some(detail(true, None)),
                Some(detail(true, None)),
                Some(detail(true, Some("k"))),
            ]
        };
        let patient = Deadline::after(Duration::from_mins(1));
        assert_eq!(found(late(), &patient), (Some("k".into()), 3));
        let over = Deadline::after(Duration::ZERO);
        assert_eq!(
            found(late(), &over),
            (None, 1),
            "it is not waited for without end"
        );
        assert_eq!(
            found(vec![Some(detail(false, Some("k")))], &over),
            (Some("k".into()), 1)
        );
        // An agent that goes on asks nothing, and a task that is not there has none.
        assert_eq!(
            found(
                vec![Some(detail(true, None)), Some(detail(false, None))],
                &patient
            ),
            (None, 2)
        );
        assert_eq!(found(vec![None], &patient), (None, 1));
    }

    #[test]
    fn a_reply_reaches_the_ask_that_takes_it_although_another_was_made_before() {
        let mut both = detail(false, Some("permission"));
        let attempt = Arc::make_mut(both.attempt.as_mut().unwrap());
        let question = Ask::about_standstill(1, "what should it do?".to_owned());
        let words = question.id.clone();
        attempt.asks.insert(0, AskRecord::new(question, Timestamp(1)));
        let over = Deadline::after(Duration::ZERO);
        let meant = |kind: Option<AskKind>| {
            let is_meant = |ask: &Ask| Some(ask.kind) == kind;
            let found = open_ask_until(&over, &is_meant, || Ok(Some(both.clone())));
            found.unwrap().map(|(_, ask)| ask.id)
        };
        assert_eq!(meant(Some(AskKind::Permission)), Some("permission".into()));
        assert_eq!(meant(None), Some(words));
    }
}
