//! Origin of a value.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

/// Flags and environment variables that override the configuration files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ConfigOverrides {
    pub flags: Vec<(String, String)>,
    /// Names and values of the environment; those that do not begin with `DBS_` are passed over.
    pub environment: Vec<(String, String)>,
}

/// Origin of a setting's value: a flag, the environment, a file or the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingOrigin {
    Flag,
    Environment(String),
    File {
        path: PathBuf,
        /// The line, from 1; 0 when it is not known.
        line: usize,
    },
    /// Text of the project's files that a person trusted and that has changed since.
    Trusted,
    Default,
}

impl SettingOrigin {
    /// The file and line that findings about the value name; line 0 if there is none.
    pub fn place(&self) -> (&Path, usize) {
        match self {
            SettingOrigin::File { path, line } => (path, *line),
            SettingOrigin::Environment(name) => (Path::new(name), 0),
            SettingOrigin::Flag => (Path::new("command line"), 0),
            SettingOrigin::Trusted => (Path::new("trusted before"), 0),
            SettingOrigin::Default => (Path::new("default"), 0),
        }
    }
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingOrigin::Flag => f.write_str("flag"),
            SettingOrigin::Environment(name) => write!(f, "environment {name}"),
            SettingOrigin::File { path, line: 0 } => write!(f, "{}", path.display()),
            SettingOrigin::File { path, line } => write!(f, "{}:{line}", path.display()),
            SettingOrigin::Trusted => f.write_str("trusted before, changed since"),
            SettingOrigin::Default => f.write_str("default"),
        }
    }
}

impl Serialize for SettingOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
