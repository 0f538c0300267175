//! Asks of agents as their tools know them: requests whose reply a tool waits for, and lines that were typed for it.

use std::collections::{BTreeMap, BTreeSet};

use dbs_domain::{Ask, AskChannel, AskId, AskKind, AskReply, AttemptId, Board};

use super::agenda::Act;
use super::dice::Dice;

/// Ask of an attempt.
pub(super) type Key = (AttemptId, AskId);

/// Acts of an agent, each with its delay from now.
type Plan = Vec<(u64, Act)>;

/// State of the tools, with counters.
#[derive(Debug, Clone, Default)]
pub(super) struct Requests {
    /// Requests that wait for a reply, each with what the agent does after it.
    waiting: BTreeMap<Key, (Ask, Plan)>,
    /// Replies that the tools were given; a tool that missed its reply asks once more and must get the same one.
    told: BTreeMap<Key, AskReply>,
    /// Asks whose answer was typed.
    pub(super) typed: BTreeSet<Key>,
    n: u64,
    /// Numbers of replies that arrived, of requests answered in the terminal, and of requests made again to the next server.
    pub(super) n_replies: usize,
    pub(super) n_taken_back: usize,
    pub(super) n_again: usize,
}

impl Requests {
    /// Opens a request of an attempt's tool; its agent does the rest of its plan only after the reply.
    pub(super) fn ask(&mut self, attempt: AttemptId, rest: Plan, dice: &mut Dice) -> Ask {
        self.n += 1;
        let kinds = [AskKind::Permission, AskKind::Question, AskKind::Plan];
        let kind = dice.pick(&kinds).copied().unwrap_or(AskKind::Permission);
        let options = if kind == AskKind::Question && dice.percent(50) {
            vec!["SQLite".to_owned(), "a file".to_owned()]
        } else {
            Vec::new()
        };
        let ask = Ask {
            id: AskId::new(format!("request-{}", self.n)),
            kind,
            text: format!("ask {}", self.n),
            options,
            channel: AskChannel::Request,
        };
        self.waiting
            .insert((attempt, ask.id.clone()), (ask.clone(), rest));
        ask
    }

    /// Closes a request that a person answered in the terminal; returns it with what its agent does next.
    pub(super) fn take_back(&mut self, attempt: AttemptId) -> Option<(AskId, Plan)> {
        let key = self.waiting.keys().find(|(id, _)| *id == attempt).cloned()?;
        let (_, rest) = self.waiting.remove(&key)?;
        self.n_taken_back += 1;
        Some((key.1, rest))
    }

    /// Forgets the requests of an attempt whose process has ended.
    pub(super) fn forget(&mut self, attempt: AttemptId) {
        self.waiting.retain(|(id, _), _| *id != attempt);
    }

    /// Returns all waiting requests, for the next server.
    pub(super) fn again(&mut self) -> Vec<(AttemptId, Ask)> {
        self.n_again += self.waiting.len();
        let waiting = self.waiting.iter();
        waiting.map(|((id, _), (ask, _))| (*id, ask.clone())).collect()
    }

    /// Reads the replies from the board, as the server does for waiting tools. A reply may be lost on its way to the tool. Returns the
    /// attempts that go on now, with their plans.
    pub(super) fn hear(
        &mut self,
        board: &Board,
        dice: &mut Dice,
        lost: u64,
    ) -> Result<Vec<(AttemptId, Plan)>, String> {
        let mut going_on = Vec::new();
        for key in self.waiting.keys().cloned().collect::<Vec<_>>() {
            let Some(reply) = reply_on(board, &key) else {
                continue;
            };
            let before = self.told.entry(key.clone()).or_insert_with(|| reply.clone());
            if *before != reply {
                return Err(format!(
                    "{} of attempt {} was told {before:?} and {reply:?}",
                    key.1, key.0
                ));
            }
            if dice.percent(lost) {
                continue;
            }
            self.n_replies += 1;
            going_on.extend(self.waiting.remove(&key).map(|(_, rest)| (key.0, rest)));
        }
        Ok(going_on)
    }
}

fn reply_on(board: &Board, (attempt, ask): &Key) -> Option<AskReply> {
    let attempt = board.attempts.get(attempt)?;
    let known = attempt.asks.iter().find(|known| known.ask.id == *ask)?;
    known.answer.as_ref().map(|answer| answer.reply.clone())
}
