//! Steps that work with git.

use super::line::colour;
use super::player::{Played, Player};
use super::repository::Repository;
use super::show;
use crate::formats::scenario::{Colour, Deed};

impl Player<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn work_with_git(&mut self, deed: &Deed) -> Played {
        let repository = Repository {
            worktree: &self.context.worktree,
            author: self.author,
        };
        match deed {
            Deed::Commit { text } => {
                let text = self.expand(text);
                show::call(
                    &mut self.screen,
                    "Commit",
                    text.lines().next().unwrap_or_default(),
                )?;
                match repository.commit(&text)? {
                    Some(id) => self.outcome(&format!("committed as {id}")),
                    None => self.outcome("nothing to commit"),
                }
            }
            Deed::Push { remote, to, force } => {
                let branch = match to {
                    Some(branch) => self.expand(branch),
                    None => self.context.branch.clone(),
                };
                show::call(&mut self.screen, "Push", &format!("{remote} {branch}"))?;
                repository.push(&self.expand(remote), &branch, *force)?;
                self.outcome("pushed")
            }
            Deed::Merge {
                reference,
                fetch,
                text,
                resolve,
            } => {
                let reference = self.expand(reference);
                let text = self.expand(text.as_deref().unwrap_or("Merge {base} into {branch}"));
                show::call(&mut self.screen, "Merge", &reference)?;
                let conflicts = repository.merge(&reference, fetch.as_deref(), &text, resolve)?;
                for file in conflicts {
                    show::result(
                        &mut self.screen,
                        &format!("conflict in {file}: resolved"),
                        colour(Colour::Yellow),
                    )?;
                }
                self.outcome("merged")
            }
            Deed::Changes { base } => {
                let changes = repository.changes(&self.expand(base))?;
                show::call(&mut self.screen, "Read changes", "")?;
                show::diff(&mut self.screen, &changes)
            }
            _ => Ok(()),
        }
    }
}
