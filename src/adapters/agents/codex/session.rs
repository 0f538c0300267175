//! Session of Codex that worked in a folder. Codex chooses the id itself and writes it into the first line of its record,
//! `sessions/YEAR/MONTH/DAY/rollout-TIME-ID.jsonl` below its home, together with the folder. Its hooks report the id. Where none did, the
//! newest record that names the folder is taken: no two attempts share a folder.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use crate::adapters::agents::json_report::{object, raw, text};
use crate::adapters::agents::session_id;
use crate::adapters::text_file;
use crate::domain::Cause;

/// Maximum length of the first line that is read: it holds the instructions of the model, too.
const MAX_FIRST_LINE: u64 = 1024 * 1024;
/// Maximum number of records that are looked at, the newest first.
const MAX_RECORDS: usize = 2_000;
/// Type in the first line of a record.
const HEAD: &str = "session_meta";
/// Type of a message of the person once it is part of the session.
const MESSAGE: &str = r#""type":"UserMessage""#;

/// Returns the id of the session that was begun in `folder`: the reported one, if its record exists, else the newest.
///
/// # Errors
/// The places that were searched, and the reason why no record will do.
pub(super) fn find(home: &Path, folder: &Path, told: Option<&str>) -> Result<String, Cause> {
    if let Some((record, id)) = told.and_then(|id| Some((record_of(home, id)?, id))) {
        return said_in(&record, id.to_owned());
    }
    let sessions = home.join("sessions");
    let mut records = Vec::new();
    collect(&sessions, 3, &mut records);
    records.sort_by(|one, other| other.file_name().cmp(&one.file_name()));
    let mut found = records.iter().take(MAX_RECORDS);
    let none = || {
        format!(
            "Codex has no session of {} in {}",
            folder.display(),
            sessions.display()
        )
    };
    let (record, id) = found
        .find_map(|record| Some((record, id_in(record, folder)?)))
        .ok_or_else(none)?;
    said_in(record, id)
}

/// The record of a session; the newest, should there be several.
pub(super) fn record_of(home: &Path, id: &str) -> Option<PathBuf> {
    let ending = format!("-{id}.jsonl");
    let is_it = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.ends_with(&ending))
    };
    newest(&home.join("sessions"), 3, &is_it)
}

/// Returns the newest file of such a name in a folder and in `levels` levels of folders below it. Their names begin with the time.
fn newest(folder: &Path, levels: u32, is_it: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    paths.into_iter().rev().find_map(|path| {
        if levels > 0 && path.is_dir() {
            return newest(&path, levels - 1, is_it);
        }
        is_it(&path).then_some(path)
    })
}

/// The id, if something was said in the session of that record.
fn said_in(record: &Path, id: String) -> Result<String, Cause> {
    if session_id::has_one_of(record, &[MESSAGE]) {
        return Ok(id);
    }
    Err(format!("nothing was said yet in the session {}", record.display()).into())
}

/// Collects the records in a folder and in `levels` levels of folders below it.
fn collect(folder: &Path, levels: u32, records: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if levels > 0 && path.is_dir() {
            collect(&path, levels - 1, records);
        } else if path.extension().is_some_and(|ending| ending == "jsonl") {
            records.push(path);
        }
    }
}

/// The id in the first line of a record, if it is of that folder and a person's own and not that of a helper it started.
fn id_in(record: &Path, folder: &Path) -> Option<String> {
    let mut line = Vec::new();
    let file = BufReader::new(text_file::open(record).ok()?);
    file.take(MAX_FIRST_LINE).read_until(b'\n', &mut line).ok()?;
    let head = object(&line)?;
    let is_own = raw(&head, "/type") == HEAD && is_same(Path::new(raw(&head, "/payload/cwd")), folder);
    let is_persons = matches!(raw(&head, "/payload/thread_source"), "user" | "");
    let id = text(&head, "/payload/id");
    (is_own && is_persons && !id.is_empty()).then_some(id)
}

/// Returns true if two paths lead to one folder, even if one of them contains a link.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || one
            .canonicalize()
            .is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(home: &Path, (name, source): (&str, &str), (id, cwd): (&str, &str), rest: &str) {
        let day = home.join("sessions/2026/11/23");
        fs::create_dir_all(&day).unwrap();
        let head = format!(
            r#"{{"timestamp":"x","type":"session_meta","payload":{{"id":"{id}","cwd":"{cwd}","thread_source":"{source}"}}}}"#
        );
        fs::write(
            day.join(format!("rollout-{name}-{id}.jsonl")),
            format!("{head}\n{rest}\n"),
        )
        .unwrap();
    }

    #[test]
    fn the_newest_session_of_the_folder_is_found_once_something_was_said_in_it() {
        let home = tempfile::tempdir().unwrap();
        let said = r#"{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[]}}}"#;
        let find = |folder: &str| find(home.path(), Path::new(folder), None);
        assert!(find("/w/a").unwrap_err().text.contains("no session of /w/a"));
        let write = |at: &str, id: (&str, &str), rest| record(home.path(), (at, "user"), id, rest);
        write("2026-11-23T01-00-00", ("1", "/w/a"), said);
        write("2026-11-23T02-00-00", ("2", "/w/a"), said);
        write("2026-11-23T03-00-00", ("3", "/w/b"), said);
        write("2026-11-23T04-00-00", ("4", "/w/c"), "");
        record(
            home.path(),
            ("2026-11-23T05-00-00", "subagent"),
            ("5", "/w/a"),
            said,
        );
        assert_eq!(find("/w/a").unwrap(), "2");
        assert_eq!(find("/w/b").unwrap(), "3");
        assert!(find("/w/c").unwrap_err().text.contains("nothing was said"));
        let told = |id: &str| super::find(home.path(), Path::new("/w/a"), Some(id));
        assert_eq!(told("1").unwrap(), "1", "an older one that its hook told");
        assert!(told("4").unwrap_err().text.contains("nothing was said"));
        assert_eq!(told("9").unwrap(), "2", "the told one has no record");
    }
}
