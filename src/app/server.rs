//! The server: one per project, the only writer of its store. It decides through the engine and draws for its clients; it may
//! die at any instant, agents never notice.

pub mod hub;
pub mod session;

mod calls;
mod canvas;
mod drawing;
mod fetching;
mod inbox_folder;
pub mod listening;
mod reading;
mod requests;
mod screens;
mod shells;

pub use calls::snapshot;

use crate::domain::Span;
use crate::ports::holders::{HolderId, Holders};

/// How long a program has to end by itself after it was asked to.
const GRACE: Span = Span(3_000);

/// Ends programs and all they started, side by side.
pub fn stop_all(holders: &(dyn Holders + Sync), ids: &[HolderId]) {
    std::thread::scope(|scope| {
        for id in ids {
            scope.spawn(move || {
                if let Err(error) = holders.stop(id, GRACE) {
                    tracing::warn!(%id, "could not {error}");
                }
            });
        }
    });
}
