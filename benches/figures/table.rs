//! The rows of the table, their output, and the sizes of the work.

#![expect(clippy::disallowed_methods, reason = "is asked for a size by the environment")]

use std::fmt;
use std::time::Duration;

/// Amount of work that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sizes {
    /// The sizes of the targets.
    Full,
    /// Small sizes, to check that everything works.
    Quick,
}

impl Sizes {
    /// Returns the sizes that the environment chooses.
    pub(crate) fn chosen() -> Self {
        match std::env::var_os("DBS_BENCH_QUICK") {
            Some(value) if value != "0" => Sizes::Quick,
            _ => Sizes::Full,
        }
    }

    /// One of two sizes.
    pub(crate) fn of<T>(self, full: T, quick: T) -> T {
        match self {
            Sizes::Full => full,
            Sizes::Quick => quick,
        }
    }
}

/// All rows measured so far.
pub(crate) struct Table {
    pub(crate) sizes: Sizes,
    pub(crate) tmux: Option<String>,
    rows: Vec<[String; 4]>,
}

impl Table {
    /// Returns a table without rows.
    pub(crate) fn new(sizes: Sizes, tmux: Option<String>) -> Self {
        Self {
            sizes,
            tmux,
            rows: Vec::new(),
        }
    }

    /// Adds a row: the name, the target, our figure, and that of tmux (empty if tmux has no such feature).
    pub(crate) fn row(
        &mut self,
        what: impl Into<String>,
        target: &str,
        ours: impl Into<String>,
        theirs: impl Into<String>,
    ) {
        let theirs = match (&self.tmux, theirs.into()) {
            (None, text) if text != "–" => "**tmux is not installed**".to_owned(),
            (_, text) => text,
        };
        let row = [what.into(), target.to_owned(), ours.into(), theirs];
        print_row(&row);
        self.rows.push(row);
    }
}

/// Prints a row as soon as it is known, because a later one may fail.
#[expect(clippy::print_stderr, reason = "prints the progress beside the table")]
fn print_row([what, target, ours, theirs]: &[String; 4]) {
    eprintln!("  {what}: {ours} (target {target}, tmux {theirs})");
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self
            .sizes
            .of("full sizes", "QUICK SIZES: these are no figures to keep");
        let tmux = self
            .tmux
            .as_deref()
            .unwrap_or("TMUX IS NOT INSTALLED: nothing to compare with");
        writeln!(
            f,
            "Client of 200x50, {size}, load at the end {}, beside: {tmux}.\n",
            load()
        )?;
        writeln!(f, "| figure | target | dbs | tmux |\n|---|---|---|---|")?;
        for [what, target, ours, theirs] in &self.rows {
            writeln!(f, "| {what} | {target} | {ours} | {theirs} |")?;
        }
        Ok(())
    }
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(3).collect::<Vec<_>>().join(" ")
}

/// Milliseconds with two decimals.
pub(crate) fn millis(time: Duration) -> String {
    format!("{:.2}", time.as_secs_f64() * 1000.0)
}

/// Megabytes (10^6) a second.
pub(crate) fn rate(bytes: u64, time: Duration) -> String {
    let bytes = u32::try_from(bytes / 1000).unwrap_or(u32::MAX);
    format!("{:.1} MB/s", f64::from(bytes) / 1000.0 / time.as_secs_f64())
}

/// Mebibytes, from kibibytes.
pub(crate) fn mebibytes(kibibytes: u64) -> String {
    format!(
        "{:.1} MiB",
        f64::from(u32::try_from(kibibytes).unwrap_or(u32::MAX)) / 1024.0
    )
}

/// The median and the 99th percentile, both in milliseconds; `LOST` if some never came.
pub(crate) fn percentiles(mut times: Vec<Duration>, lost: usize) -> String {
    times.sort_unstable();
    let at = |share: usize| {
        times
            .get((times.len() * share / 100).min(times.len().saturating_sub(1)))
            .copied()
    };
    let text = match (at(50), at(99)) {
        (Some(half), Some(most)) => format!("{} / {} ms", millis(half), millis(most)),
        _ => "nothing came".to_owned(),
    };
    if lost == 0 {
        text
    } else {
        format!("{text}, {lost} LOST")
    }
}

/// The median.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
