//! The cursor that a program saves and takes back (DECSC, DECRC). Kept here, because an emulator has one place for it that a
//! change of the screen overwrites.

use crate::cell::CellStyle;
use crate::emulator::WritePosition;

/// State that DECSC saves, beside the character sets, which an emulator keeps.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SavedCursor {
    pub(super) at: WritePosition,
    pub(super) pen: CellStyle,
    pub(super) origin: bool,
}
