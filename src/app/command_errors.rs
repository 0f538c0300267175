//! Conversions of errors of the client and the server, which the command line does not know, into errors of commands.

use crate::cli::command_error::{CommandError, ErrorKind};
use crate::client::ClientError;
use crate::server::{SessionEndError, SessionError};

impl From<ClientError> for CommandError {
    fn from(error: ClientError) -> CommandError {
        CommandError::caused(ErrorKind::Server, "", error)
    }
}

impl From<SessionError> for CommandError {
    fn from(error: SessionError) -> CommandError {
        CommandError::caused(ErrorKind::Server, "could not ", error)
    }
}

impl From<SessionEndError> for CommandError {
    fn from(error: SessionEndError) -> CommandError {
        CommandError::caused(ErrorKind::Server, "could not ", error)
    }
}
