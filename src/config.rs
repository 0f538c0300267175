//! The settings of a project: which there are, what each is, and where its value comes from. It decides nothing about tasks
//! and reads no environment: the caller passes that in. Begin with [`Config::read`], [`set`] and [`unset`].
//!
//! Sources, strongest first: flags, environment, `.debussy/config.toml`, `.yaml`, `.yml`, `.json`, the user's
//! `dbs/config.toml`, the same names in `~/.debussy`, the default. Tables merge key by key. What is not understood is reported, passed over and kept
//! (LK-36); what a value is, its key says, not its spelling (LK-37).

pub mod edge;
mod edit;
mod error;
mod found;
mod json;
mod layers;
pub mod looks;
mod nearest;
mod origin;
pub mod place;
mod places;
pub mod reaching;
mod reference;
mod schema;
mod settings;
pub mod setup;
pub mod taste;
pub mod themes;
mod toml;
mod value;
mod yaml;

pub use edit::{Written, set, set_own, unset};
pub use error::ConfigError;
pub use layers::{Config, Shown};
pub use origin::{Given, Origin};
pub use places::Places;
pub use reference::reference;
pub use schema::{Key, Status, keys};
pub use value::{Kind, Secret, Value};
