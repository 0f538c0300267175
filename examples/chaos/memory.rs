//! Memory that the server keeps for ended attempts: work without any fault, with repeated measurements of the server.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::project::Project;
use crate::victims::{self, Victim};

/// Number of tasks that are open at any time.
const OPEN_TASKS: u64 = 16;
/// Number of attempts between two figures.
const STEP: u64 = 50;

/// Plays that many attempts with one server; prints its least memory in each step and its growth per attempt. The first third does not
/// count, because every server takes some memory once.
pub(crate) fn measure(project: &mut Project, attempts: u64) -> Result<(), String> {
    let server = server(project).ok_or("no server runs")?;
    let mut figures = Vec::new();
    let mut step_end = STEP;
    let mut least = u64::MAX;
    while step_end <= attempts {
        project.keep_work(OPEN_TASKS)?;
        sleep(Duration::from_millis(50));
        let now = own_memory(server).ok_or("the server has ended")?;
        least = least.min(now);
        if started(project) >= step_end {
            println!("{step_end} attempts: {least} KiB");
            figures.push((step_end, least));
            step_end += STEP;
            least = u64::MAX;
        }
    }
    let counted = figures.get(figures.len() / 3..).unwrap_or_default();
    if let (Some((first, before)), Some((last, after))) = (counted.first(), counted.last()) {
        let bytes = after.saturating_sub(*before) * 1024 / (last - first).max(1);
        println!("from {first} to {last} attempts the server grew by {bytes} bytes for each");
    }
    Ok(())
}

fn server(project: &Project) -> Option<i32> {
    victims::find(project, Victim::Server)
        .first()
        .map(|found| found.pid)
}

fn started(project: &Project) -> u64 {
    let starts = fs::read_to_string(project.notes().join("starts")).unwrap_or_default();
    u64::try_from(starts.lines().count()).unwrap_or_default()
}

/// Returns the anonymous memory of a process, without files, in KiB.
fn own_memory(process: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.split_whitespace().next()?.parse().ok()
}
