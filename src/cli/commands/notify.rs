//! `dbs notify`: the channels by which a person who is at no screen is called, and a test of each.

use serde::Serialize;

use crate::adapters::clock;
use crate::cli::commands::prelude::*;
use crate::config::channels::{ChannelSettings, NotifyChannel};
use crate::domain::NoticeLevel;
use crate::ports::notify::{Notification, NotificationItem};

/// Result of testing one notification channel.
#[derive(Debug, Serialize)]
struct ChannelTest {
    way: &'static str,
    by: String,
    /// Result of the test; `None` if it was not tried.
    sent: Option<bool>,
    why: Option<String>,
}

/// Show the notification channels used when no screen is attached
///
/// A channel is a program (`notify.command`) or a POST (`notify.url`). With `--test` this command, not the server, uses each channel once;
/// the exit code is 1 if a channel fails or none is set.
#[derive(Debug, Args)]
#[command(add = facts(Everybody, "dbs notify\ndbs notify --test").for_persons_with(&[("test", "--test")]))]
pub struct NotifyArgs {
    /// Send a test through each channel
    #[arg(long)]
    test: bool,
    #[command(flatten)]
    json: JsonFlag,
}

impl RunCommand for NotifyArgs {
    /// Lists the channels; with `test` each is used once. Exit code 1 when one does not work, or there is none to be tried.
    fn run(self, env: &ProcessEnv) -> CommandResult {
        let place = ProjectPaths::find(&env.folder, env)?;
        let config = place.read_config();
        for finding in config.diagnostics() {
            output::problem(&finding.to_string());
        }
        let ways = ChannelSettings::of(&config);
        if ways.is_empty() {
            let none = "no way is set: set notify.command or notify.url; without them only attached terminals call you";
            if self.test {
                return Err(CommandError::user(format!("could not try to call you: {none}")));
            }
            if !self.json.json {
                output::line(none);
            }
        }
        let (open, problems) = ways.open(&place);
        for problem in &problems {
            output::problem(problem);
        }
        let notification = test_notification(place.session_name(&config));
        let tried: Vec<ChannelTest> = open
            .iter()
            .map(|way| {
                if self.test {
                    test_channel(way, &notification)
                } else {
                    not_tested(way)
                }
            })
            .collect();
        if self.json.json {
            output::json(&tried);
        } else {
            for tried in &tried {
                output::line(&tried.to_string());
            }
        }
        let is_well = problems.is_empty() && tried.iter().all(|tried| tried.sent != Some(false));
        Ok(exit_code(is_well))
    }
}

fn not_tested(channel: &NotifyChannel) -> ChannelTest {
    ChannelTest {
        way: channel.name,
        by: channel.target.clone(),
        sent: None,
        why: None,
    }
}

fn test_channel(channel: &NotifyChannel, notification: &Notification) -> ChannelTest {
    let result = channel.transport.send(notification);
    ChannelTest {
        sent: Some(result.is_ok()),
        why: result.err().map(|why| could_not(why).to_string()),
        ..not_tested(channel)
    }
}

impl std::fmt::Display for ChannelTest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:<8} {}", self.way, self.by)?;
        match (self.sent, &self.why) {
            (Some(true), _) => f.write_str(": sent"),
            (Some(false), Some(why)) => write!(f, ": {why}"),
            (Some(false) | None, _) => Ok(()),
        }
    }
}

fn test_notification(project: String) -> Notification {
    let text = "a test: you can be reached by this";
    Notification {
        id: "test".to_owned(),
        project,
        at: clock::now(),
        level: NoticeLevel::Info,
        text: text.to_owned(),
        redacted_text: text.to_owned(),
        items: vec![NotificationItem {
            kind: "test",
            task: None,
            attempt: None,
            run: None,
        }],
    }
}
