//! Faults of a campaign: the share of each kind, and how each is done to the project.

use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::campaign::Random;
use crate::limits::{self, Scarce};
use crate::project::Project;
use crate::tricks::{self, Trick};
use crate::victims::{self, Victim};

/// Shortest duration of a shortage in milliseconds, and the most by which it may be longer.
const LACK: (u64, u64) = (500, 2500);

/// Fault that can happen to a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Kill(Victim),
    /// The machine loses its power: everything is killed, and unsynced data is lost.
    PowerCut,
    /// The server is short of a resource for a while.
    Lack(Scarce),
    /// The disk is full for a while.
    FullDisk,
    /// An agent does harm.
    Agent(Trick),
}

/// Share of each kind in percent.
const SHARES: [(Fault, u64); 15] = [
    (Fault::Kill(Victim::Server), 26),
    (Fault::Kill(Victim::Holder), 12),
    (Fault::Kill(Victim::Agent), 8),
    (Fault::Kill(Victim::Git), 12),
    (Fault::Kill(Victim::All), 4),
    (Fault::PowerCut, 6),
    (Fault::Lack(Scarce::Descriptors), 6),
    (Fault::Lack(Scarce::Memory), 6),
    (Fault::FullDisk, 5),
    (Fault::Agent(Trick::Prints), 3),
    (Fault::Agent(Trick::Signals), 3),
    (Fault::Agent(Trick::LinksInbox), 3),
    (Fault::Agent(Trick::RemovesGitFile), 2),
    (Fault::Agent(Trick::DeletesBranch), 2),
    (Fault::Agent(Trick::LeavesPipe), 2),
];

impl Fault {
    /// Returns a random fault, by the shares above.
    fn random(random: &mut Random) -> Fault {
        let mut number = random.below(100);
        for (fault, share) in SHARES {
            if number < share {
                return fault;
            }
            number -= share;
        }
        Fault::Kill(Victim::Server)
    }

    /// Returns the name that the report uses.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Fault::Kill(victim) => victim.name(),
            Fault::PowerCut => "power cut",
            Fault::Lack(scarce) => scarce.name(),
            Fault::FullDisk => "full disk",
            Fault::Agent(trick) => trick.name(),
        }
    }

    /// Lets the fault happen; returns false if there was no process to do it to.
    pub(crate) fn happen(self, project: &mut Project, random: &mut Random) -> Result<bool, String> {
        match self {
            Fault::Kill(victim) => Ok(victims::kill(project, victim, random) > 0),
            Fault::PowerCut => project.cut_power(random).map(|()| true),
            Fault::Lack(scarce) => limits::lack(project, scarce, lasting(random), random),
            Fault::FullDisk => full_disk(project, random),
            Fault::Agent(trick) => tricks::play(project, trick),
        }
    }
}

/// Returns that many faults; a long enough campaign has at least one of each kind.
pub(crate) fn plan(random: &mut Random, length: u64) -> Vec<Fault> {
    let mut plan: Vec<Fault> = (0..length).map(|_| Fault::random(random)).collect();
    let enough = u64::try_from(2 * SHARES.len()).unwrap_or(u64::MAX);
    for (fault, _) in SHARES {
        if length < enough || plan.contains(&fault) {
            continue;
        }
        // The fault takes the place of one that is there more than once.
        loop {
            let place = usize::try_from(random.below(length)).unwrap_or_default();
            let times = |of: Fault| plan.iter().filter(|other| **other == of).count();
            let is_free = plan.get(place).is_some_and(|there| times(*there) > 1);
            if let Some(slot) = plan.get_mut(place).filter(|_| is_free) {
                *slot = fault;
                break;
            }
        }
    }
    plan
}

/// Returns a random duration of a shortage.
pub(crate) fn lasting(random: &mut Random) -> Duration {
    Duration::from_millis(LACK.0 + random.below(LACK.1))
}

/// Fills the disk for a while; without a disk of the campaign's own, limits the size of files that the server may write.
fn full_disk(project: &Project, random: &mut Random) -> Result<bool, String> {
    let lasting = lasting(random);
    let Some(volume) = project.volume() else {
        return limits::lack(project, Scarce::FileSize, lasting, random);
    };
    volume.fill()?;
    sleep(lasting);
    volume.free()?;
    Ok(true)
}

/// Waits up to that time for a condition; returns true if it became true.
pub(crate) fn wait_for(limit: Duration, mut is_there: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    loop {
        if is_there() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        sleep(Duration::from_millis(20));
    }
}
