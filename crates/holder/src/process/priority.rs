//! Lower priority for agents and gates, so that server, holders and clients answer a key while all processors are busy.
//!
//! On Linux the priority of disk access follows the nice value by itself. A kernel that groups processes by session weighs the groups
//! first, so the group of a session of its own is lowered, too.

/// Steps by which the priority is lowered below that of this process.
#[cfg(unix)]
const STEPS: i32 = 10;

/// Runs a function that starts a program, which and all of whose descendants get the lower priority.
#[cfg(target_os = "linux")]
pub(crate) fn lowered<T: Send>(start: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    // A thread has a nice value of its own, and what it starts inherits that.
    std::thread::scope(|scope| {
        let lowered = move || {
            lower_thread();
            start()
        };
        let thread = std::thread::Builder::new().spawn_scoped(scope, lowered)?;
        thread
            .join()
            .map_err(|_panic| std::io::Error::other("the thread that starts it panicked"))
    })
}

/// Runs a function that starts a program; [`lower_started`] does the rest.
#[cfg(not(target_os = "linux"))]
pub(crate) fn lowered<T: Send>(start: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    Ok(start())
}

/// Lowers the priority of the calling thread for good, and of what it starts from then on. Where the system refuses, it stays as it is.
#[cfg(target_os = "linux")]
pub(crate) fn lower_thread() {
    rustix::process::nice(STEPS).ok();
}

/// Lowers the priority of the session that a started program leads.
#[cfg(target_os = "linux")]
pub(crate) fn lower_started(pid: u32) {
    // Not there where the kernel does not group processes by session.
    std::fs::write(format!("/proc/{pid}/autogroup"), STEPS.to_string()).ok();
}

/// Lowers the priority of a started program, and of what it starts from then on.
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) fn lower_started(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let Some(pid) = pid else { return };
    if let Ok(own) = rustix::process::getpriority_process(None) {
        rustix::process::setpriority_process(Some(pid), own.saturating_add(STEPS)).ok();
    }
}

/// Does nothing: a terminal of this system starts its program with the priority of its own.
#[cfg(not(unix))]
pub(crate) fn lower_started(_pid: u32) {}
