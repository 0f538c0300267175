//! `dbs notify`: the channels by which a person who is at no screen is called, and a test of each.

use serde::Serialize;

use crate::adapters::clock;
use crate::adapters::output;
use crate::cli::args::JsonFlag;
use crate::cli::command_error::{CommandError, could_not};
use crate::cli::commands::{CommandResult, exit_code};
use crate::config::channels::{ChannelSettings, NotifyChannel};
use crate::config::process_env::ProcessEnv;
use crate::config::project_paths::ProjectPaths;
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

/// Lists the channels; with `test` each is used once. Exit code 1 when one does not work, or there is none to be tried.
pub(super) fn run(env: &ProcessEnv, test: bool, json: JsonFlag) -> CommandResult {
    let place = ProjectPaths::find(&env.folder, env)?;
    let config = place.read_config();
    for finding in config.diagnostics() {
        output::problem(&finding.to_string());
    }
    let ways = ChannelSettings::of(&config);
    if ways.is_empty() {
        let none =
            "no way is set: set notify.command or notify.url; without them only attached terminals call you";
        if test {
            return Err(CommandError::user(format!("could not try to call you: {none}")));
        }
        if !json.json {
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
            if test {
                test_channel(way, &notification)
            } else {
                not_tested(way)
            }
        })
        .collect();
    if json.json {
        output::json(&tried);
    } else {
        for tried in &tried {
            output::line(&tried.to_string());
        }
    }
    let is_well = problems.is_empty() && tried.iter().all(|tried| tried.sent != Some(false));
    Ok(exit_code(is_well))
}

fn not_tested(way: &NotifyChannel) -> ChannelTest {
    ChannelTest {
        way: way.name,
        by: way.target.clone(),
        sent: None,
        why: None,
    }
}

fn test_channel(way: &NotifyChannel, notification: &Notification) -> ChannelTest {
    let result = way.transport.send(notification);
    ChannelTest {
        sent: Some(result.is_ok()),
        why: result.err().map(|why| could_not(why).to_string()),
        ..not_tested(way)
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
