//! Cost of processes, as the kernel counts it.

use std::fs;

/// Resident memory in KiB.
pub(crate) fn resident(pid: u32) -> u64 {
    field(&format!("/proc/{pid}/status"), "VmRSS:")
}

/// Memory that would be free without the process, in KiB.
pub(crate) fn private(pid: u32) -> u64 {
    let rollup = format!("/proc/{pid}/smaps_rollup");
    field(&rollup, "Private_Clean:") + field(&rollup, "Private_Dirty:")
}

/// Processor time used so far, in ticks of 10 ms.
pub(crate) fn ticks(pid: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let rest = text.rsplit(") ").next().unwrap_or_default();
    let fields: Vec<u64> = rest.split(' ').map(|word| word.parse().unwrap_or(0)).collect();
    fields.get(11).copied().unwrap_or(0) + fields.get(12).copied().unwrap_or(0)
}

/// Number of wake-ups of its threads so far.
pub(crate) fn wakeups(pid: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task"))
        .into_iter()
        .flatten()
        .flatten();
    tasks
        .map(|task| {
            field(
                &task.path().join("status").to_string_lossy(),
                "voluntary_ctxt_switches:",
            )
        })
        .sum()
}

/// Processes with that text in their environment and that word as first argument of their command line.
pub(crate) fn found(folder: &str, word: &str) -> Vec<u32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    all.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let environment = fs::read(entry.path().join("environ")).ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        let second = line.split(|byte| *byte == 0).nth(1)?;
        let is_it =
            second == word.as_bytes() && memchr::memmem::find(&environment, folder.as_bytes()).is_some();
        is_it.then_some(pid)
    })
    .collect()
}

fn field(path: &str, name: &str) -> u64 {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or(0)
}
