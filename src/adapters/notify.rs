//! Channels to a person who is not at a screen: a program of theirs, a POST over HTTP. Each sends once and reports the result; other code
//! decides what is sent when, and when it is tried again.

mod body;
mod command;
mod webhook;

pub use body::BodyFormat;
pub use command::{CommandNotifier, CommandSetup};
pub use webhook::{BadUrl, ProxySettings, WebhookNotifier, WebhookSetup, check_address, host_of};
