//! Room on the disk: what is free, and what the program takes.

/// Free room, and the parts of what the program takes, as they were measured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DiskUse {
    /// Bytes that are free where the checkout and the state are; `None` if that is not known.
    pub free: Option<u64>,
    /// Bytes below which no agent is started.
    pub least: u64,
    /// Names of what takes room, each with its bytes; nothing is listed that takes none.
    pub parts: Vec<(String, u64)>,
}

impl DiskUse {
    /// Returns the free room, if it is too little for an agent to be started.
    pub fn lack(&self) -> Option<u64> {
        self.free.filter(|free| *free < self.least)
    }
}
