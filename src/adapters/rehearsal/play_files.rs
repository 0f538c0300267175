//! Steps that work on files, and those that judge them.

use std::time::Duration;

use super::check::{Extent, check};
use super::error::RehearsalError;
use super::line::colour;
use super::player::{Played, Player};
use super::{files, show};
use crate::formats::scenario::{Colour, Deed, Step};

impl Player<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn work_on_files(&mut self, deed: &Deed) -> Played {
        let tree = &self.context.worktree;
        match deed {
            Deed::Write { path, text, append } => {
                let (path, text) = (self.expand(path), self.expand(text));
                files::write(tree, &path, &text, *append)?;
                show::call(&mut self.screen, if *append { "Append" } else { "Write" }, &path)?;
                show::diff(&mut self.screen, &added(&text))
            }
            Deed::Replace { path, edits } => {
                let path = self.expand(path);
                let before = files::read(tree, &path)?;
                let (after, edit) = files::edited(&before, edits)
                    .ok_or_else(|| RehearsalError::NoSuchLine { path: path.clone() })?;
                files::write(tree, &path, &after, false)?;
                show::call(&mut self.screen, "Edit", &path)?;
                show::diff(&mut self.screen, &format!("-{}\n+{}", edit.line, edit.with))
            }
            Deed::Remove { path } => {
                let path = self.expand(path);
                files::remove(tree, &path)?;
                Ok(show::call(&mut self.screen, "Remove", &path)?)
            }
            Deed::Require { path, text, failed } => {
                let (path, text) = (self.expand(path), self.expand(text));
                let missing = !files::read(tree, &path).is_ok_and(|found| found.contains(&text));
                show::call(&mut self.screen, "Search", &format!("{path}: {text}"))?;
                let finding = if missing {
                    format!("{path} does not hold `{text}`")
                } else {
                    String::new()
                };
                self.judge(&finding, "found", failed)
            }
            Deed::Check { complete, failed } => {
                let extent = if *complete {
                    Extent::Complete
                } else {
                    Extent::Present
                };
                let findings = check(tree, extent).join("\n");
                show::call(
                    &mut self.screen,
                    "Check",
                    if *complete {
                        "the whole tree"
                    } else {
                        "the tree so far"
                    },
                )?;
                self.screen.work("Checking", Duration::from_millis(600))?;
                self.judge(&findings, "everything as listed", failed)
            }
            _ => Ok(()),
        }
    }

    fn judge(&mut self, findings: &str, good: &str, failed: &[Step]) -> Played {
        if findings.is_empty() {
            return Ok(show::result(&mut self.screen, good, colour(Colour::Green))?);
        }
        findings.clone_into(&mut self.failures);
        show::result(&mut self.screen, findings, colour(Colour::Red))?;
        self.steps(failed)
    }
}

fn added(text: &str) -> String {
    text.lines().flat_map(|line| ["+", line, "\n"]).collect()
}
