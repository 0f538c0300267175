//! A POST against a listener on this machine that gives the answers it was made with.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, sync_channel};

use super::*;
use crate::adapters::notify::body::tests::question;

/// Requests that a listener got.
#[derive(Debug)]
struct Sent {
    line: String,
    head: Vec<(String, String)>,
    body: String,
}

impl Sent {
    fn header(&self, name: &str) -> Option<&str> {
        let found = self.head.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// Answers one request after the other; a request without an answer is left waiting.
fn listen(answers: Vec<Option<String>>) -> (String, Receiver<Sent>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let (requests, sent) = sync_channel(8);
    std::thread::Builder::new()
        .spawn(move || {
            let mut held = Vec::new();
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                requests.send(read(&stream)).unwrap();
                match answer {
                    Some(answer) => {
                        (&stream).write_all(answer.as_bytes()).unwrap();
                    }
                    None => held.push(stream),
                }
            }
            // Held as long as a request may come.
            drop(listener.accept());
        })
        .unwrap();
    (url, sent)
}

fn read(stream: &TcpStream) -> Sent {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut text = String::new();
        reader.read_line(&mut text).unwrap();
        text.trim_end().to_owned()
    };
    let first = line();
    let mut head = Vec::new();
    loop {
        let text = line();
        let Some((name, value)) = text.split_once(':') else {
            break;
        };
        head.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut sent = Sent {
        line: first,
        head,
        body: String::new(),
    };
    let length = sent
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    sent.body = String::from_utf8(body).unwrap();
    sent
}

fn answer(status: &str, more: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n{more}\r\n")
}

fn setup(url: &str) -> WebhookSetup {
    WebhookSetup {
        url: url.to_owned(),
        format: BodyFormat::Json,
        secret: None,
        token: None,
        proxies: ProxySettings::default(),
        limit: Duration::from_mins(1),
    }
}

fn notification() -> Notification {
    Notification {
        project: "shöp".to_owned(),
        ..question()
    }
}

fn send(setup: WebhookSetup) -> Result<(), NotifyError> {
    WebhookNotifier::new(setup).unwrap().send(&notification())
}

#[test]
fn the_document_is_posted_with_a_signature_that_can_be_checked() {
    let (url, sent) = listen(vec![Some(answer("200 OK", ""))]);
    let mut signed = setup(&url);
    signed.secret = Some("my secret".to_owned());
    send(signed).unwrap();
    let sent = sent.recv().unwrap();
    assert_eq!(sent.line, "POST /hook HTTP/1.1");
    assert_eq!(sent.header("content-type"), Some("application/json"));
    assert_eq!(sent.header("authorization"), None);
    let wanted = signature("my secret", &sent.body).unwrap();
    assert_eq!(sent.header("x-dbs-signature"), Some(wanted.as_str()));
    assert_ne!(Some(wanted), signature("another secret", &sent.body));
    let document: serde_json::Value = serde_json::from_str(&sent.body).unwrap();
    assert_eq!(document["text"], "needs you: t-1 question");
    assert!(!sent.body.contains("password") && !format!("{:?}", sent.head).contains("my secret"));
}

#[test]
fn a_topic_of_ntfy_gets_a_line_with_title_priority_and_tags() {
    let (url, sent) = listen(vec![Some(answer("200 OK", ""))]);
    let mut topic = setup(&url);
    (topic.format, topic.token) = (BodyFormat::Ntfy, Some("tk_1".to_owned()));
    send(topic).unwrap();
    let sent = sent.recv().unwrap();
    assert_eq!(sent.body, "shöp: needs you: t-1 question");
    let heads =
        ["title", "priority", "tags", "authorization", "x-dbs-signature"].map(|name| sent.header(name));
    assert_eq!(
        heads,
        [
            Some("dbs"),
            Some("5"),
            Some("rotating_light"),
            Some("Bearer tk_1"),
            None
        ]
    );
    let priorities = [
        NoticeLevel::Info,
        NoticeLevel::Success,
        NoticeLevel::Warning,
        NoticeLevel::Error,
    ]
    .map(|level| ntfy_priority(level).0);
    assert_eq!(priorities, ["3", "3", "4", "5"]);
}

#[test]
fn what_may_pass_differs_from_what_somebody_has_to_change() {
    for (status, may_pass) in [
        ("500 Oops", true),
        ("503 Later", true),
        ("429 Slowly", true),
        ("404 Not Found", false),
        ("401 Who", false),
    ] {
        let (url, _sent) = listen(vec![Some(answer(status, ""))]);
        let why = send(setup(&url)).unwrap_err();
        assert_eq!(matches!(why, NotifyError::Temporary(_)), may_pass, "{why}");
        let code = status.split_once(' ').unwrap().0;
        assert!(why.to_string().contains(&format!("answered {code}")), "{why}");
        assert!(!why.to_string().contains("hook"), "only the host is named: {why}");
    }
    let (url, sent) = listen(vec![Some(answer("500 Oops", "")), Some(answer("204 Fine", ""))]);
    let post = WebhookNotifier::new(setup(&url)).unwrap();
    post.send(&notification()).unwrap_err();
    post.send(&notification()).unwrap();
    assert_eq!(
        sent.recv().unwrap().body,
        sent.recv().unwrap().body,
        "the same again"
    );
}

#[test]
fn nothing_is_sent_on_to_where_an_answer_points() {
    let (elsewhere, sent_on) = listen(vec![Some(answer("200 OK", ""))]);
    for status in ["301 Moved", "302 Found", "307 Temporary", "308 Permanent"] {
        let (url, _sent) = listen(vec![Some(answer(status, &format!("Location: {elsewhere}\r\n")))]);
        let why = send(setup(&url)).unwrap_err();
        assert!(
            matches!(&why, NotifyError::Permanent(why) if why.contains("points elsewhere")),
            "{why}"
        );
    }
    assert!(sent_on.try_recv().is_err());
}

#[test]
fn who_never_answers_or_is_not_there_is_not_waited_for() {
    let (url, _sent) = listen(vec![None]);
    let mut short = setup(&url);
    short.limit = Duration::from_millis(300);
    let why = send(short).unwrap_err();
    assert!(
        matches!(&why, NotifyError::Temporary(why) if why.contains("no answer within 0.3 s")),
        "{why}"
    );
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let why = send(setup(&format!("http://{free}/"))).unwrap_err();
    assert!(matches!(why, NotifyError::Temporary(_)), "{why}");
}

#[test]
fn a_proxy_is_asked_unless_the_host_is_excepted() {
    let (proxy, asked) = listen(vec![Some(answer("403 No", "")), Some(answer("403 No", ""))]);
    let mut through = setup("http://example.invalid/hook");
    through.proxies.http = Some(proxy.trim_end_matches("/hook").to_owned());
    let why = send(through.clone()).unwrap_err();
    assert_eq!(
        why,
        NotifyError::Permanent("post to http://example.invalid: the proxy refused".to_owned())
    );
    assert_eq!(asked.recv().unwrap().line, "CONNECT example.invalid:80 HTTP/1.1");
    through.proxies.none_for = Some("other.example, example.invalid".to_owned());
    let why = send(through).unwrap_err();
    assert!(
        matches!(why, NotifyError::Temporary(_)),
        "straight to a host that does not exist: {why}"
    );
    assert!(asked.try_recv().is_err());
}

#[test]
fn an_address_is_of_the_web_and_holds_no_password() {
    for good in [
        "https://example.org",
        "http://127.0.0.1:8080/a?b=c",
        "https://[::1]/x",
    ] {
        assert_eq!(check_address(good), Ok(()), "{good}");
    }
    for bad in [
        "ftp://example.org",
        "example.org/hook",
        "https://",
        "https://me:pw@example.org",
        "https:///x",
        "a b",
    ] {
        let why = check_address(bad).unwrap_err().to_string();
        assert!(!why.contains("pw"), "{why}");
    }
    assert_eq!(
        host_of("https://example.org:8443/a?b").as_deref(),
        Some("https://example.org:8443")
    );
}

/// A server that speaks TLS with a certificate it made itself; what it was sent after the handshake, when there was one.
fn listen_with_own_certificate() -> (String, std::thread::JoinHandle<Result<String, String>>) {
    use rustls::pki_types::pem::PemObject as _;
    use rustls::pki_types::{CertificateDer, PrivateKeyDer};

    let certificate = include_bytes!("../../../../tests/data/tls/certificate.pem");
    let key = include_bytes!("../../../../tests/data/tls/key.pem");
    let chain = vec![CertificateDer::from_pem_slice(certificate).unwrap()];
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKeyDer::from_pem_slice(key).unwrap())
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://localhost:{}/hook", listener.local_addr().unwrap().port());
    let served = std::thread::Builder::new()
        .spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let connection = rustls::ServerConnection::new(config.into()).unwrap();
            let mut tls = rustls::StreamOwned::new(connection, stream);
            let mut line = String::new();
            let read = BufReader::new(&mut tls).read_line(&mut line);
            read.map(|_| line).map_err(|error| error.to_string())
        })
        .unwrap();
    (url, served)
}

#[test]
fn nothing_is_sent_to_who_has_a_certificate_that_is_not_valid_and_it_is_not_tried_again() {
    let (url, served) = listen_with_own_certificate();
    let mut signed = setup(&url);
    signed.token = Some("tk_1".to_owned());
    let why = send(signed).unwrap_err();
    assert!(
        matches!(&why, NotifyError::Permanent(why) if why.contains("certificate")),
        "{why:?}"
    );
    let seen = served.join().unwrap();
    assert!(seen.is_err(), "it was sent {seen:?}");
}
