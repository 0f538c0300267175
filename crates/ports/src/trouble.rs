//! Kinds of trouble of system errors.

use std::io;

use dbs_domain::TroubleKind;

/// Returns the kind of trouble of a system error, as the system names it.
pub fn io_trouble(error: io::ErrorKind) -> TroubleKind {
    match error {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => TroubleKind::Disk,
        _ => TroubleKind::Other,
    }
}
