//! Plays the part of a scenario that is meant for this attempt, step by step.

use super::console::{Console, RawMode};
use super::context::{Context, Pace};
use super::error::{RehearsalError, Stop};
use super::line::{Line, bold, colour};
use super::outcome::ExitOutcome;
use super::screen::Screen;
use super::signals::SignalSink;
use super::{report, show};
use crate::domain::SignalKind;
use crate::formats::scenario::{AskKind, Author, Colour, Deed, Part, ReportedState, Scenario, Step, expand};

/// Plays a scenario to its end in the given console. Everything the person should know is shown there; what the engine
/// should know goes to the sink. A step that cannot be played is shown, sent as a `fail` signal, and ends with code 1;
/// an attempt no part is meant for ends with code 2; a terminal nobody reads any more with code 129.
pub fn run(
    context: &Context,
    scenario: &Scenario,
    pace: Pace,
    console: Console<'_>,
    sink: &mut dyn SignalSink,
) -> ExitOutcome {
    let Some(part) = scenario.part(&context.circumstances()) else {
        let Context {
            role,
            stage,
            task,
            number,
            mode,
            ..
        } = context;
        let asked = format!("role {role}, stage {stage}, task {task}, attempt {number}, mode {mode}");
        let text = format!("REHEARSAL: could not {}\r\n", RehearsalError::NoPart(asked));
        // The exit code says it too if nobody reads this.
        drop(console.out.write_all(text.as_bytes()));
        return ExitOutcome::Code(2);
    };
    let played = RawMode::on(console.keys).map_err(Stop::from).and_then(|_raw| {
        let badge = format!("REHEARSAL · {} · {}", context.role, context.task);
        let screen = Screen::open(console, pace, part.screen, &badge)?;
        let mut player = Player {
            context,
            author: &scenario.author,
            screen,
            sink,
            badge,
            answer: String::new(),
            failures: String::new(),
            sent: 0,
        };
        player.perform(part)
    });
    match played {
        Ok(()) => ExitOutcome::Code(0),
        Err(Stop::Ended(outcome)) => outcome,
        Err(Stop::Failed(_)) => ExitOutcome::Code(1),
        Err(Stop::Lost) => ExitOutcome::Code(129),
    }
}

/// One performance: what it knows, what it draws on, what it has heard so far.
pub(super) struct Player<'a, 's> {
    /// The attempt.
    pub(super) context: &'a Context,
    /// Who commits.
    pub(super) author: &'a Author,
    /// Where it draws.
    pub(super) screen: Screen<'s>,
    /// Where its signals go.
    pub(super) sink: &'a mut dyn SignalSink,
    /// The label that is always visible.
    pub(super) badge: String,
    /// The latest answer of a person.
    pub(super) answer: String,
    /// The findings of the latest check that failed.
    pub(super) failures: String,
    /// Signals sent so far.
    pub(super) sent: u32,
}

/// A step that has been played, or why playing stops.
pub(super) type Played = Result<(), Stop>;

impl Player<'_, '_> {
    fn perform(&mut self, part: &Part) -> Played {
        let Context {
            task, title, number, ..
        } = self.context;
        self.screen
            .control(&report::title(&format!("{} · {title}", self.badge)))?;
        self.report(ReportedState::Working, None, None)?;
        self.screen.say(Line::new(title, bold(Colour::Plain)))?;
        let about = format!("{task}, attempt {number}, {}", self.context.mode);
        self.screen.say(Line::new(&about, colour(Colour::Grey)))?;
        let mut played = self.steps(&part.steps);
        if let Err(Stop::Failed(error)) = &played {
            let text = format!("could not {error}");
            played = self.give_up(&text).and(played);
        }
        // The dead clean nothing up.
        if !matches!(played, Err(Stop::Ended(ExitOutcome::Crash(_)) | Stop::Lost)) {
            self.report(ReportedState::Clear, None, None)?;
            self.screen.close()?;
        }
        played
    }

    fn give_up(&mut self, text: &str) -> Played {
        self.screen.say_text(text, bold(Colour::Red))?;
        self.report(ReportedState::Error, None, Some(text))?;
        let signal = self.outgoing(SignalKind::Fail, text.to_owned());
        // The sink may be the very thing that failed; the exit code says the rest.
        drop(self.sink.send(&signal));
        Ok(())
    }

