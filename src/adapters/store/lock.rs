//! The lock that makes a server the only one of its project. Taken before the database is opened; the operating system lets
//! it go with the process, so there is no stale lock.
#![expect(
    clippy::disallowed_methods,
    reason = "waits an instant for a lock that is about to be free"
)]

use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::Duration;

use super::files::{failed, private_file};
use crate::adapters::text_file;
use crate::ports::store::StoreError;

/// Maximum length of a text read from a lock file.
const LONGEST_OWNER: u64 = 4096;

/// Process and socket of the holder of the project's lock, as the lock file names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LockOwner {
    pub process: u32,
    /// Path at which it listens; empty when it does not.
    pub socket: String,
}

impl LockOwner {
    /// Returns this process, which does not listen.
    pub fn this_process() -> LockOwner {
        let process = std::process::id();
        LockOwner {
            process,
            socket: String::new(),
        }
    }
}

/// Number of tries for a taken lock, and the time between them: a process that is just being started holds a copy of every open file of its
/// starter until it runs, also of a lock that was let go.
const TRIES: u32 = 50;
const BETWEEN: Duration = Duration::from_millis(10);
/// Number of tries while the owner that the file names is about to let go: a command that ends once it has written, or a process that was
/// killed and the one it was just starting has its copy. On a busy machine that takes seconds, and no other server would be started after
/// one that gave up.
const TRIES_IN_PASSING: u32 = 1_000;

fn lock_with_retries(file: &File, path: &Path) -> Result<(), TryLockError> {
    for n in 1..TRIES_IN_PASSING {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if n < TRIES || is_in_passing(path) => std::thread::sleep(BETWEEN),
            result => return result,
        }
    }
    file.try_lock()
}

/// Returns true if the lock file names a process that does not listen, which is a command, or one that is known to be gone.
fn is_in_passing(path: &Path) -> bool {
    ServerLock::owner(path).is_some_and(|owner| owner.socket.is_empty() || is_gone(&owner))
}

fn is_gone(owner: &LockOwner) -> bool {
    #[cfg(unix)]
    {
        use nix::errno::Errno;
        use nix::unistd::Pid;
        let Ok(number) = i32::try_from(owner.process) else {
            return false;
        };
        nix::sys::signal::kill(Pid::from_raw(number), None) == Err(Errno::ESRCH)
    }
    #[cfg(not(unix))]
    {
        // Open files are not copied there.
        let _ = owner;
        false
    }
}

/// Guard of the lock that allows one server per project.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    /// Takes the lock, or says who has it.
    ///
    /// # Errors
    /// [`StoreError::Locked`] when another process holds it, [`StoreError::Failed`] when the file cannot be used.
    pub fn take(path: &Path, owner: &LockOwner) -> Result<ServerLock, StoreError> {
        let mut file = open(path).map_err(failed("lock", path))?;
        match lock_with_retries(&file, path) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Locked {
                    path: path.to_owned(),
                    owner: Self::owner(path).map_or("unknown".to_owned(), |owner| owner.process.to_string()),
                });
            }
            Err(TryLockError::Error(error)) => return Err(failed("lock", path)(error)),
        }
        write_owner(&mut file, owner).map_err(failed("lock", path))?;
        Ok(ServerLock { _file: file })
    }

    /// Reads the last owner from the lock file; the owner may be gone.
    pub fn owner(path: &Path) -> Option<LockOwner> {
        let mut text = String::new();
        let file = text_file::open(path).ok()?;
        file.take(LONGEST_OWNER).read_to_string(&mut text).ok()?;
        let mut lines = text.lines();
        let process = lines.next()?.parse().ok()?;
        let socket = lines.next().unwrap_or_default().to_owned();
        Some(LockOwner { process, socket })
    }
}

fn write_owner(file: &mut File, owner: &LockOwner) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    writeln!(file, "{}\n{}", owner.process, owner.socket)
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = private_file();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, nix::fcntl::OFlag::O_NOFOLLOW.bits());
    options.open(path)
}
