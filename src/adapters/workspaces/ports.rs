//! Ports of tasks: chosen once, free at that time, and written down, so that they stay the same.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::adapters::text_file;
use crate::domain::TaskId;

/// Ports that are given: above those of well-known services and below those that systems give by themselves.
const FIRST: u16 = 20_000;
const LAST: u16 = 31_999;
/// Tasks whose ports are remembered; those of the oldest are given again.
const MOST_TASKS: usize = 500;
/// Largest file of ports that is read.
const LARGEST: u64 = 1024 * 1024;

/// Ports that a task was given: the first, and their number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct GivenPorts {
    task: TaskId,
    first: u16,
    count: u16,
}

/// Returns the first of the ports of a task, and gives it some if it has none.
///
/// # Errors
/// When no ports are free, or the file cannot be written.
pub(super) fn of_task(file: &Path, task: &TaskId, count: u16) -> io::Result<u16> {
    let read = text_file::read(file, LARGEST).ok();
    let mut given: Vec<GivenPorts> = read
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default();
    if let Some(known) = given
        .iter()
        .find(|known| known.task == *task && known.count >= count)
    {
        return Ok(known.first);
    }
    given.retain(|known| known.task != *task);
    let surplus = given.len().saturating_sub(MOST_TASKS - 1);
    given.drain(..surplus);
    let begin = begin(file, task, count);
    let blocks = (LAST - FIRST + 1) / count.max(1);
    let mut all = (0..blocks).map(|nth| FIRST + (begin + nth) % blocks * count);
    let first = all.find(|first| !is_given(&given, *first, count) && is_free(*first, count));
    let first = first.ok_or_else(|| io::Error::other("no free ports are left"))?;
    given.push(GivenPorts {
        task: task.clone(),
        first,
        count,
    });
    let text = serde_json::to_vec(&given).map_err(io::Error::other)?;
    text_file::replace_private(file, &text)?;
    Ok(first)
}

/// Returns the block with which the search begins: another one for each project and task.
fn begin(file: &Path, task: &TaskId, count: u16) -> u16 {
    let mut digest = Sha256::new();
    digest.update(file.as_os_str().as_encoded_bytes());
    digest.update(task.as_str());
    let digest = digest.finalize();
    let number = digest
        .iter()
        .take(2)
        .fold(0u16, |sum, byte| sum << 8 | u16::from(*byte));
    number % ((LAST - FIRST + 1) / count.max(1))
}

fn is_given(given: &[GivenPorts], first: u16, count: u16) -> bool {
    given.iter().any(|known| {
        first < known.first.saturating_add(known.count) && known.first < first.saturating_add(count)
    })
}

fn is_free(first: u16, count: u16) -> bool {
    (first..first.saturating_add(count)).all(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_keeps_its_ports_and_no_two_tasks_or_programs_share_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ports.json");
        let first = |task: &str| of_task(&file, &TaskId::new(task), 3).unwrap();
        let one = first("t-1");
        let busy = TcpListener::bind((Ipv4Addr::LOCALHOST, one)).ok();
        assert_eq!(first("t-1"), one, "also while its own server uses it");
        drop(busy);
        let mut all: Vec<u16> = (1..40).map(|nth| first(&format!("t-{nth}"))).collect();
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[1] >= pair[0] + 3), "{all:?}");
        std::fs::remove_file(&file).unwrap();
        let _busy = TcpListener::bind((Ipv4Addr::LOCALHOST, one + 1));
        assert_ne!(first("t-1"), one, "a port of another program is passed over");
    }
}
