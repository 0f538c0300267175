//! Locks of workspaces: a template that is being made keeps only those waiting that want the same one.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

/// Locks of the templates and of the ports.
#[derive(Debug, Default)]
pub struct WorkspaceLocks {
    /// By the name of a template that is in use: read while it is copied, written while it is made or removed.
    templates: Mutex<BTreeMap<String, Arc<RwLock<()>>>>,
    pub(super) ports: Mutex<()>,
}

impl WorkspaceLocks {
    /// Returns the lock of a template.
    pub(super) fn of_template(&self, name: &str) -> Arc<RwLock<()>> {
        let mut locks = self.templates.lock();
        locks.retain(|_, lock| Arc::strong_count(lock) > 1);
        Arc::clone(locks.entry(name.to_owned()).or_default())
    }
}
