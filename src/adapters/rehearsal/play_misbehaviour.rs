//! Steps no good agent would play.

use super::error::Stop;
use super::misbehave;
use super::outcome::ExitOutcome;
use super::player::{Played, Player};
use super::{files, show};
use crate::formats::scenario::Deed;

impl Player<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn misbehave(&mut self, deed: &Deed) -> Played {
        match deed {
            Deed::Hang { time } => {
                misbehave::hang(time.map(|time| self.screen.pace.scaled(time)));
                Ok(())
            }
            Deed::Flood { .. } | Deed::HugeLine { .. } | Deed::Garbage { .. } => self.pour(deed),
            Deed::ForkDaemon { time, pid_file } => {
                let pid = misbehave::fork_daemon(*time)?;
                if let Some(path) = pid_file {
                    files::write(
                        &self.context.worktree,
                        &self.expand(path),
                        &pid.to_string(),
                        false,
                    )?;
                }
                show::call(&mut self.screen, "Left behind", &format!("process {pid}"))?;
                Ok(())
            }
            Deed::IgnoreTerm => Ok(misbehave::ignore_term()?),
            Deed::Crash { how } => Err(Stop::Ended(ExitOutcome::Crash(*how))),
            Deed::Exit { code } => Err(Stop::Ended(ExitOutcome::Code(*code))),
            _ => Ok(()),
        }
    }

    /// Raw bytes in great numbers: the live area steps aside and comes back below them.
    fn pour(&mut self, deed: &Deed) -> Played {
        self.screen.step_aside()?;
        let screen = &mut self.screen;
        match deed {
            Deed::Flood { mebibytes, width } => {
                misbehave::flood(mebibytes << 20, *width, |block| screen.bytes(block))?;
            }
            Deed::HugeLine { bytes } => misbehave::huge_line(*bytes, |block| screen.bytes(block))?,
            Deed::Garbage { bytes, seed } => {
                misbehave::garbage(*bytes, *seed, |block| screen.bytes(block))?;
                // Back to a known state: letters, attributes, margins, end of any open sequence.
                screen.bytes(b"\x18\x0f\x1b[!p\r\n")?;
            }
            _ => {}
        }
        Ok(())
    }
}
