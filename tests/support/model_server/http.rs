//! Part of HTTP/1.1 that agents use with this server: one request per connection, answers whole or as a stream of events.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::Value;

/// Limits of a request: its longest line, its number of lines, and its longest body.
const LONGEST_LINE: u64 = 64 * 1024;
const MOST_LINES: usize = 200;
const LONGEST_BODY: u64 = 32 * 1024 * 1024;

/// Request with its whole body.
pub(super) struct HttpRequest {
    pub(super) method: String,
    pub(super) path: String,
    /// Headers by lower-case name.
    pub(super) headers: BTreeMap<String, String>,
    pub(super) body: Vec<u8>,
}

/// Event of a stream.
pub(super) struct StreamEvent {
    pub(super) name: String,
    pub(super) payload: Value,
    /// True if it carries a piece of the answer; gates and breaks count these.
    pub(super) is_piece: bool,
}

impl StreamEvent {
    /// Returns an event that carries no piece and is named by the type of its payload, if that has one.
    pub(super) fn of(payload: Value) -> Self {
        Self {
            name: payload["type"].as_str().unwrap_or_default().to_owned(),
            payload,
            is_piece: false,
        }
    }
}

/// Answer that is being sent event by event. Only [`EventStream::finish`] ends it properly, so a client can tell a cut stream from a whole
/// one.
pub(super) struct EventStream<'a> {
    connection: &'a mut TcpStream,
}

/// Reads one request; returns None if the other side closed before the first line.
pub(super) fn read(connection: &TcpStream) -> io::Result<Option<HttpRequest>> {
    let mut reader = BufReader::new(connection);
    let first = line(&mut reader)?;
    let mut words = first.split(' ');
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Ok(None);
    };
    let headers = headers(&mut reader)?;
    let length = headers.get("content-length").map_or(Ok(0), |text| text.parse());
    let length: u64 = length.map_err(io::Error::other)?;
    if length > LONGEST_BODY {
        return Err(io::Error::other("the body is too long"));
    }
    let mut body = Vec::new();
    if headers
        .get("transfer-encoding")
        .is_some_and(|coding| coding.eq_ignore_ascii_case("chunked"))
    {
        read_chunks(&mut reader, &mut body)?;
    } else {
        reader.take(length).read_to_end(&mut body)?;
    }
    Ok(Some(HttpRequest {
        method: method.to_owned(),
        path: path.to_owned(),
        headers,
        body,
    }))
}

fn headers(reader: &mut impl BufRead) -> io::Result<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    for _ in 0..MOST_LINES {
        let line = line(reader)?;
        if line.is_empty() {
            return Ok(headers);
        }
        if let Some((name, value)) = line.split_once(':') {
            headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
        }
    }
    Err(io::Error::other("the head has too many lines"))
}

fn read_chunks(reader: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let size = line(reader)?;
        let size = u64::from_str_radix(&size, 16).map_err(io::Error::other)?;
        if body.len() as u64 + size > LONGEST_BODY {
            return Err(io::Error::other("the body is too long"));
        }
        reader.by_ref().take(size).read_to_end(body)?;
        line(reader)?;
        if size == 0 {
            return Ok(());
        }
    }
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    let text = String::from_utf8(bytes).map_err(io::Error::other)?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Sends a whole answer and announces that the connection closes.
pub(super) fn answer(
    connection: &mut TcpStream,
    status: u16,
    headers: &BTreeMap<String, String>,
    body: &Value,
) -> io::Result<()> {
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let length = body.len();
    let kind = format!("content-type: application/json\r\ncontent-length: {length}\r\n");
    connection.write_all(head(status, headers, &kind).as_bytes())?;
    connection.write_all(body.as_bytes())
}

impl<'a> EventStream<'a> {
    /// Sends the head of the answer and returns the stream.
    pub(super) fn open(
        connection: &'a mut TcpStream,
        headers: &BTreeMap<String, String>,
    ) -> io::Result<Self> {
        let kind = "content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n";
        connection.write_all(head(200, headers, kind).as_bytes())?;
        Ok(Self { connection })
    }

    /// Sends one event.
    pub(super) fn send(&mut self, event: &StreamEvent) -> io::Result<()> {
        let name = if event.name.is_empty() {
            String::new()
        } else {
            format!("event: {}\n", event.name)
        };
        let text = format!("{name}data: {}\n\n", event.payload);
        let chunk = format!("{:x}\r\n{text}\r\n", text.len());
        self.connection.write_all(chunk.as_bytes())
    }

    /// Sends the end of the stream.
    pub(super) fn finish(self) -> io::Result<()> {
        self.connection.write_all(b"0\r\n\r\n")
    }
}

fn head(status: u16, headers: &BTreeMap<String, String>, kind: &str) -> String {
    let own: Vec<String> = headers
        .iter()
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let own = own.concat();
    format!("HTTP/1.1 {status} Scripted\r\n{kind}{own}connection: close\r\n\r\n")
}
