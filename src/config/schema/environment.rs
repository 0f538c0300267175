//! Settings about the environment of agents, checks and shells.

use crate::config::row::{choice, settings, unset, used};
use crate::config::setting::SettingEffect::NextAttempt;
use crate::config::setting::SettingTrust::{Runs, Steers};
use crate::config::setting::{Setting, SettingSpec};
use crate::config::value::ValueKind;
use crate::domain::EnvironmentMode;

settings! { ENVIRONMENT
    ENVIRONMENT_MODE: EnvironmentMode = choice(&["shell", "minimal"], EnvironmentMode::Shell, &[EnvironmentMode::Minimal]),
        used("environment.mode", NextAttempt, Steers, "",
        "Variables that agents, gates and shells in panes get: those of the command that started the server, without secrets and without variables that steer git or load code (`shell`), or a few that every program needs, such as `PATH` and `HOME` (`minimal`). [More](#environment).");
    ENVIRONMENT_PASS: Option<String> = unset(ValueKind::VariableNames), used("environment.pass", NextAttempt, Steers, "",
        "Names of variables that they get although they would be hidden, also in the mode `minimal`. The entries of all sources count together.");
    ENVIRONMENT_HIDE: Option<String> = unset(ValueKind::VariableNames), used("environment.hide", NextAttempt, Steers, "",
        "Names of variables that they never get, not even a tool that needs them for itself. The entries of all sources count together.");
    ENVIRONMENT_SET: Option<String> = unset(ValueKind::Variable), used("environment.set.<name>", NextAttempt, Runs, "",
        "Value of a variable that they get, whatever the shell has. It is used literally: no `$NAME` in it is replaced.");
}
