//! Deliveries of merged work to the person's checkout: requested after each merge, told to people, and looked at again for as long as the
//! person's branch lacks the work.

use super::Board;
use super::commands::accepted;
use super::transition::Transition;
use crate::batch::OwedDelivery;
use crate::delivery::{Delivery, DeliveryEnd};
use crate::effect::{Accepted, Effect, NoticeLevel};
use crate::id::TaskId;
use crate::time::Span;

/// Time until the first look at a branch that lacks merged work, since a person may have pulled it; each further one waits twice as long.
const FIRST_LOOK: Span = Span::minutes(2);
/// Number of times that the wait is doubled.
const MOST_DOUBLINGS: u32 = 4;

/// Returns the wait before a look, by the number of looks before it. Each look is stored, so they become rare.
pub(super) fn wait_before(n_looks: u32) -> Span {
    FIRST_LOOK.scaled(1 << n_looks.min(MOST_DOUBLINGS), Span(u64::MAX))
}

impl Board {
    /// Requests the delivery of the merge of a task, if the settings want one.
    pub(super) fn deliver(&mut self, transition: &mut Transition, id: &TaskId) {
        if self.delivers(id) {
            transition.emit(Effect::Deliver(id.clone()));
        }
    }

    /// Returns true if the merge of a task is delivered, or its base is looked at for it.
    pub fn delivers(&self, id: &TaskId) -> bool {
        self.tasks.get(id).is_some_and(|task| {
            let is_delivered = task.merged.is_some() && !self.settings.deliver.is_off();
            is_delivered || task.handed_over_on().is_some()
        })
    }

    /// Returns true if a task's merge could not be delivered before, or was only told: it is not moved again without a person.
    pub fn owes(&self, id: &TaskId) -> bool {
        let task = self.tasks.get(id);
        let owed = task.and_then(|task| self.batches.get(&task.batch)?.owed.as_deref());
        owed.is_some_and(|owed| Some(&owed.delivery.to) == task.and_then(|task| task.merged.as_ref()))
    }

    /// Tells the end of a delivery, and remembers what the person's branch lacks.
    pub(super) fn delivered(&mut self, transition: &mut Transition, id: &TaskId, delivery: &Delivery) {
        let Some(task) = self.task(id) else { return };
        let same_base = self.batches.values().filter(|batch| {
            let before = batch.owed.as_deref();
            before.is_some_and(|before| before.delivery.base == delivery.base)
        });
        let before = same_base.map(|batch| (batch.id.clone(), batch.owed.clone()));
        let before: Vec<_> = before.collect();
        let known = before.iter().find_map(|(_, owed)| owed.as_deref());
        let known = known.filter(|owed| owed.delivery == *delivery).cloned();
        let is_known = known.is_some();
        let owed = known.or_else(|| {
            delivery.is_owed().then(|| OwedDelivery {
                delivery: delivery.clone(),
                task: id.clone(),
                at: transition.now + wait_before(0),
                n_looks: 0,
            })
        });
        for (batch, _) in before {
            self.edit_batch(&batch, |batch| batch.owed = None);
        }
        self.edit_batch(&task.batch, |batch| batch.owed = owed.map(Box::new));
        let level = match delivery.end {
            DeliveryEnd::Kept(_) => NoticeLevel::Warning,
            DeliveryEnd::Files | DeliveryEnd::Branch => NoticeLevel::Success,
            DeliveryEnd::Current | DeliveryEnd::NoBranch | DeliveryEnd::Told => NoticeLevel::Info,
        };
        if let Some(text) = delivery.summary().filter(|_| !is_known) {
            transition.notify_task(level, "delivered", id, text);
        }
    }

    /// Forgets what the person's branch of a base lacked, after a pull.
    pub(super) fn pulled(&mut self, base: &str) -> Accepted {
        let owed = self.batches.values().filter(|batch| {
            let owed = batch.owed.as_deref();
            owed.is_some_and(|owed| owed.delivery.base == base)
        });
        for id in owed.map(|batch| batch.id.clone()).collect::<Vec<_>>() {
            self.edit_batch(&id, |batch| batch.owed = None);
        }
        accepted(format!("{base} has everything that is merged"))
    }

    /// Asks again about the branches whose next look is due.
    pub(super) fn look_at_deliveries(&mut self, transition: &mut Transition) {
        let now = transition.now;
        let due = self.batches.values().filter_map(|batch| {
            let owed = batch.owed.as_deref().filter(|owed| owed.at <= now)?;
            Some((batch.id.clone(), owed.task.clone()))
        });
        for (batch, task) in due.collect::<Vec<_>>() {
            let goes_on = self.delivers(&task);
            self.edit_batch(&batch, |batch| match &mut batch.owed {
                Some(owed) if goes_on => {
                    owed.n_looks = owed.n_looks.saturating_add(1);
                    owed.at = now + wait_before(owed.n_looks);
                }
                owed => *owed = None,
            });
            self.deliver(transition, &task);
        }
    }
}
