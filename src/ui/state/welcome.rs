//! The questions of a first start, all of them skippable, and where a person stands among them (A9). Data only; nothing here
//! looks for anything: what was found comes in.

use crate::ui::chord::Chord;
use crate::ui::line_editor::LineEditor;

/// The agent programs and the terminal multiplexer found at a first start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DetectedPrograms {
    /// Programs that were looked for, and where each was found.
    pub programs: Vec<(String, Option<String>)>,
    /// The folders that were searched, as the variable has them.
    pub path: String,
    /// The program around this terminal, if that has keys of its own: tmux, screen, zellij.
    pub multiplexer: Option<String>,
    /// The branch that tasks most likely start from, and how it was found.
    pub base: Option<(String, String)>,
    /// Whether a base branch is set, so that nobody is asked for it.
    pub is_base_set: bool,
}

/// The state of the first-start questions: what was detected, the current question and the answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Welcome {
    pub(crate) detected: DetectedPrograms,
    /// The question that is asked.
    pub(crate) step: WelcomeStep,
    /// Which answer is marked, from 0.
    pub(crate) marked: usize,
    /// Settings and values so far.
    pub(crate) answers: Vec<(String, String)>,
}

/// A question of the first start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WelcomeStep {
    /// Which agent does the work.
    Agent,
    Command(LineEditor),
    /// Which branch tasks start from and are merged into.
    Base,
    BaseName(LineEditor),
    /// Which key is ours while a person types to an agent; the one that arrived last.
    Prefix(Option<Chord>),
    /// Whether the terminal may call.
    Alerts,
    /// Whether a demo is to be played.
    Demo,
}

/// Answers to the question about the agent besides the programs that were found.
pub(crate) const OTHER_AGENTS: [&str; 2] = ["a command of my own", "none yet, I only look around"];
/// Answers to the question about the base branch besides the one that was found.
pub(crate) const OTHER_BASES: [&str; 2] = ["a branch that I name", "none yet: no task starts without one"];
/// Answers to the question about calls.
pub(crate) const CALLS: [&str; 2] = ["yes, when I look elsewhere", "never"];
/// Answers to the question about the demo.
pub(crate) const DEMO: [&str; 2] = ["yes, play it", "no, to the board"];

/// Whether the program around a terminal takes that key for itself, as long as nobody has given it another.
pub(crate) fn is_prefix_of(outer: &str, key: &str) -> bool {
    match outer {
        "tmux" | "zellij" => key == "C-b",
        "screen" => key == "C-a",
        _ => false,
    }
}

impl Welcome {
    /// The first question.
    pub(crate) fn new(detected: DetectedPrograms) -> Welcome {
        Welcome {
            detected,
            step: WelcomeStep::Agent,
            marked: 0,
            answers: Vec::new(),
        }
    }

    /// What is asked after the agent.
    pub(crate) fn after_agent(&self) -> WelcomeStep {
        if self.detected.is_base_set {
            WelcomeStep::Prefix(None)
        } else {
            WelcomeStep::Base
        }
    }

    /// Names of the programs that are there.
    pub(crate) fn found_agents(&self) -> impl Iterator<Item = &str> {
        let found = self.detected.programs.iter();
        found
            .filter(|(_, place)| place.is_some())
            .map(|(name, _)| name.as_str())
    }

    /// Answers to choose from; none where something is written or a key pressed.
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

    /// The number of the question, of how many.
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
