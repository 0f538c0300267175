//! Settings of a project: their keys, their kinds, and the origin of their values. This module decides nothing about tasks and reads no
//! environment: the caller passes that in. Begin with [`Config::read`], [`set`] and [`unset`].
//!
//! Sources, strongest first: flags, environment, `.debussy/config.toml`, `.yaml`, `.yml`, `.json`, the user's `dbs/config.toml`, the same
//! names in `~/.debussy`, the default. Tables merge key by key. Text that is not understood is reported, ignored and kept (LK-36); the key
//! decides the kind of a value, not its spelling (LK-37).

mod agent_layers;
pub mod appearance;
pub mod atdd;
pub mod capabilities;
pub mod channels;
pub mod clipboard_policy;
mod disk_use;
mod edit;
mod environment;
mod environment_names;
mod error;
pub mod faults;
pub mod file_stamps;
mod files;
mod json;
pub mod kept_settings;
mod layers;
mod origin;
pub mod process_env;
pub mod project_paths;
mod project_texts;
mod raw;
pub mod role_agents;
mod row;
pub mod schema;
pub mod session_setup;
mod setting;
pub mod setting_names;
mod story_rules;
pub mod themes;
mod toml;
pub mod trust;
mod value;
mod workflow_limits;
mod yaml;

pub use edit::{ConfigChange, set, set_user, unset};
pub use error::{ConfigError, ProcessEnvError, WorkflowError};
pub use files::ConfigFiles;
pub use layers::{Config, ResolvedSetting};
pub use origin::{ConfigOverrides, SettingOrigin};
pub use schema::{keys, with_end};
pub use setting::{
    FromSettingValue, Setting, SettingDefault, SettingEffect, SettingSpec, SettingStatus, SettingTrust,
};
pub use value::{SecretText, SettingValue, ValueKind};
