//! Names of agents: the role and a composer (K3). Decoration: identity is the attempt's number (LK-4).

use std::collections::BTreeSet;

use crate::id::{AttemptId, RoleId};

/// Surnames, written so that they can be part of a folder's name.
const COMPOSERS: &str = "\
    albeniz arne bach barber bartok beethoven bellini berg berio berlioz bernstein bizet boulanger \
    boulez brahms britten bruch bruckner byrd cage chausson chopin clementi copland corelli couperin \
    czerny debussy delibes delius donizetti dowland dukas dvorak elgar enescu falla faure field franck \
    gershwin glass glinka gluck gounod grieg handel haydn holst honegger ives janacek kodaly lalo ligeti \
    liszt lully mahler martinu massenet milhaud monteverdi mozart nielsen orff paganini part poulenc \
    prokofiev puccini purcell rameau ravel rossini satie scarlatti schubert schumann sibelius smetana \
    verdi vivaldi";

/// Returns a name that no open attempt has: a composer chosen by the attempt's number, the next free one if it is taken, and one with a
/// number after it if the role has used them all.
pub(super) fn name_for(role: &RoleId, id: AttemptId, taken: &BTreeSet<String>) -> String {
    let mut turn: Vec<&str> = COMPOSERS.split(' ').collect();
    let first = usize::try_from(mix(id.0) % turn.len() as u64).unwrap_or(0);
    turn.rotate_left(first);
    let plain = turn.iter().map(|composer| format!("{role}-{composer}"));
    let numbered = (2_u32..).flat_map(|n| turn.iter().map(move |composer| format!("{role}-{composer}-{n}")));
    let free = plain.chain(numbered).find(|name| !taken.contains(name));
    free.unwrap_or_else(|| format!("{role}-{id}"))
}

/// Spreads neighbouring numbers over the whole range (the finaliser of splitmix64).
fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_unique_among_those_taken_and_gets_a_number_when_all_are() {
        let role = RoleId::from("developer");
        let mut taken = BTreeSet::new();
        for number in 1..=200 {
            let name = name_for(&role, AttemptId(number), &taken);
            assert!(name.starts_with("developer-"), "{name}");
            assert!(taken.insert(name));
        }
        let numbered = taken.iter().filter(|name| name.ends_with("-2")).count();
        assert_eq!(numbered, COMPOSERS.split(' ').count());
        assert_eq!(
            taken.iter().filter(|name| name.ends_with("-3")).count(),
            200 - 2 * 82
        );
    }

    #[test]
    fn the_same_attempt_always_gets_the_same_name() {
        let role = RoleId::from("reviewer");
        let none = BTreeSet::new();
        assert_eq!(
            name_for(&role, AttemptId(7), &none),
            name_for(&role, AttemptId(7), &none)
        );
    }
}
