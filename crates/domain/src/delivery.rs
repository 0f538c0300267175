//! Delivery of merged work to the person's own checkout, and its words.

use serde::{Deserialize, Serialize};

use super::plural::pluralized;

/// Setting of what happens to the person's checkout after a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeliveryMode {
    /// The base branch moves, and if it is checked out its files with it.
    FastForward,
    /// Nothing moves; people are told what to fetch.
    Tell,
    #[default]
    Off,
}

impl DeliveryMode {
    /// Returns true for [`DeliveryMode::Off`].
    pub fn is_off(&self) -> bool {
        *self == DeliveryMode::Off
    }
}

/// Result of an attempt to bring a commit of the base into the person's checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub base: String,
    /// Name of the remote that has the commit; `None` if the project works without one.
    pub remote: Option<String>,
    /// Commit that was to be brought.
    pub to: String,
    /// Number of commits that the branch lacked before.
    pub n_commits: u64,
    pub end: DeliveryEnd,
}

/// End of a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryEnd {
    /// The branch has the commit already.
    Current,
    /// The person has no branch of that name.
    NoBranch,
    /// The branch, the index and the files of the checkout were moved.
    Files,
    /// The branch was moved; it is checked out nowhere.
    Branch,
    /// Nothing was moved, for this reason.
    Kept(String),
    /// Nothing was to be moved.
    Told,
}

impl Delivery {
    /// Returns true if the person's branch still lacks the commit.
    pub fn is_owed(&self) -> bool {
        matches!(self.end, DeliveryEnd::Kept(_) | DeliveryEnd::Told)
    }

    /// Returns the delivery in one line for people; `None` if there was nothing to bring.
    pub fn summary(&self) -> Option<String> {
        let commits = pluralized(self.n_commits, "commit");
        let base = &self.base;
        match &self.end {
            DeliveryEnd::Current | DeliveryEnd::NoBranch => None,
            DeliveryEnd::Files => Some(format!("{base} and its files in your folder moved by {commits}")),
            DeliveryEnd::Branch => Some(format!(
                "your branch {base} moved by {commits}; it is checked out nowhere"
            )),
            DeliveryEnd::Kept(why) => Some(format!("{commits} of {base} not in your folder: {why}")),
            DeliveryEnd::Told => Some(match &self.remote {
                Some(remote) => format!("{commits} on {remote}/{base}: dbs pull"),
                None => format!("{commits} merged into {base}: dbs pull"),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(n_commits: u64, end: DeliveryEnd) -> Option<String> {
        let delivery = Delivery {
            base: "main".to_owned(),
            remote: Some("origin".to_owned()),
            to: "0123".to_owned(),
            n_commits,
            end,
        };
        delivery.summary()
    }

    #[test]
    fn each_end_of_a_delivery_has_its_words_but_the_one_that_brought_nothing() {
        assert_eq!(line(0, DeliveryEnd::Current), None);
        let told = line(3, DeliveryEnd::Told).unwrap();
        assert_eq!(told, "3 commits on origin/main: dbs pull");
        let files = line(1, DeliveryEnd::Files).unwrap();
        assert_eq!(files, "main and its files in your folder moved by 1 commit");
        let kept = line(
            2,
            DeliveryEnd::Kept("a.txt has changes of yours; commit or stash it, then `dbs pull`".to_owned()),
        );
        assert_eq!(
            kept.unwrap(),
            "2 commits of main not in your folder: a.txt has changes of yours; commit or stash it, then `dbs pull`"
        );
    }
}
