//! Free resources of the machine, in the top row. Shows only current figures; requests them, and measures nothing.

use super::FrameContext;
use crate::domain::Span;
use crate::read_model::{MachineLoad, TroubleKind};
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;
use crate::ui::screen_layout::BorderMode;

/// Width from which shares and free space are shown.
const SHOWN: u16 = 120;
/// Width from which memory is shown, too.
const MEMORY: u16 = 160;
/// Maximum age of a measurement.
const FRESH: Span = Span::seconds(5);
/// Maximum age of a measurement while there is no share yet, which takes two measurements.
const SOON: Span = Span::seconds(1);

/// Maximum number of figures.
pub(super) const FIGURES: usize = 3;

/// Returns the measurement to request for this frame.
pub(super) fn cache_request(frame: &FrameContext<'_>) -> Option<CacheRequest> {
    let fresh_for = match frame.scene.cache.get(&CacheKey::Machine) {
        Some(CacheEntry::Machine(MachineLoad { cpu: None, .. })) => SOON,
        _ => FRESH,
    };
    (frame.layout.framing != BorderMode::TooSmall).then_some(CacheRequest::new(CacheKey::Machine, fresh_for))
}

/// Returns the figures without the first `gone`: memory is dropped first, then the share of the processors.
pub(super) fn figures(frame: &FrameContext<'_>, gone: usize) -> Vec<StyledText> {
    let width = frame.layout.top_bar.width;
    let Some(machine) = now(frame).filter(|_| width >= SHOWN) else {
        return Vec::new();
    };
    // As wide as it can get: the figures beside it neither move nor appear and disappear with it.
    let cpu = machine.cpu.map(|share| format!("{share:>3.0}%"));
    let memory = machine.memory.filter(|_| width >= MEMORY).map(bytes);
    // Scarce disk space has a banner.
    let disk = machine.disk.filter(|_| scarce(frame).is_none()).map(bytes);
    let all = [(1, "cpu", cpu), (0, "mem", memory), (2, "disk", disk)];
    let left = all.into_iter().filter(|(rank, ..)| *rank >= gone);
    left.filter_map(|(_, name, figure)| Some((name, figure?)))
        .flat_map(|(name, figure)| [dim(format!(" {name} ")), plain(format!("{figure} "))])
        .collect()
}

/// Returns the banner for little disk space, at any width.
pub(super) fn scarce(frame: &FrameContext<'_>) -> Option<StyledText> {
    let is_disk = |trouble: &crate::read_model::Trouble| trouble.kind == TroubleKind::Disk;
    let free = now(frame)?.scarce_disk()?;
    // A full disk is shown by the work that failed for it.
    (!frame.scene.model.troubles.iter().any(is_disk))
        .then(|| piece(format!(" disk {} low ", bytes(free)), StyleRole::Banner))
}

fn now<'a>(frame: &FrameContext<'a>) -> Option<&'a MachineLoad> {
    match frame.scene.cache.get(&CacheKey::Machine)? {
        CacheEntry::Machine(machine) => machine.fresh_at(frame.scene.now),
        _ => None,
    }
}

/// Returns a number of bytes in at most five columns, rounded down.
fn bytes(bytes: u64) -> String {
    let tenths = |unit: u64| (bytes / unit, bytes % unit * 10 / unit);
    let units = [(1 << 40, "T"), (1 << 30, "G"), (1 << 20, "M")];
    for (unit, letter) in units {
        match tenths(unit) {
            (0, _) => {}
            (whole @ 1..10, tenth) if letter != "M" => return format!("{whole}.{tenth}{letter}"),
            (whole, _) => return format!("{whole}{letter}"),
        }
    }
    "0M".to_owned()
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn amounts_are_short_and_never_more_than_there_is() {
        let mib = |mib: u64| bytes(mib << 20);
        assert_eq!(bytes((1 << 20) - 1), "0M");
        assert_eq!(mib(380), "380M");
        assert_eq!(mib(1023), "1023M");
        assert_eq!(mib(1024), "1.0G");
        assert_eq!(bytes((10 << 30) - 1), "9.9G");
        assert_eq!(mib(38 * 1024 + 900), "38G");
        assert_eq!(mib(1024 * 1024 * 5 / 4), "1.2T");
        assert_eq!(bytes(u64::MAX), "16777215T");
    }
}
