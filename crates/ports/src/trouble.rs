//! What kind of trouble an error of the system is.

use std::io;

use dbs_domain::TroubleKind;

/// The kind of trouble of an error of the system, as the system names it.
pub fn io_trouble(error: io::ErrorKind) -> TroubleKind {
    match error {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => TroubleKind::Disk,
        _ => TroubleKind::Other,
    }
}
