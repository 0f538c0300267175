//! The questions of a first start, all of them skippable, and where a person stands among them (A9). Data only; nothing here
//! looks for anything: what was found comes in.

use crate::ui::chord::Chord;
use crate::ui::line::Line;

/// What was found when a person came for the first time and nothing was configured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FirstLook {
    /// Programs that were looked for, and where each was found.
    pub programs: Vec<(String, Option<String>)>,
    /// The folders that were searched, as the variable has them.
    pub path: String,
    /// The program around this terminal, if that has keys of its own: tmux, screen, zellij.
    pub outer: Option<String>,
}

/// The questions, and where a person stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Welcome {
    /// What was found.
    pub(crate) found: FirstLook,
    /// The question that is asked.
    pub(crate) step: Step,
    /// Which answer is marked, from 0.
    pub(crate) at: usize,
    /// Settings and values so far.
    pub(crate) answers: Vec<(String, String)>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// Which agent does the work.
    Agent,
    /// With which command line.
    Command(Line),
    /// Which key is ours while a person types to an agent; the one that arrived last.
    Prefix(Option<Chord>),
    /// Whether the terminal may call.
    Calls,
    /// Whether a demo is to be played.
    Demo,
}

/// Answers to the question about the agent besides the programs that were found.
pub(crate) const OTHER_AGENTS: [&str; 2] = ["a command of my own", "none yet, I only look around"];
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
    pub(crate) fn new(found: FirstLook) -> Welcome {
        Welcome {
            found,
            step: Step::Agent,
            at: 0,
            answers: Vec::new(),
        }
    }

    /// Names of the programs that are there.
    pub(crate) fn there(&self) -> impl Iterator<Item = &str> {
        let found = self.found.programs.iter();
        found
            .filter(|(_, place)| place.is_some())
            .map(|(name, _)| name.as_str())
    }

    /// Answers to choose from; none where something is written or a key pressed.
    pub(crate) fn choices(&self) -> Vec<String> {
        match &self.step {
            Step::Agent => {
                let there = self.there().map(str::to_owned);
                there.chain(OTHER_AGENTS.map(str::to_owned)).collect()
            }
            Step::Calls => CALLS.map(str::to_owned).to_vec(),
            Step::Demo => DEMO.map(str::to_owned).to_vec(),
            Step::Command(_) | Step::Prefix(_) => Vec::new(),
        }
    }

    /// The number of the question, of how many.
    pub(crate) fn number(&self) -> (usize, usize) {
        let at = match self.step {
            Step::Agent | Step::Command(_) => 1,
            Step::Prefix(_) => 2,
            Step::Calls => 3,
            Step::Demo => 4,
        };
        (at, 4)
    }
}
