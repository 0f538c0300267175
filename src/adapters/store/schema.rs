//! The formats of the database, oldest first, and the way from one to the next.

use rusqlite::Connection;
use rusqlite_migration::{M, Migrations};

/// Marks a `SQLite` file as a store of this program: `dbs` and a 1.
pub(super) const APPLICATION: i32 = 0x6462_7301;

/// SQL that upgrades the database from one format to the next.
#[derive(Debug, Clone, Copy)]
pub(super) struct Migration {
    pub(super) name: &'static str,
    pub(super) sql: &'static str,
}

/// Migrations, all of them; format `n` is the result of the first `n`. Steps that were shipped never change.
pub(super) const MIGRATIONS: &[Migration] = &[
    Migration {
        name: "0001_first",
        sql: include_str!("migrations/0001_first.sql"),
    },
    Migration {
        name: "0002_in_force",
        sql: include_str!("migrations/0002_in_force.sql"),
    },
    Migration {
        name: "0003_sums",
        sql: include_str!("migrations/0003_sums.sql"),
    },
    Migration {
        name: "0004_earlier_names",
        sql: include_str!("migrations/0004_earlier_names.sql"),
    },
    Migration {
        name: "0005_gate_rows",
        sql: include_str!("migrations/0005_gate_rows.sql"),
    },
];

pub(super) fn format_of(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// The newest format that `steps` make.
pub(super) fn newest(steps: &[Migration]) -> i64 {
    i64::try_from(steps.len()).unwrap_or(i64::MAX)
}

/// Takes the step to format `to` (from the one before); foreign keys must be off, they are checked at its end.
pub(super) fn migrate(
    connection: &mut Connection,
    steps: &[Migration],
    to: usize,
) -> rusqlite_migration::Result<()> {
    let ways = steps.iter().map(|step| M::up(step.sql).foreign_key_check());
    Migrations::new(ways.collect()).to_version(connection, to)
}
