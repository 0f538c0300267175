//! Where a value comes from.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

/// What the caller was given besides files; read once, at the edge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Given {
    /// Keys and values of flags.
    pub flags: Vec<(String, String)>,
    /// Names and values of the environment; those that do not begin with `DBS_` are passed over.
    pub environment: Vec<(String, String)>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A flag of this very command.
    Flag,
    /// The environment variable of this name.
    Environment(String),
    /// A file.
    File {
        /// Which.
        path: PathBuf,
        /// The line, from 1; 0 when it is not known.
        line: usize,
    },
    /// Nobody set it.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Flag => f.write_str("flag"),
            Origin::Environment(name) => write!(f, "environment {name}"),
            Origin::File { path, line: 0 } => write!(f, "{}", path.display()),
            Origin::File { path, line } => write!(f, "{}:{line}", path.display()),
            Origin::Default => f.write_str("default"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
