//! Steps that work on files, and those that judge them.

use std::time::Duration;

use super::check::{TreeCheck, check};
use super::error::RehearsalError;
use super::player::{ScenarioPlayer, StepResult};
use super::transcript_line::colour;
use super::{files, transcript};
use crate::formats::scenario::{ScenarioColour, ScenarioStep, StepAction};

impl ScenarioPlayer<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn play_file_step(&mut self, deed: &StepAction) -> StepResult {
        let tree = &self.context.worktree;
        match deed {
            StepAction::Write { path, text, append } => {
                let (path, text) = (self.expand(path), self.expand(text));
                files::write(tree, &path, &text, *append)?;
                transcript::call(&mut self.screen, if *append { "Append" } else { "Write" }, &path)?;
                transcript::diff(&mut self.screen, &added(&text))
            }
            StepAction::Replace { path, edits } => {
                let path = self.expand(path);
                let before = files::read(tree, &path)?;
                let (after, edit) = files::edited(&before, edits)
                    .ok_or_else(|| RehearsalError::NoSuchLine { path: path.clone() })?;
                files::write(tree, &path, &after, false)?;
                transcript::call(&mut self.screen, "Edit", &path)?;
                transcript::diff(&mut self.screen, &format!("-{}\n+{}", edit.line, edit.with))
            }
            StepAction::Remove { path } => {
                let path = self.expand(path);
                files::remove(tree, &path)?;
                Ok(transcript::call(&mut self.screen, "Remove", &path)?)
            }
            StepAction::Require { path, text, failed } => {
                let (path, text) = (self.expand(path), self.expand(text));
                let missing = !files::read(tree, &path).is_ok_and(|found| found.contains(&text));
                transcript::call(&mut self.screen, "Search", &format!("{path}: {text}"))?;
                let finding = if missing {
                    format!("{path} does not hold `{text}`")
                } else {
                    String::new()
                };
                self.judge(&finding, "found", failed)
            }
            StepAction::Check { complete, failed } => {
                let extent = if *complete {
                    TreeCheck::Complete
                } else {
                    TreeCheck::Present
                };
                let findings = check(tree, extent).join("\n");
                transcript::call(
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

    fn judge(&mut self, findings: &str, good: &str, failed: &[ScenarioStep]) -> StepResult {
        if findings.is_empty() {
            return Ok(transcript::result(
                &mut self.screen,
                good,
                colour(ScenarioColour::Green),
            )?);
        }
        findings.clone_into(&mut self.failures);
        transcript::result(&mut self.screen, findings, colour(ScenarioColour::Red))?;
        self.steps(failed)
    }
}

fn added(text: &str) -> String {
    text.lines().flat_map(|line| ["+", line, "\n"]).collect()
}
