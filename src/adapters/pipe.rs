//! Poll of a pipe that takes nothing from it: it shows whether bytes of a process are still to be read. Knows nothing of processes.

#[cfg(unix)]
pub(crate) use unix::{PipeProbe, PollablePipe};

#[cfg(not(unix))]
pub(crate) use elsewhere::{PipeProbe, PollablePipe};

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::fd::{AsFd, OwnedFd};

    use nix::errno::Errno;
    use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

    /// A pipe that can be polled without reading from it.
    pub(crate) trait PollablePipe: AsFd + Send + 'static {}
    impl<P: AsFd + Send + 'static> PollablePipe for P {}

    /// Duplicate of a pipe that shows whether bytes are waiting, without reading them.
    pub(crate) struct PipeProbe(OwnedFd);

    impl PipeProbe {
        pub(crate) fn of(pipe: &impl AsFd) -> io::Result<Self> {
            pipe.as_fd().try_clone_to_owned().map(Self)
        }

        /// Waits until there are bytes or the end; true: the next bytes can be read without waiting.
        pub(crate) fn wait(&self) -> bool {
            self.look(PollTimeout::NONE);
            true
        }

        pub(crate) fn is_readable(&self) -> bool {
            self.look(PollTimeout::ZERO).contains(PollFlags::POLLIN)
        }

        fn look(&self, at_most: PollTimeout) -> PollFlags {
            let mut pipes = [PollFd::new(self.0.as_fd(), PollFlags::POLLIN)];
            // A look that fails is followed by a read that says why.
            while poll(&mut pipes, at_most) == Err(Errno::EINTR) {}
            let [pipe] = pipes;
            pipe.revents().unwrap_or(PollFlags::empty())
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    //! Pipes cannot be polled here: bytes that a thread has not taken a while after the end of a process are given up.

    use std::io;

    pub(crate) trait PollablePipe: Send + 'static {}
    impl<P: Send + 'static> PollablePipe for P {}

    pub(crate) struct PipeProbe;

    impl PipeProbe {
        pub(crate) fn of<P>(_pipe: &P) -> io::Result<Self> {
            Ok(Self)
        }

        /// Never knows that bytes are there.
        pub(crate) fn wait(&self) -> bool {
            false
        }

        pub(crate) fn is_readable(&self) -> bool {
            false
        }
    }
}
