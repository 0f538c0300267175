//! Facts of a command that clap has no place for: its callers and its examples.

use clap::builder::CommandExt;

use crate::protocol::callers::AllowedCallers;

/// Ids of arguments, each with the words that name it.
type NamedArguments = &'static [(&'static str, &'static str)];

/// Facts of a command, which its description carries.
#[derive(Debug, Clone, Copy)]
pub struct CommandFacts {
    /// Callers that may use it.
    pub callers: AllowedCallers,
    /// Arguments with which it is for persons only: the id of each, and the words that name it.
    pub for_persons: NamedArguments,
    /// Examples, one a line.
    pub examples: &'static str,
}

impl CommandExt for CommandFacts {}

/// Returns the facts of a command; `examples` has one a line.
pub const fn facts(callers: AllowedCallers, examples: &'static str) -> CommandFacts {
    CommandFacts {
        callers,
        for_persons: &[],
        examples,
    }
}

impl CommandFacts {
    /// Restricts the command to persons where one of these arguments is given.
    #[must_use]
    pub const fn for_persons_with(self, for_persons: NamedArguments) -> CommandFacts {
        CommandFacts { for_persons, ..self }
    }
}
