//! Answers the permission an agent asks for: bound to what it asked, and given once only (A5). The key
//! goes nowhere when the agent asks something else by now, or when somebody has answered it already.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::adapters::clock;
use crate::domain::{Accepted, ActivityKind, AttemptId, Refusal, Span, TaskId, Timestamp};
use crate::read_model::ReadModel;
use crate::server::engine_handle::EngineHandle;
use crate::server::hub::TerminalHub;
use crate::server::screens::holder_of;
use crate::term::keys::encode_key;
use crate::ui::{PermissionReply, ScreenId};

/// How long an agent has to report that it goes on. Whatever it still asks then it asks again, or the answer was lost.
const REPLY_TIMEOUT: Span = Span::seconds(10);

/// Permission requests of agents that were already answered, so that each is answered once. One per attempt.
#[derive(Debug, Default)]
struct PermissionReplies(Mutex<BTreeMap<AttemptId, (Timestamp, Timestamp)>>);

impl PermissionReplies {
    /// Takes the answer to what an attempt asks; answers about which task. Only the first to each question is taken: until its
    /// agent has reported that it goes on, another key would be typed into whatever comes next.
    fn claim(
        &self,
        (model, now): (&ReadModel, Timestamp),
        (id, what): (AttemptId, &str),
    ) -> Result<TaskId, Refusal> {
        let is_open = |id: &AttemptId| model.attempts.get(id).filter(|attempt| attempt.state.is_open());
        let asks = ActivityKind::Permission(what.to_owned());
        let Some(attempt) = is_open(&id).filter(|attempt| attempt.activity.doing == asks) else {
            let why = format!("attempt {id} asks something else by now; nothing was typed");
            return Err(Refusal::new(why));
        };
        let since = attempt.activity.since;
        let mut answered = self.0.lock();
        answered.retain(|id, (_, at)| is_open(id).is_some() && now.since(*at) < REPLY_TIMEOUT);
        if answered.get(&id).is_some_and(|(question, _)| *question == since) {
            let task = &attempt.task;
            let why = format!("{task} was answered already and has not gone on yet; nothing was typed again");
            return Err(Refusal::new(why));
        }
        answered.insert(id, (since, now));
        Ok(attempt.task.clone())
    }
}

/// Allows or denies what agents ask, by their terminals.
pub(super) struct Approvals {
    engine: EngineHandle,
    hub: TerminalHub,
    replies: PermissionReplies,
}

impl Approvals {
    pub(super) fn new(engine: EngineHandle, hub: TerminalHub) -> Approvals {
        Approvals {
            engine,
            hub,
            replies: PermissionReplies::default(),
        }
    }

    /// Types a yes or no into the prompt of an agent that still asks what the person read.
    pub(super) fn reply(
        &self,
        id: AttemptId,
        (what, says): (&str, PermissionReply),
    ) -> Result<Accepted, Refusal> {
        let holder = holder_of(ScreenId::Attempt(id));
        let Some(pane) = self.hub.terminal(&holder) else {
            return Err(Refusal::new(format!("the terminal of attempt {id} is not here")));
        };
        let model = self.engine.read_model();
        let task = self.replies.claim((&model, clock::now()), (id, what))?;
        let key = encode_key(&says.key(), pane.terminal.lock().modes());
        self.hub.input(&holder, &key);
        let done = match says {
            PermissionReply::Yes => "allowed",
            PermissionReply::No => "refused",
        };
        Ok(Accepted(format!("{done} {task}: {what}")))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::domain::{AttemptState, Verdict};
    use crate::read_model::settled_attempt;

    const ID: AttemptId = AttemptId(7);

    /// An agent that wants that, since then.
    fn asking(what: &str, since: u64) -> ReadModel {
        let mut attempt = settled_attempt(ID.0, "development", (0, 1), Verdict::Passed);
        attempt.state = AttemptState::Running;
        attempt.activity.doing = ActivityKind::Permission(what.to_owned());
        attempt.activity.since = Timestamp(since);
        let mut model = ReadModel::default();
        model.attempts.insert(ID, Arc::new(attempt));
        model
    }

    #[test]
    fn a_question_is_answered_once_whoever_answers_it() {
        let replies = PermissionReplies::default();
        let take = |model: &ReadModel, now| replies.claim((model, Timestamp(now)), (ID, "npm test"));
        let asked = asking("npm test", 500);
        assert!(take(&asked, 1_000).is_ok());
        let why = take(&asked, 1_001).unwrap_err().why;
        assert!(why.contains("answered already"), "{why}");
        // The same asked anew is another question.
        let anew = asking("npm test", 1_500);
        assert!(take(&anew, 1_600).is_ok());
        assert!(take(&anew, 1_601).is_err());
        // An agent that still asks after a while did not get the answer.
        assert!(take(&anew, 1_600 + REPLY_TIMEOUT.0).is_ok());
    }

    #[test]
    fn what_an_agent_asks_by_now_is_not_what_was_read() {
        let replies = PermissionReplies::default();
        let take = |model: &ReadModel| replies.claim((model, Timestamp(9)), (ID, "npm test"));
        assert!(
            take(&asking("rm -rf build", 5))
                .unwrap_err()
                .why
                .contains("something else")
        );
        assert!(take(&ReadModel::default()).is_err());
        let mut ended = asking("npm test", 5);
        let attempt = Arc::make_mut(ended.attempts.get_mut(&ID).unwrap());
        attempt.state = AttemptState::Settled(Verdict::Passed);
        assert!(take(&ended).is_err());
    }
}
