//! Requests of agents' tools that wait for the reply to an ask.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::domain::{AskId, AskReply, AttemptId};

/// Where the reply to each ask goes.
type ReplySenders = BTreeMap<(AttemptId, AskId), oneshot::Sender<AskReply>>;

/// Who waits for the reply to which ask. Cheap to clone; all clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct AskReplies(Arc<Mutex<ReplySenders>>);

impl AskReplies {
    /// Waits for the reply to an ask; whoever waited for it before no longer does.
    pub(super) fn wait(&self, attempt: AttemptId, ask: AskId) -> oneshot::Receiver<AskReply> {
        let (sender, receiver) = oneshot::channel();
        let mut waiting = self.0.lock();
        waiting.retain(|_, sender| !sender.is_closed());
        waiting.insert((attempt, ask), sender);
        receiver
    }

    /// Hands over a reply. Nobody may be waiting just now: whoever comes back is handed it then.
    pub(super) fn deliver(&self, attempt: AttemptId, ask: &AskId, reply: AskReply) {
        if let Some(sender) = self.0.lock().remove(&(attempt, ask.clone())) {
            // Who has gone comes back for it, or asks no more.
            drop(sender.send(reply));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_reaches_the_one_who_waits_for_that_very_ask() {
        let replies = AskReplies::default();
        let wait = |ask: &str| replies.wait(AttemptId(1), ask.into());
        let (mut first, mut second) = (wait("a"), wait("b"));
        replies.deliver(AttemptId(1), &"b".into(), AskReply::Allow);
        replies.deliver(AttemptId(2), &"a".into(), AskReply::Allow);
        assert_eq!(second.try_recv(), Ok(AskReply::Allow));
        assert!(first.try_recv().is_err());
        // Another connection for the same ask takes the place of the first.
        let mut again = wait("a");
        replies.deliver(AttemptId(1), &"a".into(), AskReply::Deny(String::new()));
        assert_eq!(again.try_recv(), Ok(AskReply::Deny(String::new())));
        assert!(first.try_recv().is_err());
    }
}
