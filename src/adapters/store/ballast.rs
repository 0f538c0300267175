//! A file that is kept for nothing but to be given up when the disk is full.

use std::fs;
use std::io::{self, Write as _};

use super::files::{StoreFiles, private_file};

/// Whether the file that reserves disk space for the store exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ballast {
    /// It is there, or none is wanted.
    Present,
    /// It was given up, or there was no room to make it.
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

/// Bytes that are made and written at a time.
const PIECE_BYTES: usize = 64 * 1024;

/// Fills the file with bytes that no file system can squeeze or leave out.
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
    let mut left = files.ballast_bytes;
    while left > 0 {
        getrandom::fill(&mut piece)?;
        let take = usize::try_from(left).map_or(PIECE_BYTES, |left| left.min(PIECE_BYTES));
        file.write_all(piece.get(..take).unwrap_or(&piece))?;
        left = left.saturating_sub(PIECE_BYTES as u64);
    }
    file.sync_all()
}
