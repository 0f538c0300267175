//! Expiry of the attic's entries: names of work of tasks that were over long ago. Their objects stay, as all objects of the control
//! repository do, so that an id that is known still leads to them.

use std::collections::BTreeSet;
use std::time::UNIX_EPOCH;

use super::cli::GitCli;
use crate::domain::Timestamp;
use crate::ports::git::{CommitId, GitError, SafeName};

/// Maximum number of names that are removed at a time, each by a git of its own; the others go the next time.
const MOST: usize = 100;
/// Prefix of the names of entries, by task.
const ATTIC: &str = "refs/dbs/attic/";

impl GitCli {
    pub(super) fn remove_attic_names(
        &self,
        over: &BTreeSet<SafeName>,
        before: Timestamp,
    ) -> Result<usize, GitError> {
        let over: BTreeSet<&str> = over.iter().map(SafeName::as_str).collect();
        let call = self.in_control("list the attic")?;
        let call = call.words("for-each-ref --format=%(refname)%09%(objectname) --");
        let listed = call.arg(ATTIC).run_ok()?;
        let text = listed.text();
        let entries = text.lines().filter_map(|line| line.split_once('\t'));
        let is_old = |(name, id): &(&str, &str)| {
            let task = name.strip_prefix(ATTIC).and_then(|rest| rest.rsplit_once('/'));
            let is_over = task.is_some_and(|(task, _)| over.contains(task));
            // The last line of a list that was too long has half an id.
            is_over && CommitId::new(id).is_ok() && self.was_made_before(name, before)
        };
        let mut n_removed = 0;
        for (name, id) in entries.filter(is_old).take(MOST) {
            let call = self.in_control(format!("remove {name} from the attic"))?;
            let call = call.words("update-ref -d --end-of-options").args([name, id]);
            self.run_in_control_lock(call)?.ok()?;
            n_removed += 1;
        }
        Ok(n_removed)
    }

    /// Returns true if a name was made before that time, according to the log that git keeps of it; false without a log, because then the
    /// time is not known.
    fn was_made_before(&self, name: &str, before: Timestamp) -> bool {
        let log = self.control.path.join("logs").join(name).metadata();
        let made = log.and_then(|log| log.modified()).ok();
        let made = made.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        made.is_some_and(|at| at.as_millis() < u128::from(before.0))
    }
}
