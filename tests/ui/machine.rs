//! The machine in the top bar: only current figures are shown, and only where there is room.

use dbs::display::{ColourDepth, Glyphs};
use dbs::domain::{DiskUse, PauseReason, Span};
use dbs::read_model::MachineLoad;
use dbs::ui::{CacheEntry, CacheKey, SessionKind, Theme};

use crate::fixture::{Dashboard, NOW};

fn dashboard(width: u16) -> Dashboard {
    Dashboard::full((width, 40))
}

fn measured(dashboard: &mut Dashboard, change: impl FnOnce(&mut MachineLoad)) {
    let mut machine = MachineLoad {
        at: dashboard.now,
        cpu: Some(7.6),
        memory: Some(3 << 30),
        disk: Some(412 << 30),
    };
    change(&mut machine);
    dashboard
        .cache
        .put(CacheKey::Machine, CacheEntry::Machine(machine), dashboard.now);
}

fn top(dashboard: &Dashboard) -> String {
    dashboard.text().lines().next().unwrap_or_default().to_owned()
}

#[test]
fn shares_and_room_stand_in_the_top_bar_from_120_columns_on_and_memory_from_160() {
    let none = top(&dashboard(119));
    assert!(!none.contains("cpu") && !none.contains("disk"), "{none}");
    let some = top(&dashboard(120));
    assert!(
        some.ends_with("agents 7/8  cpu  61%  disk 38G  00:41:07"),
        "{some}"
    );
    let all = top(&dashboard(160));
    assert!(
        all.ends_with("agents 7/8  cpu  61%  mem 9.5G  disk 38G  00:41:07"),
        "{all}"
    );
}

#[test]
fn the_stats_say_what_takes_room_on_the_disk_and_what_to_do_when_there_is_too_little() {
    let mut dashboard = Dashboard::full((160, 60));
    dashboard.press("6");
    assert!(!dashboard.text().contains("worktrees"), "nothing is measured yet");
    let mut disk = DiskUse {
        free: Some(38 << 30),
        least: 5 << 30,
        parts: vec![
            ("3 worktrees".to_owned(), 3 << 29),
            ("templates".to_owned(), 700 << 20),
        ],
    };
    for (free, is_low) in [(38_u64 << 30, false), (4 << 30, true)] {
        disk.free = Some(free);
        let entry = CacheEntry::Disk(disk.clone().into());
        dashboard.cache.put(CacheKey::Disk, entry, dashboard.now);
        let text = dashboard.text();
        assert!(text.contains("3 worktrees") && text.contains("1.5 GiB"), "{text}");
        assert!(text.contains("templates") && text.contains("700 MiB"), "{text}");
        assert_eq!(text.contains("`dbs clean --builds`"), is_low, "{text}");
    }
}

#[test]
fn what_the_machine_has_left_is_the_first_to_go_memory_before_shares_before_room() {
    let mut dashboard = dashboard(193);
    dashboard.session.kind = SessionKind::Rehearsal;
    dashboard.model.pause = Some(PauseReason::Quota {
        until: NOW + Span::minutes(47),
        why: "usage limit reached".to_owned(),
    });
    let mut seen = Vec::new();
    for wide in 1..90 {
        dashboard.session.notice = Some("x".repeat(wide));
        let top = top(&dashboard);
        let there = ["mem", "cpu", "disk", ":07", "agents 7", "✓3"].map(|word| top.contains(word));
        if seen.last() != Some(&there) {
            seen.push(there);
        }
    }
    let first = |gone: usize| [0, 1, 2, 3, 4, 5].map(|nth| nth >= gone);
    assert!(seen.len() >= 6, "{seen:?}");
    for (gone, there) in seen.iter().take(6).enumerate() {
        assert_eq!(*there, first(gone), "{seen:?}");
    }
}

#[test]
fn what_is_not_known_of_the_present_is_not_shown() {
    let mut dashboard = dashboard(200);
    measured(&mut dashboard, |machine| {
        (machine.cpu, machine.memory) = (None, None);
    });
    let first = top(&dashboard);
    assert!(first.contains("  disk 412G  "), "{first}");
    assert!(!first.contains("cpu") && !first.contains("mem"), "{first}");
    measured(&mut dashboard, |machine| machine.at = NOW - Span::seconds(20));
    let old = top(&dashboard);
    assert!(!old.contains("disk") && !old.contains("cpu"), "{old}");
    let why = "measure the machine: the disk does not answer".to_owned();
    dashboard
        .cache
        .put(CacheKey::Machine, CacheEntry::Failed(why), dashboard.now);
    let failed = top(&dashboard);
    assert!(!failed.contains("disk") && !failed.contains("cpu"), "{failed}");
}

#[test]
fn scarce_room_is_said_in_words_at_every_size_and_without_colours() {
    for size in [(60, 15), (80, 24), (120, 40), (200, 60)] {
        for palette in [ColourDepth::Mono, ColourDepth::Sixteen] {
            let mut dashboard = Dashboard::full(size);
            dashboard.theme = Theme::builtin(palette, Glyphs::Ascii);
            measured(&mut dashboard, |machine| machine.disk = Some(380 << 20));
            let top = top(&dashboard);
            assert_eq!(top.matches("disk").count(), 1, "{top}");
            assert!(top.contains(" disk 380M low "), "{top}");
        }
    }
}

#[test]
fn the_machine_is_measured_every_five_seconds_and_soon_where_a_share_takes_a_second_look() {
    let mut dashboard = dashboard(120);
    let fresh_for = |dashboard: &Dashboard| {
        let wants = dashboard.frame().1.cache_requests;
        let of_machine: Vec<_> = wants
            .into_iter()
            .filter(|want| want.key == CacheKey::Machine)
            .collect();
        assert_eq!(of_machine.len(), 1);
        of_machine[0].max_age
    };
    assert_eq!(fresh_for(&dashboard), Span::seconds(5));
    measured(&mut dashboard, |machine| machine.cpu = None);
    assert_eq!(fresh_for(&dashboard), Span::seconds(1));
}
