use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;

use super::*;

const LONG: Duration = Duration::from_mins(2);

#[test]
fn an_end_waits_for_whoever_may_come_and_no_longer_than_somebody_can() {
    let hub = SharedState::new(PaneSize::cells(80, 24));
    let (can_come, looks) = (AtomicBool::new(true), AtomicUsize::new(0));
    let (left, has_left) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let look = || {
                looks.fetch_add(1, Ordering::SeqCst);
                can_come.load(Ordering::SeqCst)
            };
            hub.linger(LONG, LONG, &look);
            left.send(()).ok();
        });
        while looks.load(Ordering::SeqCst) < 2 {
            assert!(has_left.try_recv().is_err(), "it did not wait");
            std::thread::yield_now();
        }
        can_come.store(false, Ordering::SeqCst);
        let went = has_left.recv_timeout(LONG / 2);
        assert!(went.is_ok(), "it does not wait");
    });
}

/// Reports of suspensions that a peer gets, in order.
fn told_of_suspensions(hub: &SharedState, peer: PeerId) -> Vec<bool> {
    let mut told = Vec::new();
    while let Some(update) = hub.state.lock().next(peer, Instant::now()) {
        if let PeerUpdate::Reply(HolderReply::Suspended(is_suspended)) = update {
            told.push(is_suspended);
        }
    }
    told
}

#[test]
fn a_program_that_is_stopped_to_be_killed_is_not_reported_as_suspended() {
    let hub = SharedState::new(PaneSize::cells(80, 24));
    let peer = hub.add_peer().unwrap();
    hub.attach(peer, 0);
    hub.suspended(true);
    hub.ask_to_end(ExitedBy::Stop);
    hub.suspended(false);
    hub.suspended(true);
    assert_eq!(told_of_suspensions(&hub, peer), [true, false]);
    assert!(!hub.is_suspended(), "a peer that comes later is told the same");
}

/// A hub with one peer that is attached and whose output is collected for longer than any test takes; the first pieces are gone.
fn paced() -> (SharedState, PeerId) {
    let hub = SharedState::new(PaneSize::cells(80, 24));
    let peer = hub.add_peer().unwrap();
    hub.attach(peer, 0);
    hub.set_pace(peer, LONG);
    send_until_held(&hub, peer);
    (hub, peer)
}

/// Output goes at once a few times; after that it is held back.
fn send_until_held(hub: &SharedState, peer: PeerId) {
    let now = Instant::now();
    while hub.state.lock().unread_until(now, now).is_none() {
        hub.publish(b".", false);
        assert_eq!(sent(hub, peer).as_deref(), Some("."));
    }
}

/// As much as is not held back.
fn flood() -> Vec<u8> {
    vec![b'x'; usize::try_from(pace::FLOOD).unwrap()]
}

/// Output that a peer is sent next; `None` while there is none or it is held back.
fn sent(hub: &SharedState, peer: PeerId) -> Option<String> {
    let next = hub.state.lock().next(peer, Instant::now())?;
    match next {
        PeerUpdate::Live { offset, bytes } => {
            hub.advance(peer, offset, offset + bytes.len() as u64);
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }
        _ => panic!("not output"),
    }
}

#[test]
fn collected_output_goes_as_one_piece_when_the_peer_looks_and_wakes_nobody_before() {
    let (hub, peer) = paced();
    let held = hub.state.lock().held_until(peer, Instant::now());
    assert_eq!(held, None, "a peer without output waits for no time");
    for (piece, is_first) in [(b"a", true), (b"b", false), (b"c", false)] {
        hub.publish(piece, false);
        assert_eq!(sent(&hub, peer), None);
        let wants = hub.state.lock().wants_output(1, Instant::now());
        assert_eq!(
            wants, is_first,
            "the first one lets it wait until its time is over"
        );
    }
    hub.set_pace(peer, Duration::ZERO);
    assert_eq!(sent(&hub, peer).as_deref(), Some("abc"));
    hub.publish(b"d", false);
    assert_eq!(sent(&hub, peer).as_deref(), Some("d"), "nothing is collected");
}

#[test]
fn replies_input_and_the_end_do_not_wait_for_collected_output() {
    let (hub, peer) = paced();
    hub.publish(b"a", false);
    hub.reply(peer, HolderReply::InputDropped { count: 1 });
    let reply = hub.state.lock().next(peer, Instant::now());
    assert!(matches!(
        reply,
        Some(PeerUpdate::Reply(HolderReply::InputDropped { .. }))
    ));
    assert_eq!(sent(&hub, peer), None);
    hub.typed();
    assert_eq!(
        sent(&hub, peer).as_deref(),
        Some("a"),
        "it may be what was asked for"
    );
    send_until_held(&hub, peer);
    hub.publish(b"last words", false);
    hub.record_end(ProcessExit::Code(0), Timestamp(1));
    assert_eq!(sent(&hub, peer), None);
    hub.announce_end();
    assert_eq!(sent(&hub, peer).as_deref(), Some("last words"));
    let end = hub.state.lock().next(peer, Instant::now());
    assert!(matches!(end, Some(PeerUpdate::Reply(HolderReply::Exited(_)))));
}

