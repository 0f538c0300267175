//! A POST to an address of the person's: signed if they gave a secret, within a time limit. It is never sent on to where an answer
//! points, and neither the address beyond its host nor a secret is in a text about it.

use std::time::Duration;

use ureq::http::{StatusCode, Uri};
use ureq::tls::{RootCerts, TlsConfig};
use ureq::{Agent, Error, Proxy};

use super::body::{BodyFormat, signature};
use crate::domain::NoticeLevel;
use crate::ports::notify::{CancelOutcome, Notification, Notifier, NotifyError};

/// Address, body format, credentials, proxies and time limit of a webhook.
#[derive(Clone)]
pub struct WebhookSetup {
    pub url: String,
    pub format: BodyFormat,
    pub secret: Option<String>,
    /// Token that proves the permission to post there (`Authorization: Bearer`).
    pub token: Option<String>,
    pub proxies: ProxySettings,
    /// Maximum time until there is an answer.
    pub limit: Duration,
}

/// HTTP proxies as the environment variables name them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProxySettings {
    /// Proxy for `https`.
    pub https: Option<String>,
    /// Proxy for `http`.
    pub http: Option<String>,
    /// Hosts that are reached without, with commas between.
    pub none_for: Option<String>,
}

/// Error of a URL that cannot be posted to. The text reads after "could not" and does not contain the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("use the address for notifications: {0}; write it as https://example.org/path")]
pub struct BadUrl(&'static str);

/// Notification channel that posts to an HTTP address of the user's.
pub struct WebhookNotifier {
    setup: WebhookSetup,
    host: String,
    agent: Agent,
}

impl std::fmt::Debug for WebhookNotifier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebhookNotifier")
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

/// Checks whether it is possible to post there.
///
/// # Errors
/// When the address cannot be used.
pub fn check_address(url: &str) -> Result<(), BadUrl> {
    read(url).map(drop)
}

/// Returns the part of an address that may be shown: its scheme and host. The rest of it may be the only secret that keeps others out.
pub fn host_of(url: &str) -> Option<String> {
    let uri = read(url).ok()?;
    Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
}

fn read(url: &str) -> Result<Uri, BadUrl> {
    let uri: Uri = url.parse().map_err(|_what| BadUrl("it cannot be read"))?;
    let host = uri.authority().ok_or(BadUrl("it names no host"))?;
    match uri.scheme_str() {
        Some("http" | "https") => {}
        Some(_) | None => return Err(BadUrl("only http and https are known")),
    }
    if host.as_str().contains('@') {
        let why = "it has a name or password in it, which belongs into notify.token";
        return Err(BadUrl(why));
    }
    if host.host().is_empty() {
        return Err(BadUrl("it names no host"));
    }
    Ok(uri)
}

impl WebhookNotifier {
    /// Creates the notifier, ready to post.
    ///
    /// # Errors
    /// When nothing can be posted to the address.
    pub fn new(setup: WebhookSetup) -> Result<WebhookNotifier, BadUrl> {
        let uri = read(&setup.url)?;
        let proxy = setup.proxies.to(&uri);
        // A list of authorities of our own would not know the one of a company.
        let tls = TlsConfig::builder()
            .root_certs(RootCerts::PlatformVerifier)
            .build();
        let config = Agent::config_builder()
            .timeout_global(Some(setup.limit))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .max_response_header_size(64 * 1024)
            .user_agent(concat!("dbs/", env!("CARGO_PKG_VERSION")))
            .proxy(proxy)
            .tls_config(tls)
            .build();
        Ok(WebhookNotifier {
            host: host_of(&setup.url).unwrap_or_default(),
            agent: Agent::new_with_config(config),
            setup,
        })
    }

    fn post(&self, notification: &Notification) -> Result<StatusCode, Error> {
        let body = self.setup.format.body(notification);
        let mut request = self
            .agent
            .post(&self.setup.url)
            .header("Content-Type", self.setup.format.content_type());
        if self.setup.format == BodyFormat::Ntfy {
            let (priority, tag) = ntfy_priority(notification.level);
            request = request
                .header("Title", "dbs")
                .header("Priority", priority)
                .header("Tags", tag);
        }
        if let Some(token) = &self.setup.token {
            request = request.header("Authorization", format!("Bearer {token}"));
        }
        let signed = self.setup.secret.as_ref();
        if let Some(signature) = signed.and_then(|secret| signature(secret, &body)) {
            request = request.header("X-Dbs-Signature", signature);
        }
        request.send(body).map(|answer| answer.status())
    }
}

impl Notifier for WebhookNotifier {
    fn send(&self, notification: &Notification) -> Result<(), NotifyError> {
        let (is_temporary, why) = match self.post(notification) {
            Ok(status) if status.is_success() => return Ok(()),
            Ok(status) => refusal(status),
            Err(error) => (is_transient(&error), error_text(&error, self.setup.limit)),
        };
        let why = format!("post to {}: {why}", self.host);
        Err(if is_temporary {
            NotifyError::Temporary(why)
        } else {
            NotifyError::Permanent(why)
        })
    }

    fn cancel(&self) -> CancelOutcome {
        CancelOutcome::AtTimeLimit
    }
}

/// Returns the priority and the picture with which an ntfy server shows it (P53): a number from 1 to 5, and the name of a picture.
fn ntfy_priority(level: NoticeLevel) -> (&'static str, &'static str) {
    match level {
        NoticeLevel::Info => ("3", "information_source"),
        NoticeLevel::Success => ("3", "white_check_mark"),
        NoticeLevel::Warning => ("4", "warning"),
        NoticeLevel::Error => ("5", "x"),
        NoticeLevel::Alert => ("5", "rotating_light"),
    }
}

/// Returns true if the failure may be gone later, and the text of an answer that is not a success.
fn refusal(status: StatusCode) -> (bool, String) {
    let code = status.as_u16();
    let way_out = match code {
        300..=399 => " and points elsewhere, and nothing is sent on; set notify.url to the right address",
        408 | 425 | 429 | 500.. => "",
        401 | 403 => "; is notify.token right?",
        _ => "; is notify.url right?",
    };
    (way_out.is_empty(), format!("it answered {code}{way_out}"))
}

fn is_transient(error: &Error) -> bool {
    match error {
        Error::Io(error) => !is_refused_certificate(error),
        Error::Timeout(_) | Error::HostNotFound | Error::ConnectionFailed | Error::Protocol(_) => true,
        _ => false,
    }
}

/// Returns true if the other side is not the one the address names, or cannot prove it; TLS gives this kind to everything that it refuses.
fn is_refused_certificate(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::InvalidData
}

/// Returns the text of an error; some of the library's own texts hold the address.
fn error_text(error: &Error, limit: Duration) -> String {
    match error {
        Error::Timeout(_) => format!("there was no answer within {} s", limit.as_secs_f32()),
        Error::Io(error) if is_refused_certificate(error) => {
            format!("{error}; is notify.url right, and does this system trust its certificate?")
        }
        Error::Io(error) => error.to_string(),
        Error::HostNotFound => "the host is not known".to_owned(),
        Error::ConnectionFailed => "it cannot be connected to".to_owned(),
        Error::Protocol(_) => "its answer is not HTTP".to_owned(),
        Error::Rustls(error) => error.to_string(),
        Error::Tls(why) => (*why).to_owned(),
        Error::ConnectProxyFailed(_) => "the proxy refused".to_owned(),
        Error::InvalidProxyUrl => "the address of the proxy cannot be read".to_owned(),
        Error::LargeResponseHeader(..) => "its answer is too large".to_owned(),
        _ => "it cannot be asked".to_owned(),
    }
}

impl ProxySettings {
    /// The way to that address; `None`: straight.
    fn to(&self, uri: &Uri) -> Option<Proxy> {
        let named = match uri.scheme_str() {
            Some("https") => self.https.as_ref(),
            _ => self.http.as_ref(),
        };
        let given = Proxy::new(named?).ok()?;
        let mut built = Proxy::builder(given.protocol())
            .host(given.host())
            .port(given.port());
        if let Some(name) = given.username() {
            built = built.username(name);
        }
        if let Some(password) = given.password() {
            built = built.password(password);
        }
        for host in self.none_for.iter().flat_map(|hosts| hosts.split(',')) {
            built = built.no_proxy(host.trim());
        }
        built.build().ok()
    }
}

#[cfg(test)]
mod tests;