    /// Plays steps in order.
    pub(super) fn steps(&mut self, steps: &[Step]) -> Played {
        steps.iter().try_for_each(|step| self.step(&step.deed))
    }

    fn step(&mut self, deed: &Deed) -> Played {
        match deed {
            Deed::Write { .. }
            | Deed::Replace { .. }
            | Deed::Remove { .. }
            | Deed::Require { .. }
            | Deed::Check { .. } => self.work_on_files(deed),
            Deed::Commit { .. } | Deed::Push { .. } | Deed::Merge { .. } | Deed::Changes { .. } => {
                self.work_with_git(deed)
            }
            Deed::Signal { .. } | Deed::Ask { .. } | Deed::State { .. } | Deed::Title { .. } => {
                self.speak(deed)
            }
            Deed::Hang { .. }
            | Deed::Flood { .. }
            | Deed::HugeLine { .. }
            | Deed::Garbage { .. }
            | Deed::ForkDaemon { .. }
            | Deed::IgnoreTerm
            | Deed::Crash { .. }
            | Deed::Exit { .. } => self.misbehave(deed),
            _ => self.show(deed),
        }
    }

    fn show(&mut self, deed: &Deed) -> Played {
        match deed {
            Deed::Print {
                text,
                look,
                typed: true,
            } => {
                let text = self.expand(text);
                show::typed(&mut self.screen, &text, *look)
            }
            Deed::Print { text, look, .. } => Ok(self.screen.say_text(&self.expand(text), *look)?),
            Deed::Raw { text } => Ok(self.screen.bytes(self.expand(text).as_bytes())?),
            Deed::Think { text, time } => self.screen.work(&self.expand(text), *time),
            Deed::Tool {
                name,
                target,
                output,
                time,
            } => {
                let name = self.expand(name);
                let target = self.expand(target);
                show::call(&mut self.screen, &name, &target)?;
                self.screen.work(&name, *time)?;
                self.outcome(&self.expand(output.as_deref().unwrap_or_default()))
            }
            Deed::Diff { text } => {
                let text = self.expand(text);
                show::diff(&mut self.screen, &text)
            }
            Deed::Bar { label, time } => {
                let label = self.expand(label);
                show::bar(&mut self.screen, &label, *time)
            }
            Deed::Draw { picture, time } => show::draw(&mut self.screen, *picture, *time, &self.badge),
            Deed::Sleep { time } => self.screen.wait(*time),
            _ => Ok(()),
        }
    }

    /// Shows what came of a tool call.
    pub(super) fn outcome(&mut self, text: &str) -> Played {
        Ok(show::result(&mut self.screen, text, colour(Colour::Grey))?)
    }

    /// Reports a state to the terminal.
    pub(super) fn report(
        &mut self,
        state: ReportedState,
        kind: Option<AskKind>,
        text: Option<&str>,
    ) -> Played {
        Ok(self.screen.control(&report::state(state, kind, text))?)
    }

    /// Replaces the variables in every text of a JSON value.
    pub(super) fn expand_json(&self, value: &serde_json::Value) -> serde_json::Value {
        use serde_json::Value;
        match value {
            Value::String(text) => self.expand(text).into(),
            Value::Array(list) => list.iter().map(|value| self.expand_json(value)).collect(),
            Value::Object(map) => Value::Object(
                map.iter()
                    .map(|(key, value)| (key.clone(), self.expand_json(value)))
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    /// Replaces the variables in a text.
    pub(super) fn expand(&self, text: &str) -> String {
        let Context {
            task,
            title,
            branch,
            base,
            attempt,
            number,
            ..
        } = self.context;
        expand(text, |name| match name {
            "task" => task.clone(),
            "title" => title.clone(),
            "branch" => branch.clone(),
            "base" => base.clone(),
            "attempt" => attempt.clone(),
            "n" => number.to_string(),
            "answer" => self.answer.clone(),
            "failures" => self.failures.clone(),
            _ => String::new(),
        })
    }
}
