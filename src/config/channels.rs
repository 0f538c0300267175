//! The notification channels for a person who is at no screen, as the settings have them. When they are used is decided
//! elsewhere.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use crate::adapters::notify::{
    BadUrl, BodyFormat, CommandNotifier, CommandSetup, ProxySettings, WebhookNotifier, WebhookSetup, host_of,
};
use crate::config::project_paths::ProjectPaths;
use crate::config::{Config, SecretText, schema};
use crate::ports::notify::Notifier;

/// Maximum run time of a person's program, and maximum wait for an answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// Default address of ntfy topics.
const NTFY: &str = "https://ntfy.sh";
/// Settings that a program of the person's has no use for.
const SECRETS: [&str; 2] = ["DBS_NOTIFY_SECRET", "DBS_NOTIFY_TOKEN"];

/// The notification channels that are configured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChannelSettings {
    command: Option<Vec<String>>,
    webhook: Option<WebhookConfig>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct WebhookConfig {
    url: String,
    format: BodyFormat,
    secret: Option<SecretText>,
    token: Option<SecretText>,
}

/// Notification channel that is ready to use, with its name and target.
pub struct NotifyChannel {
    /// Name of the channel: `command` or `http`.
    pub name: &'static str,
    /// Target shown to people: a program or a host.
    pub target: String,
    pub transport: Arc<dyn Notifier>,
}

impl ChannelSettings {
    /// Reads the channels from the settings; those of earlier programs if there are no others (P51, P52).
    pub fn of(config: &Config) -> ChannelSettings {
        let provider = match config.value(&schema::NOTIFICATIONS_ENABLED) {
            Some(false) => None,
            Some(true) | None => config.value(&schema::NOTIFICATIONS_PROVIDER),
        };
        // A text that is not a command line never became a value.
        let command = config.value(&schema::NOTIFY_COMMAND);
        let command = command.map(|line| shell_words::split(&line).unwrap_or_default());
        let desktop = || {
            (provider.as_deref() == Some("desktop"))
                .then(desktop_command)
                .flatten()
        };
        let topic = || {
            (provider.as_deref() == Some("ntfy"))
                .then(|| legacy_topic(config))
                .flatten()
        };
        let own = config.value(&schema::NOTIFY_URL);
        let own = own.map(|url| (url, config.choice(&schema::NOTIFY_FORMAT)));
        ChannelSettings {
            command: command.or_else(desktop),
            webhook: own.or_else(topic).map(|(url, shape)| WebhookConfig {
                url,
                format: shape,
                secret: config.value(&schema::NOTIFY_SECRET),
                token: config.value(&schema::NOTIFY_TOKEN),
            }),
        }
    }

    /// The program that is started, if one is.
    pub fn program(&self) -> Option<&str> {
        self.command.as_ref()?.first().map(String::as_str)
    }

    /// The host that is posted to; the rest of the address may be secret.
    pub fn host(&self) -> Option<String> {
        host_of(&self.webhook.as_ref()?.url)
    }

    /// Returns true if there is no channel.
    pub fn is_empty(&self) -> bool {
        *self == ChannelSettings::default()
    }

    /// Opens all channels; returns those that are ready, and the faults of the others.
    pub fn open(&self, paths: &ProjectPaths) -> (Vec<NotifyChannel>, Vec<String>) {
        let (mut ways, mut problems) = (Vec::new(), Vec::new());
        if let Some(argv) = &self.command {
            let setup = CommandSetup {
                argv: argv.clone(),
                environment: environment(paths),
                cwd: paths.root.clone(),
                limit: TIMEOUT,
            };
            ways.push(NotifyChannel {
                name: "command",
                target: self.program().unwrap_or_default().to_owned(),
                transport: Arc::new(CommandNotifier::new(setup)),
            });
        }
        match self.webhook.as_ref().map(|post| post.open(paths)) {
            Some(Ok(post)) => ways.push(NotifyChannel {
                name: "http",
                target: self.host().unwrap_or_default(),
                transport: Arc::new(post),
            }),
            Some(Err(why)) => problems.push(format!("could not {why}")),
            None => {}
        }
        (ways, problems)
    }
}

impl WebhookConfig {
    fn open(&self, paths: &ProjectPaths) -> Result<WebhookNotifier, BadUrl> {
        let text = |secret: &Option<SecretText>| secret.as_ref().map(|secret| secret.reveal().to_owned());
        WebhookNotifier::new(WebhookSetup {
            url: self.url.clone(),
            format: self.format,
            secret: text(&self.secret),
            token: text(&self.token),
            proxies: proxies(paths),
            limit: TIMEOUT,
        })
    }
}

