//! How many conversations agents may hold open at a time, each and all together. The rest of the places is kept for the commands and
//! screens of persons, however many connections an agent opens.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::domain::AttemptId;
use crate::protocol::callers::Caller;

/// Most conversations of one agent; of gates, and of who is not known, together.
const MOST_OF_ONE: usize = 32;
/// Most conversations of all of them.
const MOST_OF_ALL: usize = 192;

/// Conversations of agents, by attempt; those of gates and of who is not known under none.
#[derive(Debug, Clone, Default)]
pub(super) struct ConnectionPlaces(Arc<Mutex<BTreeMap<Option<AttemptId>, usize>>>);

/// A place that a conversation has, until this is dropped.
#[derive(Debug)]
pub(super) struct ConnectionPlace {
    all: ConnectionPlaces,
    /// Under which it is counted.
    owner: Option<AttemptId>,
}

impl ConnectionPlaces {
    /// A place for a conversation with that caller; a person's is not counted.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn take(&self, caller: &Caller) -> Result<Option<ConnectionPlace>, String> {
        let owner = match caller {
            Caller::Person => return Ok(None),
            Caller::Agent(attempt) => Some(*attempt),
            Caller::Gate | Caller::Unknown(_) => None,
        };
        let mut places = self.0.lock();
        let own = places.get(&owner).copied().unwrap_or(0);
        if own >= MOST_OF_ONE || places.values().sum::<usize>() >= MOST_OF_ALL {
            return Err(format!(
                "could not begin a conversation: one agent may hold {MOST_OF_ONE} open, all agents {MOST_OF_ALL}; close some"
            ));
        }
        places.insert(owner, own + 1);
        Ok(Some(ConnectionPlace {
            all: self.clone(),
            owner,
        }))
    }
}

impl Drop for ConnectionPlace {
    fn drop(&mut self) {
        let mut places = self.all.0.lock();
        match places.get_mut(&self.owner) {
            Some(own) if *own > 1 => *own -= 1,
            Some(_) | None => {
                places.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(attempt: u64) -> Caller {
        Caller::Agent(AttemptId(attempt))
    }

    #[test]
    fn one_agent_cannot_take_the_places_of_others_and_all_leave_some_to_persons() {
        let places = ConnectionPlaces::default();
        let take = |caller: &Caller, many: usize| -> Vec<Option<ConnectionPlace>> {
            (0..many).filter_map(|_| places.take(caller).ok()).collect()
        };
        let first = take(&agent(1), 100);
        assert_eq!(first.len(), 32);
        let others: Vec<_> = (2..10).map(|attempt| take(&agent(attempt), 100)).collect();
        assert_eq!(others.iter().map(Vec::len).sum::<usize>(), 160);
        let why = places.take(&Caller::Gate).unwrap_err();
        assert!(why.contains("all agents 192"), "{why}");
        assert_eq!(take(&Caller::Person, 1_000).len(), 1_000);
        drop(first);
        assert_eq!(take(&Caller::Gate, 100).len(), 32, "what was left is free");
        drop(others);
        assert!(places.0.lock().is_empty());
    }
}
