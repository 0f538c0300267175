//! A program that is suspended, as by Ctrl-Z: each peer is told of it, and can continue it.

use dbs::adapters::holder::HolderConnection;
use dbs::adapters::holder::protocol::HolderReply;
use dbs::ports::holders::{HolderId, Holders};

use super::bench::Bench;

/// Waits until the holder says whether the program is suspended.
fn suspended(connection: &mut HolderConnection) -> bool {
    loop {
        let reply = connection.replies.next_reply().expect("readable");
        if let HolderReply::Suspended(is_suspended) = reply.expect("it runs") {
            return is_suspended;
        }
    }
}

#[test]
fn a_suspended_program_is_told_to_each_peer_and_what_was_typed_meanwhile_is_not_lost() {
    let bench = Bench::new();
    // A program that ends as soon as it continues may end before a peer can see that it continued.
    bench.start("1", "kill -STOP $$; read x; echo \"got <$x>\"; read y");
    let mut first = bench.connect("1");
    first.requests.attach(0).expect("attached");
    assert!(suspended(&mut first));
    bench.holders.send(&HolderId::new("1"), b"words\r").expect("sent");
    let mut next = bench.connect("1");
    next.requests.attach(0).expect("attached");
    assert!(suspended(&mut next), "a later peer is told, too");
    next.requests.resume().expect("asked");
    assert!(!suspended(&mut next));
    bench.wait_for_output("1", "got <words>");
    bench.holders.send(&HolderId::new("1"), b"\r").expect("sent");
    bench.end("1");
}
