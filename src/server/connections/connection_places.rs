//! Limits on conversations: for each agent and all agents together, and for one process of a person. The remaining places are kept for the
//! commands and screens of persons, however many connections an agent or a broken script opens.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::domain::{AttemptId, Refusal};
use crate::protocol::callers::Caller;

/// Maximum conversations of one agent; of gates and unknown callers together.
const MOST_OF_ONE: usize = 32;
/// Maximum conversations of all of them.
const MOST_OF_ALL: usize = 192;
/// Maximum conversations of one process of a person.
const MOST_OF_PROCESS: usize = 64;

/// Owner of conversations that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PlaceOwner {
    Attempt(AttemptId),
    /// Gates and unknown callers.
    Others,
    /// A process of a person, by its number.
    Process(u32),
}

/// Conversations by owner.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct ConnectionPlaces(Arc<Mutex<BTreeMap<PlaceOwner, usize>>>);

/// The place of a conversation, held until this is dropped.
#[derive(Debug)]
pub(in crate::server) struct ConnectionPlace {
    all: ConnectionPlaces,
    /// The owner it is counted for.
    owner: PlaceOwner,
}

impl ConnectionPlaces {
    /// Takes a place for a conversation with that caller, which is the process of that number; a person with an unknown process is not
    /// counted.
    ///
    /// # Errors
    /// When there is none.
    pub(in crate::server) fn take(
        &self,
        caller: &Caller,
        process: Option<u32>,
    ) -> Result<Option<ConnectionPlace>, Refusal> {
        let owner = match (caller, process) {
            (Caller::Person | Caller::Hidden, None) => return Ok(None),
            (Caller::Person | Caller::Hidden, Some(process)) => PlaceOwner::Process(process),
            (Caller::Agent(attempt), _) => PlaceOwner::Attempt(*attempt),
            (Caller::Program(_) | Caller::Unknown(_), _) => PlaceOwner::Others,
        };
        let mut places = self.0.lock();
        let own = places.get(&owner).copied().unwrap_or(0);
        if let PlaceOwner::Process(process) = owner {
            if own >= MOST_OF_PROCESS {
                return Err(Refusal::new(format!(
                    "could not begin a conversation: one process may hold {MOST_OF_PROCESS} open, and {process} does; close some"
                )));
            }
        } else if own >= MOST_OF_ONE || of_agents(&places) >= MOST_OF_ALL {
            return Err(Refusal::new(format!(
                "could not begin a conversation: one agent may hold {MOST_OF_ONE} open, all agents {MOST_OF_ALL}; close some"
            )));
        }
        places.insert(owner, own + 1);
        Ok(Some(ConnectionPlace {
            all: self.clone(),
            owner,
        }))
    }
}

fn of_agents(places: &BTreeMap<PlaceOwner, usize>) -> usize {
    let agents = places
        .iter()
        .filter(|(owner, _)| !matches!(owner, PlaceOwner::Process(_)));
    agents.map(|(_, own)| own).sum()
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
    use crate::protocol::callers::BY_GATE;

    fn agent(attempt: u64) -> Caller {
        Caller::Agent(AttemptId(attempt))
    }

    #[test]
    fn one_agent_cannot_take_the_places_of_others_and_all_leave_some_to_persons() {
        let places = ConnectionPlaces::default();
        let take = |caller: &Caller, many: usize| -> Vec<Option<ConnectionPlace>> {
            (0..many).filter_map(|_| places.take(caller, None).ok()).collect()
        };
        let first = take(&agent(1), 100);
        assert_eq!(first.len(), 32);
        let others: Vec<_> = (2..10).map(|attempt| take(&agent(attempt), 100)).collect();
        assert_eq!(others.iter().map(Vec::len).sum::<usize>(), 160);
        let why = places.take(&Caller::Program(BY_GATE), Some(7)).unwrap_err().why;
        assert!(why.contains("all agents 192"), "{why}");
        assert_eq!(take(&Caller::Person, 1_000).len(), 1_000);
        drop(first);
        assert_eq!(
            take(&Caller::Program(BY_GATE), 100).len(),
            32,
            "what was left is free"
        );
        drop(others);
        assert!(places.0.lock().is_empty());
    }

    #[test]
    fn one_process_of_a_person_cannot_take_the_places_of_others() {
        let places = ConnectionPlaces::default();
        let take = |process: u32| -> Vec<_> {
            let places = (0..100).map(|_| places.take(&Caller::Person, Some(process)));
            places.filter_map(Result::ok).collect()
        };
        let first = take(7);
        assert_eq!(first.len(), 64);
        assert_eq!(take(8).len(), 64);
        let why = places.take(&Caller::Person, Some(7)).unwrap_err().why;
        assert!(
            why.contains("one process may hold 64") && why.contains("and 7 does"),
            "{why}"
        );
        let of_agents = (0..50).filter_map(|_| places.take(&agent(1), Some(7)).ok());
        assert_eq!(
            of_agents.count(),
            50,
            "each goes before the next comes, and persons do not count"
        );
        drop(first);
        assert_eq!(take(7).len(), 64, "what was left is free");
        assert!(places.0.lock().is_empty());
    }
}
