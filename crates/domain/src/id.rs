//! Identities as newtypes, so that a task's name can never be mistaken for a stage's.

use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        ///
        /// Sorts as people count: `dbs-5` before `dbs-12`. A clone shares the text.
        #[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Wraps the text without changes.
            pub fn new(text: impl Into<Arc<str>>) -> Self {
                Self(text.into())
            }

            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                natural(&self.0, &other.0)
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }
    };
}

text_id! {
    /// Id that distinguishes one ask of an attempt: the tool's own id of its request, or the place in its output where it appeared.
    AskId
}
text_id! {
    /// Id of a task: `dbs-3f2a` when native, `bd-7`, `3.1`, `US-001` when it came from outside.
    TaskId
}
text_id! {
    /// Id of a batch of tasks that belong together.
    BatchId
}
text_id! {
    /// Id of a stage of a workflow, with underscores: `security_review`.
    StageId
}
text_id! {
    /// Id of a role an agent can play: `developer`, `security-reviewer`.
    RoleId
}

impl RoleId {
    /// Returns true for the role that a person plans with: it writes the backlog, talks in its terminal and takes no agent's place (K1,
    /// K87).
    pub fn is_conductor(&self) -> bool {
        self.as_str() == "conductor"
    }
}

text_id! {
    /// Id of a workflow: `kanban`, `investigation`.
    WorkflowId
}

impl WorkflowId {
    /// Workflow of a conductor's own task.
    pub const CONDUCT: &'static str = "conduct";

    /// Returns true if the workflow's tasks are conductors.
    pub fn is_conduct(&self) -> bool {
        self.as_str() == WorkflowId::CONDUCT
    }
}

/// Number of an attempt, counted from 1 over the life of a project and never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AttemptId(pub u64);

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Number of a command, chosen by its sender and echoed in the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(pub u64);

/// Compares texts in the order people count in: runs of digits by their number, everything else by its characters. Equal only for equal
/// texts, so that it can order keys: texts that differ only in leading zeros are in the order of their characters.
fn natural(left: &str, right: &str) -> Ordering {
    // Every look-up in a board compares ids: equal ones are recognized at once, and the common prefix of all ids of a plan is passed
    // quickly.
    if left == right {
        return Ordering::Equal;
    }
    let (mut a, mut b) = behind_the_same(left.as_bytes(), right.as_bytes());
    while let (Some(first), Some(second)) = (a.first(), b.first()) {
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            by_number(&mut a, &mut b)
        } else {
            (a, b) = (a.get(1..).unwrap_or_default(), b.get(1..).unwrap_or_default());
            first.cmp(second)
        };
        if order.is_ne() {
            return order;
        }
    }
    a.len().cmp(&b.len()).then_with(|| left.cmp(right))
}

/// Returns both texts without their common prefix. A number that continues in one of them is left whole.
fn behind_the_same<'a>(mut a: &'a [u8], mut b: &'a [u8]) -> (&'a [u8], &'a [u8]) {
    let mut behind = (a, b);
    while let ([one, rest @ ..], [other, other_rest @ ..]) = (a, b)
        && one == other
    {
        (a, b) = (rest, other_rest);
        if !one.is_ascii_digit() {
            behind = (a, b);
        }
    }
    behind
}

/// Compares the numbers that both begin with, however long, and removes them.
fn by_number(a: &mut &[u8], b: &mut &[u8]) -> Ordering {
    (*a, *b) = (without_zeros(a), without_zeros(b));
    // Of numbers of the same length the first digit that differs decides.
    let mut order = Ordering::Equal;
    loop {
        match (digit(a), digit(b)) {
            (Some((one, rest)), Some((other, other_rest))) => {
                order = order.then(one.cmp(&other));
                (*a, *b) = (rest, other_rest);
            }
            (Some(_), None) => return Ordering::Greater,
            (None, Some(_)) => return Ordering::Less,
            (None, None) => return order,
        }
    }
}

/// Returns the digit that the text begins with, and the rest.
fn digit(text: &[u8]) -> Option<(u8, &[u8])> {
    match text {
        [first, rest @ ..] if first.is_ascii_digit() => Some((*first, rest)),
        _ => None,
    }
}

fn without_zeros(mut text: &[u8]) -> &[u8] {
    while let [b'0', rest @ ..] = text {
        text = rest;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(texts: &[&str]) -> Vec<String> {
        let mut ids: Vec<TaskId> = texts.iter().map(|text| TaskId::from(*text)).collect();
        ids.sort();
        ids.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn ids_are_in_the_order_people_count_in() {
        assert_eq!(
            sorted(&[
                "dbs-12", "dbs-5", "3.10", "3.2", "US-010", "US-9", "dbs", "dbs-5.1"
            ]),
            [
                "3.2", "3.10", "US-9", "US-010", "dbs", "dbs-5", "dbs-5.1", "dbs-12"
            ]
        );
    }

    #[test]
    fn numbers_of_any_length_are_compared_and_only_equal_ids_are_equal() {
        let long = "9".repeat(40);
        assert_eq!(
            sorted(&[&format!("a{long}"), "a10"]),
            ["a10".to_owned(), format!("a{long}")]
        );
        assert_eq!(TaskId::from("a01").cmp(&TaskId::from("a1")), Ordering::Less);
        assert_eq!(TaskId::from("a1").cmp(&TaskId::from("a1")), Ordering::Equal);
        assert_eq!(sorted(&["a01b", "a1a", "a1"]), ["a1", "a1a", "a01b"]);
    }

    /// The order as its sentence says it, slowly: characters one by one, a run of digits as one number.
    fn sort_key(text: &str) -> Vec<(&str, usize, &str)> {
        let mut key = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let n_digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let (number, behind) = rest.split_at(n_digits);
            if n_digits == 0 {
                let (first, behind) = rest.split_at(1);
                key.push((first, 0, ""));
                rest = behind;
            } else {
                let number = number.trim_start_matches('0');
                key.push(("0", number.len(), number));
                rest = behind;
            }
        }
        key
    }

    #[test]
    fn every_short_id_is_where_its_characters_and_numbers_put_it() {
        let mut texts = vec![String::new()];
        let mut longest = texts.clone();
        for _ in 0..4 {
            let longer = |text: &String| ["a", ".", "0", "1", "2"].map(|more| format!("{text}{more}"));
            longest = longest.iter().flat_map(longer).collect();
            texts.extend(longest.iter().cloned());
        }
        for left in &texts {
            for right in &texts {
                let expected = sort_key(left).cmp(&sort_key(right)).then_with(|| left.cmp(right));
                assert_eq!(natural(left, right), expected, "{left:?} and {right:?}");
            }
        }
    }
}