fn desktop_command() -> Option<Vec<String>> {
    let words: &[&str] = if cfg!(target_os = "macos") {
        &[
            "osascript",
            "-e",
            "on run argv",
            "-e",
            "display notification (item 1 of argv) with title \"dbs\"",
            "-e",
            "end run",
        ]
    } else if cfg!(windows) {
        return None;
    } else {
        &["notify-send", "dbs"]
    };
    Some(words.iter().map(|&word| word.to_owned()).collect())
}

/// The topic of an ntfy server that an earlier program was set up with.
fn legacy_topic(config: &Config) -> Option<(String, BodyFormat)> {
    let server = config.value(&schema::NOTIFICATIONS_NTFY_SERVER);
    let server = server.or_else(|| config.value(&schema::NESTED_NTFY_SERVER));
    let topic = config.value(&schema::NOTIFICATIONS_NTFY_TOPIC);
    let topic = topic.or_else(|| config.value(&schema::NESTED_NTFY_TOPIC))?;
    let server = server.unwrap_or_else(|| NTFY.to_owned());
    Some((
        format!("{}/{}", server.trim_end_matches('/'), topic.trim()),
        BodyFormat::Ntfy,
    ))
}

/// Returns the person's environment: programs that show something need to know where their screen is.
pub fn environment(paths: &ProjectPaths) -> Vec<(OsString, OsString)> {
    let all = paths.sources.overrides.environment.iter();
    all.filter(|(name, _)| !SECRETS.contains(&name.as_str()))
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
}

fn proxies(paths: &ProjectPaths) -> ProxySettings {
    let all = &paths.sources.overrides.environment;
    let named = |names: &[&str]| {
        let value = |name: &&str| all.iter().find(|(key, value)| key == name && !value.is_empty());
        names.iter().find_map(value).map(|(_, value)| value.clone())
    };
    ProxySettings {
        https: named(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]),
        // The name in capitals can be set by the caller of a web script; other programs do not read it either.
        http: named(&["http_proxy", "all_proxy", "ALL_PROXY"]),
        none_for: named(&["no_proxy", "NO_PROXY"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ConfigFiles, ConfigOverrides};

    fn ways(text: &str) -> ChannelSettings {
        let folder = tempfile::tempdir().unwrap();
        let places = ConfigFiles::new(folder.path(), None, None);
        std::fs::write(places.toml(), text).unwrap();
        let config = Config::read(&places, &ConfigOverrides::default());
        assert!(config.diagnostics().is_empty(), "{:?}", config.diagnostics());
        ChannelSettings::of(&config)
    }

    #[test]
    fn what_is_set_is_used_and_without_settings_nothing_is() {
        assert!(ways("").is_empty());
        let both = ways(
            "[notify]\ncommand = \"notify-send -u 'very high'\"\nurl = \"https://example.org/hook?key=k\"\nsecret = \"s\"\n",
        );
        assert_eq!(both.program(), Some("notify-send"));
        let argv = ["notify-send", "-u", "very high"].map(str::to_owned).to_vec();
        assert_eq!(both.command, Some(argv));
        assert_eq!(
            both.host().as_deref(),
            Some("https://example.org"),
            "no more than that is shown"
        );
        assert!(
            both.webhook
                .is_some_and(|post| post.format == BodyFormat::Json && post.secret.is_some())
        );
    }

    #[test]
    fn settings_of_earlier_programs_are_heeded_where_there_are_no_others() {
        let old = "[notifications]\nenabled = true\nprovider = \"ntfy\"\nntfy_server = \"http://ntfy.local/\"\nntfy_topic = \"me\"\n";
        let post = ways(old).webhook.unwrap();
        assert_eq!(
            (post.url.as_str(), post.format),
            ("http://ntfy.local/me", BodyFormat::Ntfy)
        );
        let nested = "[notifications]\nprovider = \"ntfy\"\n[notifications.ntfy]\ntopic = \"me\"\n";
        assert_eq!(ways(nested).webhook.unwrap().url, "https://ntfy.sh/me");
        let own = format!("[notify]\nurl = \"https://example.org\"\n{old}");
        assert_eq!(ways(&own).webhook.unwrap().url, "https://example.org");
        assert!(ways(&old.replace("true", "false")).is_empty());
        assert!(ways(&old.replace("\"ntfy\"", "\"none\"")).is_empty());
        let desktop = ways("[notifications]\nprovider = \"desktop\"\n");
        assert_eq!(desktop.program().is_some(), !cfg!(windows));
    }
}
