//! The stacks of the kitty keyboard protocol, one per screen.

use crate::modes::KittyFlags;

/// Maximum number of entries of a stack; the oldest is dropped for a new one.
const DEPTH: usize = 32;

/// Flags a program pushed, for the main and the alternate screen.
#[derive(Debug, Default)]
pub(super) struct KeyboardStacks {
    stacks: [Vec<KittyFlags>; 2],
    alternate: bool,
}

impl KeyboardStacks {
    /// Uses the stack of the other screen.
    pub(super) fn switch(&mut self, alternate: bool) {
        self.alternate = alternate;
    }

    /// Returns the flags in effect.
    pub(super) fn current(&self) -> KittyFlags {
        self.stack().last().copied().unwrap_or_default()
    }

    /// `CSI > flags u`.
    pub(super) fn push(&mut self, flags: KittyFlags) {
        let stack = self.stack_mut();
        if stack.len() >= DEPTH {
            stack.remove(0);
        }
        stack.push(flags);
    }

    /// `CSI < count u`.
    pub(super) fn pop(&mut self, count: u16) {
        let stack = self.stack_mut();
        stack.truncate(stack.len().saturating_sub(usize::from(count)));
    }

    /// `CSI = flags ; how u`: 1 replaces, 2 adds, 3 removes.
    pub(super) fn set(&mut self, flags: KittyFlags, how: u16) {
        let old = u16::from(self.current().bits());
        let given = u16::from(flags.bits());
        let bits = match how {
            1 => given,
            2 => old | given,
            3 => old & !given,
            _ => return,
        };
        let stack = self.stack_mut();
        stack.pop();
        stack.push(KittyFlags::from_number(bits));
    }

    fn stack(&self) -> &Vec<KittyFlags> {
        let [main, alternate] = &self.stacks;
        if self.alternate { alternate } else { main }
    }

    fn stack_mut(&mut self) -> &mut Vec<KittyFlags> {
        let [main, alternate] = &mut self.stacks;
        if self.alternate { alternate } else { main }
    }
}
