//! Error of a command: what was tried, its cause, the ways out and the exit code. It is printed in one place, where the program ends.

use std::error::Error;
use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use crate::adapters::desktop::editor::EditorError;
use crate::adapters::holder::HolderError;
use crate::adapters::project::ProjectError;
use crate::adapters::rehearsal::RehearsalError;
use crate::config::role_agents::RoleError;
use crate::config::trust::TrustError;
use crate::config::{ConfigError, ProcessEnvError, WorkflowError};
use crate::domain::{Cause, Refusal};
use crate::formats::prompt::PromptError;
use crate::keymap::KeymapError;
use crate::ports::git::{GitError, NameError, PreflightError};
use crate::ports::holders::HolderPortError;
use crate::ports::store::StoreError;
use crate::protocol::connection::ProtocolError;
use crate::protocol::query::QueryError;
use crate::protocol::session_list::SessionNameError;

/// Result of a command or of a part of it; commands themselves return their exit code.
pub type CommandResult<T = ExitCode> = Result<T, CommandError>;

/// Error of another part of the program.
pub type ErrorSource = Box<dyn Error + Send + Sync>;

/// Part that has to change for the command to succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The command line, or a request that the board or a person refused.
    User,
    /// Settings, workflows, roles, keys, or trust in them.
    Config,
    /// The project, its store, or the files and programs of this machine.
    Project,
    /// A server, holder or agent.
    Server,
    /// The program itself: a defect.
    Internal,
}

/// Error of a command.
#[derive(Debug)]
pub struct CommandError {
    kind: ErrorKind,
    /// The sentence up to the text of the source.
    tried: String,
    source: Option<ErrorSource>,
    hints: Vec<String>,
}

impl CommandError {
    fn new(kind: ErrorKind, tried: impl Into<String>, source: Option<ErrorSource>) -> CommandError {
        CommandError {
            kind,
            tried: tried.into(),
            source,
            hints: Vec::new(),
        }
    }

    /// Returns the error with a cause, whose text follows `tried` in the sentence.
    pub fn caused(kind: ErrorKind, tried: impl Into<String>, cause: impl Into<ErrorSource>) -> CommandError {
        CommandError::new(kind, tried, Some(cause.into()))
    }

    /// Returns the refusal of something that was asked for.
    pub fn user(sentence: impl Into<String>) -> CommandError {
        CommandError::new(ErrorKind::User, sentence, None)
    }

    /// Returns the error of settings or of files like them.
    pub fn config(sentence: impl Into<String>) -> CommandError {
        CommandError::new(ErrorKind::Config, sentence, None)
    }

    /// Returns the error of a project or of its machine.
    pub fn project(sentence: impl Into<String>) -> CommandError {
        CommandError::new(ErrorKind::Project, sentence, None)
    }

    /// Returns the error of a server, a holder or an agent.
    pub fn server(sentence: impl Into<String>) -> CommandError {
        CommandError::new(ErrorKind::Server, sentence, None)
    }

    /// Returns the error of a defect.
    pub fn internal(sentence: impl Into<String>) -> CommandError {
        CommandError::new(ErrorKind::Internal, sentence, None)
    }

    /// Adds a way out, which is printed behind the cause.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> CommandError {
        self.hints.push(hint.into());
        self
    }

    /// Returns the part that has to change for the command to succeed.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

/// Returns a function that turns a cause into the error of what was tried: `.map_err(failed("could not read the answer"))`.
pub fn failed<E: Into<ErrorSource>>(tried: impl Into<String>) -> impl FnOnce(E) -> CommandError {
    let tried = format!("{}: ", tried.into());
    move |cause| CommandError::caused(ErrorKind::Project, tried, cause)
}

/// Returns the error with a cause whose text reads after "could not".
pub fn could_not(cause: impl Into<ErrorSource>) -> CommandError {
    CommandError::caused(ErrorKind::Project, "could not ", cause)
}

impl Display for CommandError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tried)?;
        if let Some(source) = &self.source {
            write!(f, "{source}")?;
        }
        self.hints.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

impl Error for CommandError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn Error + 'static))
    }
}

impl From<Refusal> for CommandError {
    fn from(refusal: Refusal) -> CommandError {
        CommandError::user(refusal.why)
    }
}

/// Writes the conversions of errors by their kind; each text is preceded by the given words.
macro_rules! causes {
    ($($kind:ident $before:literal: $($cause:ty),+;)+) => {
        $($(impl From<$cause> for CommandError {
            fn from(cause: $cause) -> CommandError {
                CommandError::caused(ErrorKind::$kind, $before, cause)
            }
        })+)+
    };
}

causes! {
    User "could not ": NameError;
    User "": QueryError, SessionNameError;
    Config "could not ": ConfigError, TrustError, KeymapError, PromptError;
    Config "": RoleError, WorkflowError;
    Project "could not ": ProcessEnvError, ProjectError, StoreError, GitError, PreflightError, RehearsalError;
    Project "": Cause, EditorError;
    Server "could not ": HolderError, HolderPortError;
    Server "": ProtocolError;
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn an_error_reads_as_one_sentence_with_its_cause_and_its_hints() {
        let gone = || io::Error::other("the disk is gone");
        let read = failed::<io::Error>("could not read the answer")(gone());
        assert_eq!(read.to_string(), "could not read the answer: the disk is gone");
        assert_eq!(read.source().unwrap().to_string(), "the disk is gone");
        let follow =
            CommandError::server("could not follow: no server runs").with_hint("start one with `dbs`");
        assert_eq!(
            follow.to_string(),
            "could not follow: no server runs; start one with `dbs`"
        );
        assert_eq!(could_not("find it").to_string(), "could not find it");
    }

    #[test]
    fn an_error_keeps_the_kind_of_its_cause() {
        let error = CommandError::from(ProtocolError::WentAway);
        assert_eq!(error.kind(), ErrorKind::Server);
        assert_eq!(error.to_string(), "could not get an answer: the server went away");
        assert_eq!(CommandError::from(Refusal::new("no")).kind(), ErrorKind::User);
    }
}
