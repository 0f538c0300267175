//! Subagents and background commands of an agent, by name. Must not decide what the agent does.

use std::collections::BTreeMap;

use super::observation::Source;
use crate::domain::Timestamp;

/// Children remembered for each agent, those that have ended included; the one heard of longest ago is forgotten.
const MOST: usize = 256;

/// A subagent or background command that runs for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Child {
    /// The tool's own id of it.
    pub id: String,
    /// Name for people; the id when it has no name.
    pub name: String,
    pub source: Source,
    pub since: Timestamp,
}

/// Children of an agent, with everything known of them, by source and id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Children(BTreeMap<(Source, String), Known>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Known {
    name: String,
    since: Timestamp,
    at: Timestamp,
    runs: bool,
}

impl Children {
    /// Takes a report that a child runs under that name, or runs no longer.
    pub(super) fn take(&mut self, source: Source, at: Timestamp, id: &str, running: Option<String>) {
        let runs = running.is_some();
        let key = (source, id.to_owned());
        let known = self.0.entry(key).or_insert_with(|| Known {
            name: id.to_owned(),
            since: at,
            at,
            runs,
        });
        if at < known.at {
            return;
        }
        if runs && !known.runs {
            known.since = at;
        }
        (known.at, known.runs) = (at, runs);
        if let Some(name) = running.filter(|name| !name.is_empty()) {
            known.name = name;
        }
        self.forget();
    }

    /// Marks those of a source that are not listed as ended, and the listed ones as running.
    pub(super) fn only(&mut self, source: Source, at: Timestamp, listed: Vec<(String, String)>) {
        for ((from, id), known) in &mut self.0 {
            if *from == source && known.at <= at && !listed.iter().any(|(other, _)| other == id) {
                (known.at, known.runs) = (at, false);
            }
        }
        for (id, name) in listed.into_iter().take(MOST) {
            self.take(source, at, &id, Some(name));
        }
    }

    /// Returns the children that run, each as its highest source reported it.
    pub(super) fn running(&self) -> Vec<Child> {
        let mut children: Vec<Child> = Vec::new();
        for ((source, id), known) in &self.0 {
            if known.runs && !children.iter().any(|child| &child.id == id) {
                children.push(Child {
                    id: id.clone(),
                    name: known.name.clone(),
                    source: *source,
                    since: known.since,
                });
            }
        }
        children
    }

    /// Moves all times by that number of milliseconds, because the clock was put forward or back.
    pub(super) fn move_times(&mut self, by: i64) {
        for known in self.0.values_mut() {
            (known.since, known.at) = (known.since.moved(by), known.at.moved(by));
        }
    }

    fn forget(&mut self) {
        while self.0.len() > MOST {
            let oldest = self.0.iter().min_by_key(|(_, known)| (known.runs, known.at));
            let Some(key) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.0.remove(&key);
        }
    }
}
