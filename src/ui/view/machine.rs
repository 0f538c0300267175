//! What the machine has left, in the top row. Shows only what is known of the present; asks for it, and measures nothing.

use super::FrameContext;
use crate::domain::Span;
use crate::read_model::{MachineLoad, TroubleKind};
use crate::ui::cache::{CacheEntry, CacheKey, CacheRequest};
use crate::ui::canvas::prelude::*;
use crate::ui::screen_layout::BorderMode;

/// From this width on shares and room are shown.
const SHOWN: u16 = 120;
/// From this width on memory, too.
const MEMORY: u16 = 160;
/// How old a measure may be.
const FRESH: Span = Span::seconds(5);
/// The same while there is no share yet, which takes two looks.
const SOON: Span = Span::seconds(1);

/// How many figures there are at most.
pub(super) const FIGURES: usize = 3;

/// What is to be measured for this frame.
pub(super) fn cache_request(frame: &FrameContext<'_>) -> Option<CacheRequest> {
    let fresh_for = match frame.scene.cache.get(&CacheKey::Machine) {
        Some(CacheEntry::Machine(MachineLoad { cpu: None, .. })) => SOON,
        _ => FRESH,
    };
    (frame.arranged.framing != BorderMode::TooSmall)
        .then_some(CacheRequest::new(CacheKey::Machine, fresh_for))
}

/// The figures without so many of them: memory goes first, then the share of the processors.
pub(super) fn figures(frame: &FrameContext<'_>, gone: usize) -> Vec<StyledText> {
    let width = frame.arranged.top_bar.width;
    let Some(machine) = now(frame).filter(|_| width >= SHOWN) else {
        return Vec::new();
    };
    // As wide as it ever is: what stands beside it neither moves nor comes and goes with it.
    let cpu = machine.cpu.map(|share| format!("{share:>3.0}%"));
    let memory = machine.memory.filter(|_| width >= MEMORY).map(bytes);
    // Scarce room has a banner.
    let disk = machine.disk.filter(|_| scarce(frame).is_none()).map(bytes);
    let all = [(1, "cpu", cpu), (0, "mem", memory), (2, "disk", disk)];
    let left = all.into_iter().filter(|(rank, ..)| *rank >= gone);
    left.filter_map(|(_, name, figure)| Some((name, figure?)))
        .flat_map(|(name, figure)| [dim(format!(" {name} ")), plain(format!("{figure} "))])
        .collect()
}

/// That there is little room, at any width.
pub(super) fn scarce(frame: &FrameContext<'_>) -> Option<StyledText> {
    let is_disk = |trouble: &crate::read_model::Trouble| trouble.kind == TroubleKind::Disk;
    let free = now(frame)?.scarce_disk()?;
    // That there is none at all is said by what failed for it.
    (!frame.scene.model.troubles.iter().any(is_disk))
        .then(|| piece(format!(" disk {} low ", bytes(free)), StyleRole::Banner))
}

fn now<'a>(frame: &FrameContext<'a>) -> Option<&'a MachineLoad> {
    match frame.scene.cache.get(&CacheKey::Machine)? {
        CacheEntry::Machine(machine) => machine.fresh_at(frame.scene.now),
        _ => None,
    }
}

/// At most five columns, never more than there is.
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
