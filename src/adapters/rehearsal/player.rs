//! Plays the part of a scenario that is meant for this attempt, step by step.

use super::console::{Console, RawMode};
use super::context::{RehearsalContext, RehearsalSpeed};
use super::error::{PlayEnd, RehearsalError};
use super::osc;
use super::outcome::RehearsalExit;
use super::screen::RehearsalScreen;
use super::signals::SignalSink;
use super::transcript_line::{TranscriptLine, bold, colour};
use crate::domain::SignalKind;
use crate::formats::scenario::{
    CommitAuthor, Scenario, ScenarioAskKind, ScenarioColour, ScenarioPart, ScenarioState, ScenarioStep,
    StepAction, expand,
};

/// Plays a scenario to its end in the given console. Everything the person should know is shown there; information for the engine goes to
/// the sink. A step that cannot be played is shown, sent as a `fail` signal, and ends with code 1; an attempt that no part is meant for
/// ends with code 2; a terminal without a reader with code 129.
pub fn run(
    context: &RehearsalContext,
    scenario: &Scenario,
    pace: RehearsalSpeed,
    console: Console<'_>,
    sink: &mut dyn SignalSink,
) -> RehearsalExit {
    let Some(part) = scenario.part(&context.circumstances()) else {
        let asked = format!(
            "role {}, stage {}, task {}, attempt {}, mode {}",
            context.role, context.stage, context.task, context.number, context.mode
        );
        let text = format!("DEMO: could not {}\r\n", RehearsalError::NoPart(asked));
        // The exit code reports it too if there is no reader.
        drop(console.out.write_all(text.as_bytes()));
        return RehearsalExit::Code(2);
    };
    let played = RawMode::on(console.keys).map_err(PlayEnd::from).and_then(|_raw| {
        let badge = format!("DEMO · scripted agent · {} · {}", context.role, context.task);
        let screen = RehearsalScreen::open(console, pace, part.screen, &badge)?;
        let mut player = ScenarioPlayer {
            context,
            author: &scenario.author,
            screen,
            sink,
            badge,
            answer: String::new(),
            failures: String::new(),
            sent: 0,
        };
        player.play_part(part)
    });
    match played {
        Ok(()) => RehearsalExit::Code(0),
        Err(PlayEnd::Ended(outcome)) => outcome,
        Err(PlayEnd::Failed(_)) => RehearsalExit::Code(1),
        Err(PlayEnd::Lost) => RehearsalExit::Code(129),
    }
}

/// Plays one part of a scenario, with its screen, signals and answers.
pub(super) struct ScenarioPlayer<'a, 's> {
    pub(super) context: &'a RehearsalContext,
    pub(super) author: &'a CommitAuthor,
    pub(super) screen: RehearsalScreen<'s>,
    pub(super) sink: &'a mut dyn SignalSink,
    pub(super) badge: String,
    pub(super) answer: String,
    /// The findings of the latest check that failed.
    pub(super) failures: String,
    pub(super) sent: u32,
}

/// Result of playing a step: done, or why the rehearsal ends.
pub(super) type StepResult = Result<(), PlayEnd>;

impl ScenarioPlayer<'_, '_> {
    fn play_part(&mut self, part: &ScenarioPart) -> StepResult {
        let context = self.context;
        let title = osc::title(&format!("{} · {}", self.badge, context.title));
        self.screen.control(&title)?;
        self.report(ScenarioState::Working, None, None)?;
        let heading = TranscriptLine::new(&context.title, bold(ScenarioColour::Plain));
        self.screen.say(heading)?;
        let about = format!("{}, attempt {}, {}", context.task, context.number, context.mode);
        let about = TranscriptLine::new(&about, colour(ScenarioColour::Grey));
        self.screen.say(about)?;
        let mut played = self.steps(&part.steps);
        if let Err(PlayEnd::Failed(error)) = &played {
            let text = format!("could not {error}");
            played = self.give_up(&text).and(played);
        }
        // A crashed agent cleans nothing up.
        if !matches!(
            played,
            Err(PlayEnd::Ended(RehearsalExit::Crash(_)) | PlayEnd::Lost)
        ) {
            self.report(ScenarioState::Clear, None, None)?;
            self.screen.close()?;
        }
        played
    }

