//! Compressing closed segments. The length of the content is in the compressed file, so that it explains itself.

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::Path;

use super::paths::{packed_path, raw_path};
use crate::files::open_regular;

/// Fast, and small in memory: the holder runs beside dozens of its kind.
const LEVEL: i32 = 1;

/// Compresses a closed segment into a file that no reader uses yet; returns its size. [`put_in_place`] makes it count.
pub(in super::super) fn pack(folder: &Path, number: u32) -> io::Result<u64> {
    let mut raw = open_regular(&raw_path(folder, number))?;
    let length = raw.metadata()?.len();
    let part = packed_path(folder, number).with_extension("part");
    let attempt = || -> io::Result<u64> {
        let mut encoder = zstd::Encoder::new(File::create(&part)?, LEVEL)?;
        encoder.set_pledged_src_size(Some(length))?;
        encoder.include_contentsize(true)?;
        encoder.include_checksum(true)?;
        io::copy(&mut (&mut raw).take(length), &mut encoder)?;
        let file = encoder.finish()?;
        file.sync_all()?;
        Ok(file.metadata()?.len())
    };
    let mut attempt = attempt;
    attempt().inspect_err(|_| discard(folder, number))
}

/// Replaces the raw form of a segment by the compressed one.
pub(super) fn put_in_place(folder: &Path, number: u32) -> io::Result<()> {
    let packed = packed_path(folder, number);
    fs::rename(packed.with_extension("part"), packed)?;
    fs::remove_file(raw_path(folder, number))
}

/// Forgets a compressed form that is not wanted any more.
pub(super) fn discard(folder: &Path, number: u32) {
    // A file that remains is overwritten or removed with the folder; nothing would use the error.
    drop(fs::remove_file(
        packed_path(folder, number).with_extension("part"),
    ));
}

/// Returns a reader of the content, and its length.
pub(super) fn unpack(mut file: File) -> io::Result<(Box<dyn Read + Send>, u64)> {
    let mut head = Vec::new();
    (&mut file).take(18).read_to_end(&mut head)?;
    file.rewind()?;
    let length = zstd::zstd_safe::get_frame_content_size(&head)
        .map_err(|_damaged| io::Error::other("a compressed segment that does not say its length"))?
        .ok_or_else(|| io::Error::other("a compressed segment without a length"))?;
    Ok((Box::new(zstd::Decoder::new(file)?), length))
}
