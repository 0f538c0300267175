//! Version 1 byte for byte. If one of these fails the protocol was changed, and holders that run now would no longer
//! be understood: change the code back, never the bytes here.

use super::*;
use dbs_domain::{ProcessExit, Timestamp};
use dbs_ports::holders::ExitedBy;

const SIZE: PaneSize = PaneSize {
    cols: 120,
    rows: 40,
    x_pixels: 960,
    y_pixels: 800,
};

fn end() -> ExitRecord {
    ExitRecord {
        exit: ProcessExit::Code(-1),
        ended_at: Timestamp(0x0102_0304_0506_0708),
        by: ExitedBy::Stop,
        output: 258,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::new(), |text, byte| format!("{text}{byte:02x}"))
}

#[test]
fn every_request_of_version_one_keeps_its_bytes() {
    let golden = [
        (HolderRequest::Hello { version: 1 }, "010001"),
        (HolderRequest::Attach { from: 0x1122_3344 }, "020000000011223344"),
        (HolderRequest::Input(Bytes::from_static(b"ls\r")), "036c730d"),
        (HolderRequest::Resize(SIZE), "040078002803c00320"),
        (HolderRequest::Stop { grace: 5000 }, "0500001388"),
        (HolderRequest::Status, "06"),
        (HolderRequest::Detach, "07"),
        (HolderRequest::Pace { longest: 150 }, "0800000096"),
        (HolderRequest::Resume, "09"),
    ];
    for (request, bytes) in golden {
        assert_eq!(hex(&request.encode()), bytes, "{request:?}");
        assert_eq!(HolderRequest::decode(request.encode()), Ok(request));
    }
}

fn check_reply(reply: &HolderReply, bytes: &str) {
    assert_eq!(hex(&reply.encode()), bytes, "{reply:?}");
    assert_eq!(HolderReply::decode(reply.encode()).as_ref(), Ok(reply));
}

#[test]
fn every_reply_of_version_one_keeps_its_bytes() {
    let bytes = Bytes::from_static(b"hi");
    check_reply(&HolderReply::Welcome { version: 1, pid: 77 }, "8100010000004d");
    check_reply(
        &HolderReply::Output { offset: 5, bytes },
        "8200000000000000056869",
    );
    check_reply(
        &HolderReply::Gap { from: 1, to: 2 },
        "8300000000000000010000000000000002",
    );
    check_reply(&HolderReply::Stopped { survivors: 0 }, "8600000000");
    check_reply(
        &HolderReply::Refused {
            code: 2,
            text: "no".into(),
        },
        "8700026e6f",
    );
    check_reply(&HolderReply::InputDropped { count: 4096 }, "8800001000");
    check_reply(&HolderReply::Replaced, "89");
    check_reply(&HolderReply::Suspended(true), "8a01");
}

#[test]
fn every_end_and_snapshot_of_version_one_keeps_its_bytes() {
    let signal = ExitRecord {
        exit: ProcessExit::Signal(9),
        by: ExitedBy::Itself,
        ..end()
    };
    let unknown = ExitRecord {
        exit: ProcessExit::Vanished,
        by: ExitedBy::Shutdown,
        ..end()
    };
    let an_end = "00ffffffff0102030405060708010000000000000102";
    check_reply(&HolderReply::Exited(end()), &format!("84{an_end}"));
    check_reply(
        &HolderReply::Exited(signal),
        "8401000000090102030405060708000000000000000102",
    );
    check_reply(
        &HolderReply::Exited(unknown),
        "8402000000000102030405060708020000000000000102",
    );
    let running = HolderStatus {
        size: SIZE,
        oldest: 3,
        end: 9,
        ended: None,
    };
    let ended = HolderStatus {
        ended: Some(end()),
        ..running
    };
    let snapshot = "850078002803c0032000000000000000030000000000000009";
    check_reply(&HolderReply::Status(running), &format!("{snapshot}00"));
    check_reply(&HolderReply::Status(ended), &format!("{snapshot}01{an_end}"));
}

#[test]
fn a_frame_cut_short_anywhere_is_malformed_and_fields_added_later_are_ignored() {
    let whole = HolderReply::Status(HolderStatus {
        size: SIZE,
        oldest: 3,
        end: 9,
        ended: Some(end()),
    })
    .encode();
    for cut in 1..whole.len() {
        assert_eq!(
            HolderReply::decode(whole.slice(..cut)),
            Err(DecodeError::Malformed),
            "cut at {cut}"
        );
    }
    let mut longer = whole.to_vec();
    longer.extend_from_slice(b"later");
    assert_eq!(HolderReply::decode(longer.into()), HolderReply::decode(whole));
    assert_eq!(HolderReply::decode(Bytes::new()), Err(DecodeError::Malformed));
    assert_eq!(
        HolderRequest::decode(Bytes::from_static(&[0x40, 1])),
        Err(DecodeError::Kind(0x40))
    );
}

#[test]
fn a_frame_on_the_wire_is_a_length_in_four_bytes_and_the_payload() {
    let mut wire = Vec::new();
    crate::frames::send(&mut wire, HolderRequest::Attach { from: 1 }.encode()).expect("a vector takes all");
    assert_eq!(hex(&wire), "00000009020000000000000001");
}