    fn give_up(&mut self, text: &str) -> StepResult {
        self.screen.say_text(text, bold(ScenarioColour::Red))?;
        self.report(ScenarioState::Error, None, Some(text))?;
        let signal = self.outgoing(SignalKind::Fail, text.to_owned());
        // The sink may be the very thing that failed; the exit code says the rest.
        drop(self.sink.send(&signal));
        Ok(())
    }

    pub(super) fn steps(&mut self, steps: &[ScenarioStep]) -> StepResult {
        steps.iter().try_for_each(|step| self.step(&step.action))
    }

    fn step(&mut self, action: &StepAction) -> StepResult {
        match action {
            StepAction::Write { .. }
            | StepAction::Replace { .. }
            | StepAction::Remove { .. }
            | StepAction::Require { .. }
            | StepAction::Check { .. } => self.play_file_step(action),
            StepAction::Commit { .. }
            | StepAction::Push { .. }
            | StepAction::Merge { .. }
            | StepAction::Changes { .. } => self.play_git_step(action),
            StepAction::Signal { .. }
            | StepAction::Ask { .. }
            | StepAction::State { .. }
            | StepAction::Title { .. } => self.play_signal_step(action),
            StepAction::Hang { .. }
            | StepAction::Flood { .. }
            | StepAction::HugeLine { .. }
            | StepAction::Garbage { .. }
            | StepAction::ForkDaemon { .. }
            | StepAction::IgnoreTerm
            | StepAction::Crash { .. }
            | StepAction::Exit { .. } => self.play_fault_step(action),
            _ => self.show(action),
        }
    }

    fn show(&mut self, action: &StepAction) -> StepResult {
        match action {
            StepAction::Print { text, look, typed } if *typed => self.screen.typed(&self.expand(text), *look),
            StepAction::Print { text, look, .. } => Ok(self.screen.say_text(&self.expand(text), *look)?),
            StepAction::Raw(text) => Ok(self.screen.bytes(self.expand(text).as_bytes())?),
            StepAction::Think { text, time } => self.screen.work(&self.expand(text), *time),
            StepAction::Tool {
                name,
                target,
                output,
                time,
            } => {
                let name = self.expand(name);
                let target = self.expand(target);
                self.screen.call(&name, &target)?;
                self.screen.work(&name, *time)?;
                self.outcome(&self.expand(output.as_deref().unwrap_or_default()))
            }
            StepAction::Diff(text) => self.screen.diff(&self.expand(text)),
            StepAction::Bar { label, time } => self.screen.bar(&self.expand(label), *time),
            StepAction::Draw { animation, time } => self.screen.draw(*animation, *time, &self.badge),
            StepAction::Sleep(time) => self.screen.wait(*time),
            _ => Ok(()),
        }
    }

    pub(super) fn outcome(&mut self, text: &str) -> StepResult {
        Ok(self.screen.result(text, colour(ScenarioColour::Grey))?)
    }

    pub(super) fn report(
        &mut self,
        state: ScenarioState,
        kind: Option<ScenarioAskKind>,
        text: Option<&str>,
    ) -> StepResult {
        Ok(self.screen.control(&osc::state(state, kind, text))?)
    }

    /// Replaces the variables in every text of a JSON value.
    pub(super) fn expand_json(&self, value: &serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match value {
            Value::String(text) => self.expand(text).into(),
            Value::Array(list) => list.iter().map(|value| self.expand_json(value)).collect(),
            Value::Object(map) => {
                let expanded = map
                    .iter()
                    .map(|(key, value)| (key.clone(), self.expand_json(value)));
                Value::Object(expanded.collect())
            }
            other => other.clone(),
        }
    }

    pub(super) fn expand(&self, text: &str) -> String {
        let context = self.context;
        expand(text, |name| match name {
            "task" => context.task.clone(),
            "title" => context.title.clone(),
            "branch" => context.branch.clone(),
            "base" => context.base.clone(),
            "attempt" => context.attempt.clone(),
            "n" => context.number.to_string(),
            "answer" => self.answer.clone(),
            "failures" => self.failures.clone(),
            _ => String::new(),
        })
    }
}
