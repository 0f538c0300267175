//! Database `state.db` of an earlier program: runs of plans, the tries of each phase, and the messages about them (P68). Its bytes are read
//! once and opened in memory, so that the file is never written, locked or waited for. Only plain tables are asked, and a file with
//! anything else in it is refused, so that no foreign content is ever executed.

use crate::domain::cut::cut_chars;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde::Serialize;
use serde_json::{Map, Value};

use super::files::beside;
use super::integrity::MAGIC;
use crate::adapters::text_file;

/// Maximum size of a file that is read, in bytes.
const LARGEST: u64 = 64 * 1024 * 1024;
/// Maximum number of rows of a table.
const MOST_ROWS: usize = 20_000;
/// Maximum length of a text of a value, in characters; the output of gates is cut.
const LONGEST: usize = 4096;
/// Bytes of the header that say whether a log beside the file belongs to it; with 1 none does.
const LOG_MODE: std::ops::Range<usize> = 18..20;

/// Tables with their columns, as they were written; missing ones in a file are empty.
const TABLES: [(&str, &str); 6] = [
    (
        "runs",
        "id master_plan_path started_at completed_at status current_phase",
    ),
    (
        "phase_executions",
        "id run_id phase_id attempt status started_at completed_at claude_pid log_path error_message",
    ),
    (
        "gate_results",
        "id phase_execution_id gate_name command passed output executed_at",
    ),
    (
        "completion_signals",
        "id run_id phase_id status reason report signaled_at",
    ),
    ("progress_log", "id run_id phase_id step logged_at"),
    ("completed_features", "id name completed_at issues_json plan_path"),
];

/// Error of a file that is not taken.
#[derive(Debug, thiserror::Error)]
pub enum EarlierError {
    /// Content that program did not write.
    #[error("{0}")]
    Unfit(String),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Sql(#[from] rusqlite::Error),
}

/// History that an earlier program recorded: its tables by name, each row an object.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct EarlierHistory {
    tables: BTreeMap<&'static str, Vec<Map<String, Value>>>,
}

impl EarlierHistory {
    /// Reads the file.
    ///
    /// # Errors
    /// When it does not exist, is not such a database, is not closed properly or has more in it than is taken. Reads after "could not read
    /// FILE:".
    pub fn read(path: &Path) -> Result<EarlierHistory, EarlierError> {
        let mut bytes = text_file::read(path, LARGEST)?;
        for log in ["-wal", "-journal"] {
            let log = beside(path, log);
            if log.metadata().is_ok_and(|log| log.len() > 0) {
                return Err(EarlierError::Unfit(format!(
                    "{} belongs to it, so it is in use or was not closed: end the program that writes it, or open it once with sqlite3",
                    log.display()
                )));
            }
        }
        if !bytes.starts_with(MAGIC) {
            return Err(EarlierError::Unfit("it is not an SQLite database".to_owned()));
        }
        if let Some(mode) = bytes.get_mut(LOG_MODE) {
            mode.fill(1);
        }
        let connection = open(&bytes)?;
        let found = check(&connection)?;
        if !found.is_empty() {
            return Err(EarlierError::Unfit(found));
        }
        let mut tables = BTreeMap::new();
        for (table, columns) in TABLES {
            tables.insert(table, rows(&connection, table, columns)?);
        }
        Ok(EarlierHistory { tables })
    }

