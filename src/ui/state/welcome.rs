//! The questions of a first start, all of them skippable, and a person's place among them. Data only; nothing here detects anything:
//! the results come in.

use crate::keymap::Chord;
use crate::ui::line_editor::LineEditor;

/// The agent programs and the terminal multiplexer found at a first start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DetectedPrograms {
    /// Programs that were searched, and the place where each was found.
    pub programs: Vec<(String, Option<String>)>,
    /// The folders that were searched, as the variable has them.
    pub path: String,
    /// The program around this terminal, if it has keys of its own: tmux, screen, zellij.
    pub multiplexer: Option<String>,
    /// The branch that tasks most likely start from, and the way it was found.
    pub base: Option<(String, String)>,
    /// True if a base branch is set, so that no question about it is asked.
    pub is_base_set: bool,
}

/// The state of the first-start questions: what was detected, the current question and the answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Welcome {
    pub(crate) detected: DetectedPrograms,
    /// The current question.
    pub(crate) step: WelcomeStep,
    /// Index of the marked answer, from 0.
    pub(crate) marked: usize,
    /// Settings and values chosen so far.
    pub(crate) answers: Vec<(String, String)>,
}

/// A question of the first start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WelcomeStep {
    /// Agent for the work.
    Agent,
    Command(LineEditor),
    /// Branch that tasks start from and are merged into.
    Base,
    BaseName(LineEditor),
    /// Key that is ours while a person types to an agent; with the one that arrived last.
    Prefix(Option<Chord>),
    /// Permission for notifications of the terminal.
    Alerts,
    /// Offer to play a demo.
    Demo,
}

/// Answers to the question about the agent besides the programs that were found.
pub(crate) const OTHER_AGENTS: [&str; 2] = ["a command of my own", "none yet, I only look around"];
/// Answers to the question about the base branch besides the one that was found.
pub(crate) const OTHER_BASES: [&str; 2] = ["a branch that I name", "none yet: no task starts without one"];
/// Answers to the question about notifications.
pub(crate) const CALLS: [&str; 2] = ["yes, when I look elsewhere", "never"];
/// Answers to the question about the demo.
pub(crate) const DEMO: [&str; 2] = ["yes, play it", "no, to the board"];

/// Returns true if the program around a terminal takes that key for itself, unless it was configured to another.
pub(crate) fn is_prefix_of(outer: &str, key: &str) -> bool {
    match outer {
        "tmux" | "zellij" => key == "C-b",
        "screen" => key == "C-a",
        _ => false,
    }
}

impl Welcome {
    /// Begins with the first question.
    pub(crate) fn new(detected: DetectedPrograms) -> Welcome {
        Welcome {
            detected,
            step: WelcomeStep::Agent,
            marked: 0,
            answers: Vec::new(),
        }
    }

    /// Returns the question after the one about the agent.
    pub(crate) fn after_agent(&self) -> WelcomeStep {
        if self.detected.is_base_set {
            WelcomeStep::Prefix(None)
        } else {
            WelcomeStep::Base
        }
    }

    /// Returns the names of the programs that were found.
    pub(crate) fn found_agents(&self) -> impl Iterator<Item = &str> {
        let found = self.detected.programs.iter();
        found
            .filter(|(_, place)| place.is_some())
            .map(|(name, _)| name.as_str())
    }

    /// Returns the answers to choose from; empty if text is written or a key pressed.
    pub(crate) fn choices(&self) -> Vec<String> {
        match &self.step {
            WelcomeStep::Agent => {
                let there = self.found_agents().map(str::to_owned);
                there.chain(OTHER_AGENTS.map(str::to_owned)).collect()
            }
            WelcomeStep::Alerts => CALLS.map(str::to_owned).to_vec(),
            WelcomeStep::Demo => DEMO.map(str::to_owned).to_vec(),
            WelcomeStep::Base => {
                let found = self.detected.base.iter();
                let found = found.map(|(name, found_by)| format!("{name}  ({found_by})"));
                found.chain(OTHER_BASES.map(str::to_owned)).collect()
            }
            WelcomeStep::Command(_) | WelcomeStep::BaseName(_) | WelcomeStep::Prefix(_) => Vec::new(),
        }
    }

    /// Returns the number of the question, and the number of all questions.
    pub(crate) fn number(&self) -> (usize, usize) {
        let skipped = usize::from(self.detected.is_base_set);
        let at = match self.step {
            WelcomeStep::Agent | WelcomeStep::Command(_) => 1,
            WelcomeStep::Base | WelcomeStep::BaseName(_) => 2,
            WelcomeStep::Prefix(_) => 3 - skipped,
            WelcomeStep::Alerts => 4 - skipped,
            WelcomeStep::Demo => 5 - skipped,
        };
        (at, 5 - skipped)
    }
}
