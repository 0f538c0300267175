//! Steps that speak: to the engine by signals, to the person by questions, to the terminal by states.

use super::ask::ask;
use super::context::Context;
use super::error::RehearsalError;
use super::line::{Line, bold, colour};
use super::player::{Played, Player};
use super::signals::OutgoingSignal;
use super::{report, show};
use crate::domain::SignalKind;
use crate::formats::scenario::{Colour, Deed, ReportedState};

impl Player<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn speak(&mut self, deed: &Deed) -> Played {
        match deed {
            Deed::Signal {
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
            Deed::Ask {
                text,
                kind,
                choices,
                answer_after,
                refused,
            } => {
                let text = self.expand(text);
                self.report(ReportedState::Blocked, Some(*kind), Some(&text))?;
                let after = self
                    .screen
                    .pace
                    .answer_after
                    .or(answer_after.map(|time| self.screen.pace.scaled(time)));
                let choices: Vec<String> = choices.iter().map(|choice| self.expand(choice)).collect();
                let index = ask(&mut self.screen, &text, &choices, after)?;
                self.report(ReportedState::Working, None, None)?;
                self.answer = choices.get(index).cloned().unwrap_or_default();
                let said = Line::new(&format!("{text} "), colour(Colour::Grey))
                    .and(&self.answer, bold(Colour::Cyan));
                self.screen.say(said)?;
                if choices.len() > 1 && index + 1 == choices.len() {
                    self.steps(refused)
                } else {
                    Ok(())
                }
            }
            Deed::State { state, kind, text } => {
                let text = text.as_ref().map(|text| self.expand(text));
                self.report(*state, *kind, text.as_deref())
            }
            Deed::Title { text } => Ok(self.screen.control(&report::title(&self.expand(text)))?),
            _ => Ok(()),
        }
    }

    fn send(&mut self, signal: &OutgoingSignal) -> Played {
        let kind = signal.kind.to_string();
        show::call(&mut self.screen, "Signal", &kind)?;
        if !signal.text.is_empty() {
            self.outcome(&signal.text)?;
        }
        self.sink
            .send(signal)
            .map_err(|why| RehearsalError::Signal { kind, why })?;
        if signal.kind.is_terminal() {
            self.report(ReportedState::Done, None, None)
        } else {
            Ok(())
        }
    }

    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn outgoing(&mut self, kind: SignalKind, text: String) -> OutgoingSignal {
        self.sent += 1;
        let Context { attempt, token, .. } = self.context;
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
