//! The program's own log: files below `.debussy/logs`, one a day, a week of them. Never the terminal.

use std::fmt::Debug;
use std::path::Path;

use tracing::Subscriber;
use tracing::field::Field;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::{InitError, RollingFileAppender, Rotation};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

use crate::term::sanitize;

/// Begins to write; the log is complete when the answer is dropped. `filter` is as in `DBS_LOG=debug`.
///
/// # Errors
/// When the folder cannot be written.
pub fn to_folder(folder: &Path, filter: Option<&str>) -> Result<WorkerGuard, InitError> {
    let file = RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("server")
        .filename_suffix("log")
        .max_log_files(7)
        .build(folder)?;
    let (writer, guard) = tracing_appender::non_blocking(file);
    let filter = EnvFilter::try_new(filter.unwrap_or("info")).unwrap_or_else(|_| EnvFilter::new("info"));
    // A second server in one process (a test) continues the first one's log.
    drop(tracing::subscriber::set_global_default(lines(filter, writer)));
    Ok(guard)
}

/// Creates the subscriber that writes one line for each record, whatever its text: text of agents is cleaned as everywhere.
fn lines<W>(filter: EnvFilter, writer: W) -> impl Subscriber
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer)
        .with_ansi(false)
        .fmt_fields(debug_fn(put).delimited(" "))
        .finish()
}

fn put(writer: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> std::fmt::Result {
    let text = format!("{value:?}");
    match field.name() {
        "message" => writer.write_str(&sanitize(&text)),
        name => write!(writer, "{name}={}", sanitize(&text)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;

    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<Vec<u8>>>);

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_text_of_an_agent_is_one_line_of_the_log_and_steers_no_terminal() {
        let kept = Kept::default();
        let writer = kept.clone();
        let subscriber = lines(EnvFilter::new("info"), move || writer.clone());
        let forged = "half\nWARN forged \u{1b}[2J\u{202e}";
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(task = %forged, "a word: {forged}");
        });
        let text = String::from_utf8(kept.0.lock().clone()).expect("text");
        assert_eq!(text.lines().count(), 1, "{text}");
        let cleaned = "half\\nWARN forged \\x1b[2J\\u{202e}";
        assert!(text.contains(&format!("a word: {cleaned}")), "{text}");
        assert!(text.contains(&format!("task={cleaned}")), "{text}");
    }
}
