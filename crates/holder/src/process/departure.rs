//! What a server must not keep of the terminal it was started from, because every program it starts would have it too.

/// Closes every file but standard input, output and errors. To be called before this process has opened any itself.
pub fn close_inherited_files() {
    #[cfg(unix)]
    portable_pty::unix::close_random_fds();
}

/// Takes this process into a session of its own, without a terminal, so that nothing it starts can write on the terminal of a
/// person or type into it. A shell with job control may have made it the leader of a group: then it stays where it is.
pub fn leave_session() {
    #[cfg(unix)]
    nix::unistd::setsid().ok();
}