/// A peer that waits for output which is held back gets it when that happens.
fn wakes(what: &str, happens: impl Fn(&SharedState, PeerId)) {
    let (hub, peer) = paced();
    let (got, has_got) = sync_channel(1);
    let begins = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            begins.store(true, Ordering::SeqCst);
            got.send(matches!(hub.next_update(peer), PeerUpdate::Live { .. }))
        });
        hub.publish(b"a", false);
        // The test cannot see that it waits; a thread that does not wait yet passes without being woken.
        let mut turns = 0;
        while !begins.load(Ordering::SeqCst) || turns < 10_000 {
            std::thread::yield_now();
            turns += 1;
        }
        happens(&hub, peer);
        let is_woken = has_got.recv_timeout(LONG / 2);
        // It ends in any case, so that the test does.
        hub.close_peer(peer);
        assert_eq!(is_woken, Ok(true), "{what}");
    });
}

#[test]
fn a_flood_input_and_a_look_wake_who_waits_for_collected_output() {
    wakes("a flood", |hub, _| hub.publish(&flood(), false));
    wakes("input", |hub, _| hub.typed());
    wakes("a look", |hub, peer| hub.set_pace(peer, Duration::ZERO));
}

/// A reader that pauses because output is held back reads on when that happens.
fn reads_on(what: &str, happens: impl Fn(&SharedState, PeerId)) {
    reads_on_after(what, (1, |_, _| {}), happens);
}

/// The same of a reader that read so many bytes last, before something else happened.
fn reads_on_after(
    what: &str,
    (count, before): (usize, impl Fn(&SharedState, PeerId)),
    happens: impl Fn(&SharedState, PeerId),
) {
    let (hub, peer) = paced();
    before(&hub, peer);
    let (goes_on, has_gone_on) = sync_channel(1);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut reads = ReadPace::new(8 * 1024);
            reads.read(count, Instant::now());
            hub.wait_to_read(&reads);
            goes_on.send(())
        });
        // The test cannot see that it waits; a thread that does not wait yet passes without being woken.
        for _ in 0..10_000 {
            std::thread::yield_now();
        }
        assert!(has_gone_on.try_recv().is_err(), "{what}: it reads on by itself");
        happens(&hub, peer);
        let is_woken = has_gone_on.recv_timeout(LONG / 2);
        hub.close_peer(peer);
        assert!(is_woken.is_ok(), "{what}");
    });
}

#[test]
fn input_a_look_another_peer_and_the_end_let_a_paused_reader_read_on() {
    reads_on("input", |hub, _| hub.typed());
    reads_on("a look", |hub, peer| hub.set_pace(peer, Duration::ZERO));
    reads_on("a lost peer", SharedState::close_peer);
    reads_on("another peer", |hub, _| {
        let other = hub.add_peer().unwrap();
        hub.attach(other, 0);
        while sent(hub, other).is_some() {}
    });
    let published = |hub: &SharedState, peer: PeerId| {
        hub.typed();
        hub.publish(b"at once", false);
        assert!(hub.state.lock().held_until(peer, Instant::now()).is_none());
    };
    reads_on_after("what goes at once is sent", (1, published), |hub, peer| {
        assert_eq!(sent(hub, peer).as_deref(), Some("at once"));
    });
    let behind = |hub: &SharedState, _: PeerId| {
        while !hub.state.lock().is_peer_behind() {
            hub.publish(&flood(), false);
        }
    };
    reads_on_after("a peer that was behind has all", (4096, behind), |hub, peer| {
        let (end, start) = (hub.status().1, hub.state.lock().peers[&peer].cursor.unwrap());
        hub.advance(peer, start, end);
    });
    reads_on("a stop", |hub, _| hub.ask_to_end(ExitedBy::Stop));
    reads_on("the end of the program", |hub, _| {
        hub.program_ended(ProcessExit::Code(0), Timestamp(1));
    });
}

#[test]
fn what_follows_a_flood_is_collected_again() {
    let (hub, peer) = paced();
    hub.publish(&flood(), false);
    assert_eq!(sent(&hub, peer).map(|text| text.len() as u64), Some(pace::FLOOD));
    hub.publish(b"a", false);
    assert_eq!(sent(&hub, peer), None);
}

#[test]
fn output_that_is_held_back_goes_by_itself_when_its_time_is_over() {
    let (hub, peer) = paced();
    hub.set_pace(peer, Duration::from_millis(1));
    for _ in 0..20 {
        hub.publish(b"a", false);
        let (before, end) = (hub.status().1 - 1, hub.status().1);
        assert!(matches!(hub.next_update(peer), PeerUpdate::Live { .. }));
        hub.advance(peer, before, end);
    }
}
