//! Steps no good agent would play.

use super::error::PlayEnd;
use super::faults;
use super::files;
use super::outcome::RehearsalExit;
use super::player::{ScenarioPlayer, StepResult};
use crate::formats::scenario::StepAction;

impl ScenarioPlayer<'_, '_> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn play_fault_step(&mut self, deed: &StepAction) -> StepResult {
        match deed {
            StepAction::Hang(time) => {
                faults::hang(time.map(|time| self.screen.pace.scaled(time)));
                Ok(())
            }
            StepAction::Flood { .. } | StepAction::HugeLine { .. } | StepAction::Garbage { .. } => {
                self.pour(deed)
            }
            StepAction::ForkDaemon { time, pid_file } => {
                let pid = faults::fork_daemon(*time)?;
                if let Some(path) = pid_file {
                    files::write(
                        &self.context.worktree,
                        &self.expand(path),
                        &pid.to_string(),
                        false,
                    )?;
                }
                self.screen.call("Left behind", &format!("process {pid}"))?;
                Ok(())
            }
            StepAction::IgnoreTerm => Ok(faults::ignore_term()?),
            StepAction::Crash(how) => Err(PlayEnd::Ended(RehearsalExit::Crash(*how))),
            StepAction::Exit(code) => Err(PlayEnd::Ended(RehearsalExit::Code(*code))),
            _ => Ok(()),
        }
    }

    /// Raw bytes in great numbers: the live area steps aside and comes back below them.
    fn pour(&mut self, deed: &StepAction) -> StepResult {
        self.screen.clear_live()?;
        let screen = &mut self.screen;
        match deed {
            StepAction::Flood { mebibytes, width } => {
                faults::flood(mebibytes << 20, *width, |block| screen.bytes(block))?;
            }
            StepAction::HugeLine(bytes) => faults::huge_line(*bytes, |block| screen.bytes(block))?,
            StepAction::Garbage { bytes, seed } => {
                faults::garbage(*bytes, *seed, |block| screen.bytes(block))?;
                // Back to a known state: letters, attributes, margins, end of any open sequence.
                screen.bytes(b"\x18\x0f\x1b[!p\r\n")?;
            }
            _ => {}
        }
        Ok(())
    }
}
