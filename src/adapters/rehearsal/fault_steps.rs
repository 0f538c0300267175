//! Steps in which the scripted agent misbehaves.

use super::error::PlayEnd;
use super::faults;
use super::files;
use super::outcome::RehearsalExit;
use super::player::{ScenarioPlayer, StepResult};
use super::screen::RehearsalScreen;
use crate::formats::scenario::StepAction;

impl<'s> ScenarioPlayer<'_, 's> {
    /// Plays one step of this family; other steps do nothing here.
    pub(super) fn play_fault_step(&mut self, action: &StepAction) -> StepResult {
        match action {
            StepAction::Hang(time) => {
                faults::hang(time.map(|time| self.screen.pace.scaled(time)));
                Ok(())
            }
            StepAction::Flood { mebibytes, width } => {
                let screen = self.screen_for_raw_bytes()?;
                Ok(faults::flood(mebibytes << 20, *width, |block| {
                    screen.bytes(block)
                })?)
            }
            StepAction::HugeLine(bytes) => {
                let screen = self.screen_for_raw_bytes()?;
                Ok(faults::huge_line(*bytes, |block| screen.bytes(block))?)
            }
            StepAction::Garbage { bytes, seed } => {
                let screen = self.screen_for_raw_bytes()?;
                faults::garbage(*bytes, *seed, |block| screen.bytes(block))?;
                // Back to a known state: letters, attributes, margins, end of any open sequence.
                Ok(screen.bytes(b"\x18\x0f\x1b[!p\r\n")?)
            }
            StepAction::ForkDaemon { time, pid_file } => {
                let pid = faults::fork_daemon(*time)?;
                if let Some(path) = pid_file {
                    let path = self.expand(path);
                    files::write(&self.context.worktree, &path, &pid.to_string(), false)?;
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

    /// The screen without its live area, which is drawn again below the bytes.
    fn screen_for_raw_bytes(&mut self) -> Result<&mut RehearsalScreen<'s>, PlayEnd> {
        self.screen.clear_live()?;
        Ok(&mut self.screen)
    }
}
