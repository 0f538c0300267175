//! Steps that send something: signals to the engine, questions to the person, states to the terminal.

use super::context::RehearsalContext;
use super::error::RehearsalError;
use super::osc;
use super::player::{ScenarioPlayer, StepResult};
use super::prompt::ask;
use super::signals::OutgoingSignal;
use super::transcript_line::{TranscriptLine, bold, colour};
use crate::domain::SignalKind;
use crate::formats::scenario::{ScenarioColour, ScenarioState, StepAction};

impl ScenarioPlayer<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn play_signal_step(&mut self, action: &StepAction) -> StepResult {
        match action {
            StepAction::Signal {
                kind,
                text,
                report,
                token,
                attempt,
            } => {
                let mut signal = self.outgoing(*kind, self.expand(text.as_deref().unwrap_or_default()));
                signal.report = report.as_ref().map(|report| self.expand_json(report));
                if let Some(token) = token {
                    signal.token = self.expand(token);
                }
                if let Some(attempt) = attempt {
                    signal.attempt = self.expand(attempt);
                }
                self.send(&signal)
            }
            StepAction::Ask {
                text,
                kind,
                choices,
                answer_after,
                refused,
            } => {
                let text = self.expand(text);
                self.report(ScenarioState::Blocked, Some(*kind), Some(&text))?;
                let after = self
                    .screen
                    .pace
                    .answer_after
                    .or(answer_after.map(|time| self.screen.pace.scaled(time)));
                let choices: Vec<String> = choices.iter().map(|choice| self.expand(choice)).collect();
                let person = self.context.person_file.as_deref();
                let index = ask(&mut self.screen, &text, &choices, after, person)?;
                self.report(ScenarioState::Working, None, None)?;
                self.answer = choices.get(index).cloned().unwrap_or_default();
                let line = TranscriptLine::new(&format!("{text} "), colour(ScenarioColour::Grey))
                    .and(&self.answer, bold(ScenarioColour::Cyan));
                self.screen.say(line)?;
                if choices.len() > 1 && index + 1 == choices.len() {
                    self.steps(refused)
                } else {
                    Ok(())
                }
            }
            StepAction::State { state, kind, text } => {
                let text = text.as_ref().map(|text| self.expand(text));
                self.report(*state, *kind, text.as_deref())
            }
            StepAction::Title(text) => Ok(self.screen.control(&osc::title(&self.expand(text)))?),
            _ => Ok(()),
        }
    }

    fn send(&mut self, signal: &OutgoingSignal) -> StepResult {
        let kind = signal.kind.to_string();
        self.screen.call("Signal", &kind)?;
        if !signal.text.is_empty() {
            self.outcome(&signal.text)?;
        }
        self.sink.send(signal).map_err(|why| RehearsalError::Signal {
            kind,
            why: why.to_string(),
        })?;
        if signal.kind.is_terminal() {
            self.report(ScenarioState::Done, None, None)
        } else {
            Ok(())
        }
    }

    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn outgoing(&mut self, kind: SignalKind, text: String) -> OutgoingSignal {
        self.sent += 1;
        let RehearsalContext { attempt, token, .. } = self.context;
        let key = format!("rehearsal-{attempt}-{}-{}", std::process::id(), self.sent);
        OutgoingSignal {
            attempt: attempt.clone(),
            token: token.clone(),
            kind,
            text,
            report: None,
            key,
        }
    }
}