    /// Returns its runs with the tries of their phases, as lines for people.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for run in self.of("runs") {
            let id = text(run, "id");
            let plan = text(run, "master_plan_path");
            let (from, to) = (text(run, "started_at"), text(run, "completed_at"));
            lines.push(format!(
                "run {id}  {}  {plan}  {from} to {to}",
                text(run, "status")
            ));
            for tried in self
                .of("phase_executions")
                .filter(|tried| text(tried, "run_id") == id)
            {
                lines.push(self.execution(tried));
            }
            let done: Vec<String> = self.completed(&id).into_iter().collect();
            if !done.is_empty() {
                lines.push(format!("  continue: dbs run {plan} --done {}", done.join(",")));
            }
        }
        for feature in self.of("completed_features") {
            let (name, plan) = (text(feature, "name"), text(feature, "plan_path"));
            lines.push(format!(
                "completed {}  {name}  {plan}",
                text(feature, "completed_at")
            ));
        }
        lines
    }

    /// Returns a line for one try of a phase: how it ended, the gates that failed, and the first line of the error.
    fn execution(&self, tried: &Map<String, Value>) -> String {
        let id = text(tried, "id");
        let gates = self
            .of("gate_results")
            .filter(|gate| text(gate, "phase_execution_id") == id);
        let failed = gates.filter(|gate| matches!(text(gate, "passed").as_str(), "0" | "false"));
        let failed: Vec<String> = failed.map(|gate| text(gate, "gate_name")).collect();
        let mut line = format!(
            "  phase {:<6} {:<14} try {}  {} to {}",
            text(tried, "phase_id"),
            text(tried, "status"),
            text(tried, "attempt"),
            text(tried, "started_at"),
            text(tried, "completed_at")
        );
        if !failed.is_empty() {
            line.extend(["  failed: ", &failed.join(", ")]);
        }
        let why = text(tried, "error_message");
        if why != "-" {
            line.extend(["  ", why.lines().next().unwrap_or_default()]);
        }
        line
    }

    /// Phases of a run that were completed at some time.
    fn completed(&self, run: &str) -> BTreeSet<String> {
        let of_run = self
            .of("phase_executions")
            .filter(|tried| text(tried, "run_id") == run);
        let done = of_run.filter(|tried| text(tried, "status") == "completed");
        done.map(|tried| text(tried, "phase_id")).collect()
    }

    fn of(&self, table: &str) -> impl Iterator<Item = &Map<String, Value>> {
        self.tables.get(table).into_iter().flatten()
    }
}

/// Returns a value as it is shown in a line.
fn text(row: &Map<String, Value>, column: &str) -> String {
    match row.get(column) {
        None | Some(Value::Null) => "-".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn open(bytes: &[u8]) -> rusqlite::Result<Connection> {
    let mut connection = Connection::open_in_memory()?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "ignore_check_constraints", true)?;
    connection.deserialize_read_exact("main", bytes, bytes.len(), true)?;
    Ok(connection)
}

/// Returns a text about content that is not a table of that program, or about damaged pages; empty: no fault was found.
fn check(connection: &Connection) -> rusqlite::Result<String> {
    let odd = "SELECT count(*) FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%'";
    let n_odd: i64 = connection.query_row(odd, [], |row| row.get(0))?;
    if n_odd > 0 {
        return Ok("views, triggers or virtual tables are in it, which that program never made".to_owned());
    }
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(if found == "ok" {
        String::new()
    } else {
        format!("it is damaged: {found}")
    })
}

/// The rows of a table by their ids, or why they are not taken.
fn rows(
    connection: &Connection,
    table: &str,
    columns: &'static str,
) -> Result<Vec<Map<String, Value>>, EarlierError> {
    let mut there = connection.prepare("SELECT name, hidden FROM pragma_table_xinfo(?1)")?;
    let there = there.query_map([table], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let there: BTreeMap<String, i64> = there.collect::<Result<_, _>>()?;
    if there.values().any(|hidden| *hidden != 0) {
        return Err(EarlierError::Unfit(format!(
            "its table {table} has columns that are computed"
        )));
    }
    let known: Vec<&str> = columns
        .split(' ')
        .filter(|name| there.contains_key(*name))
        .collect();
    if known.is_empty() {
        return Ok(Vec::new());
    }
    let named: Vec<String> = known.iter().map(|name| format!("\"{name}\"")).collect();
    let sql = format!(
        "SELECT {} FROM \"{table}\" LIMIT {}",
        named.join(", "),
        MOST_ROWS + 1
    );
    let mut asked = connection.prepare(&sql)?;
    let found = asked.query_map([], |row| object(row, &known))?;
    let mut found = found.collect::<Result<Vec<_>, _>>()?;
    if found.len() > MOST_ROWS {
        return Err(EarlierError::Unfit(format!(
            "its table {table} has more than {MOST_ROWS} rows"
        )));
    }
    found.sort_by_key(|row| row.get("id").and_then(Value::as_i64));
    Ok(found)
}

fn object(row: &Row<'_>, columns: &[&str]) -> rusqlite::Result<Map<String, Value>> {
    let mut object = Map::new();
    for (n, name) in columns.iter().enumerate() {
        let value = match row.get_ref(n)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => number.into(),
            ValueRef::Real(number) => number.into(),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                cut_chars(&String::from_utf8_lossy(bytes), LONGEST).into()
            }
        };
        object.insert((*name).to_owned(), value);
    }
    Ok(object)
}
