//! Steps that work on files, and those that judge them.

use std::time::Duration;

use super::check::{TreeCheck, check};
use super::error::RehearsalError;
use super::files;
use super::player::{ScenarioPlayer, StepResult};
use super::transcript_line::colour;
use crate::formats::scenario::{ScenarioColour, ScenarioStep, StepAction};

impl ScenarioPlayer<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn play_file_step(&mut self, action: &StepAction) -> StepResult {
        let tree = &self.context.worktree;
        match action {
            StepAction::Write { path, text, append } => {
                let (path, text) = (self.expand(path), self.expand(text));
                files::write(tree, &path, &text, *append)?;
                self.screen
                    .call(if *append { "Append" } else { "Write" }, &path)?;
                self.screen.diff(&added(&text))
            }
            StepAction::Replace { path, edits } => {
                let path = self.expand(path);
                let before = files::read(tree, &path)?;
                let (after, edit) = files::edited(&before, edits)
                    .ok_or_else(|| RehearsalError::NoSuchLine { path: path.clone() })?;
                files::write(tree, &path, &after, false)?;
                self.screen.call("Edit", &path)?;
                self.screen.diff(&format!("-{}\n+{}", edit.line, edit.with))
            }
            StepAction::Remove(path) => {
                let path = self.expand(path);
                files::remove(tree, &path)?;
                Ok(self.screen.call("Remove", &path)?)
            }
            StepAction::Require { path, text, failed } => {
                let (path, text) = (self.expand(path), self.expand(text));
                let missing = !files::read(tree, &path).is_ok_and(|found| found.contains(&text));
                self.screen.call("Search", &format!("{path}: {text}"))?;
                let finding = missing.then(|| format!("{path} does not hold `{text}`"));
                self.judge(&finding.unwrap_or_default(), "found", failed)
            }
            StepAction::Check { complete, failed } => {
                let (extent, target) = if *complete {
                    (TreeCheck::Complete, "the whole tree")
                } else {
                    (TreeCheck::Present, "the tree so far")
                };
                let findings = check(tree, extent).join("\n");
                self.screen.call("Check", target)?;
                self.screen.work("Checking", Duration::from_millis(600))?;
                self.judge(&findings, "everything as listed", failed)
            }
            _ => Ok(()),
        }
    }

    fn judge(&mut self, findings: &str, good: &str, failed: &[ScenarioStep]) -> StepResult {
        if findings.is_empty() {
            return Ok(self.screen.result(good, colour(ScenarioColour::Green))?);
        }
        findings.clone_into(&mut self.failures);
        self.screen.result(findings, colour(ScenarioColour::Red))?;
        self.steps(failed)
    }
}

fn added(text: &str) -> String {
    text.lines().flat_map(|line| ["+", line, "\n"]).collect()
}
