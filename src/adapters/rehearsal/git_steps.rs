//! Steps that work with git.

use super::player::{ScenarioPlayer, StepResult};
use super::repository::AttemptRepo;
use super::transcript_line::colour;
use crate::formats::scenario::{ScenarioColour, StepAction};

impl ScenarioPlayer<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn play_git_step(&mut self, action: &StepAction) -> StepResult {
        let repository = AttemptRepo {
            worktree: &self.context.worktree,
            author: self.author,
        };
        match action {
            StepAction::Commit(text) => {
                let text = self.expand(text);
                self.screen
                    .call("Commit", text.lines().next().unwrap_or_default())?;
                match repository.commit(&text)? {
                    Some(id) => self.outcome(&format!("committed as {id}")),
                    None => self.outcome("nothing to commit"),
                }
            }
            StepAction::Push { remote, to, force } => {
                let branch = match to {
                    Some(branch) => self.expand(branch),
                    None => self.context.branch.clone(),
                };
                self.screen.call("Push", &format!("{remote} {branch}"))?;
                repository.push(&self.expand(remote), &branch, *force)?;
                self.outcome("pushed")
            }
            StepAction::Merge {
                reference,
                fetch,
                text,
                resolve,
            } => {
                let reference = self.expand(reference);
                let text = self.expand(text.as_deref().unwrap_or("Merge {base} into {branch}"));
                self.screen.call("Merge", &reference)?;
                let conflicts = repository.merge(&reference, fetch.as_deref(), &text, resolve)?;
                for file in conflicts {
                    self.screen.result(
                        &format!("conflict in {file}: resolved"),
                        colour(ScenarioColour::Yellow),
                    )?;
                }
                self.outcome("merged")
            }
            StepAction::Changes(base) => {
                let changes = repository.changes(&self.expand(base))?;
                self.screen.call("Read changes", "")?;
                self.screen.diff(&changes)
            }
            _ => Ok(()),
        }
    }
}
