//! Cutting a server off from the terminal it was started from, because every program it starts would have that terminal too.

/// Closes every file but standard input, output and errors. Must be called before this process has opened any itself.
pub fn close_inherited_files() {
    #[cfg(unix)]
    portable_pty::unix::close_random_fds();
}

/// Takes this process into a session of its own, without a terminal, so that nothing it starts can write on the terminal of a person or
/// type into it. If a shell with job control made the process the leader of a group, it stays in its session.
pub fn leave_session() {
    #[cfg(unix)]
    nix::unistd::setsid().ok();
}
