//! A file that is kept for nothing but to be given up when the disk is full.

use std::fs;
use std::io::{self, Write as _};

use super::files::{StoreFiles, private_file};

/// State of the file that reserves disk space for the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ballast {
    /// File that exists, or none because none is wanted.
    Present,
    /// File that was given up, or could not be made for lack of room.
    Gone,
}

impl Ballast {
    /// Makes the ballast unless it is there. Without room for it there is none, and nothing is left behind.
    pub(super) fn create(files: &StoreFiles) -> Ballast {
        if fs::metadata(&files.ballast).is_ok_and(|found| found.len() == files.ballast_bytes) {
            return Ballast::Present;
        }
        match fill(files) {
            Ok(()) => Ballast::Present,
            Err(_no_room) => {
                drop(fs::remove_file(&files.ballast));
                Ballast::Gone
            }
        }
    }

    /// Gives the ballast up; whether there was anything to give.
    pub(super) fn release(&mut self, files: &StoreFiles) -> bool {
        let was_there = fs::metadata(&files.ballast).is_ok_and(|found| found.len() > 0);
        *self = Ballast::Gone;
        was_there && fs::remove_file(&files.ballast).is_ok()
    }
}

/// Bytes that are written at a time. Random bytes are slow to make, so the same ones are written again, but only after more of them
/// than file systems compress as one.
const PIECE_BYTES: usize = 1024 * 1024;

/// Number of bytes by which each piece is turned against the one before, so that no two blocks of the file are the same.
const TURN_BYTES: usize = 12_347;

/// Fills the file with bytes that no file system can compress or store once for several places.
fn fill(files: &StoreFiles) -> io::Result<()> {
    if files.ballast_bytes == 0 {
        return Ok(());
    }
    let mut file = private_file()
        .write(true)
        .create(true)
        .truncate(true)
        .open(&files.ballast)?;
    let mut piece = vec![0; PIECE_BYTES];
    getrandom::fill(&mut piece).map_err(|error| io::Error::other(error.to_string()))?;
    let mut left = files.ballast_bytes;
    while left > 0 {
        piece.rotate_left(TURN_BYTES);
        let take = usize::try_from(left).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
        file.write_all(piece.get(..take).unwrap_or(&piece))?;
        left = left.saturating_sub(PIECE_BYTES as u64);
    }
    file.sync_all()
}
