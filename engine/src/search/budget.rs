//! The visits a search may still make, shared out to its workers.

use std::sync::Mutex;
use std::sync::PoisonError;

/// Workers take a share, use some of it and give the rest back, so that a
/// limit in nodes is met exactly.
pub struct Budget(Mutex<Account>);

struct Account {
    left: u64,
    in_hand: u64,
}

impl Budget {
    pub fn new(visits: u64) -> Budget {
        Budget(Mutex::new(Account { left: visits, in_hand: 0 }))
    }

    /// Up to `wanted` visits; 0 when none are left at the moment.
    pub fn take(&self, wanted: usize) -> usize {
        let mut account = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let granted = account.left.min(wanted as u64);
        account.left -= granted;
        account.in_hand += granted;
        granted as usize
    }

    /// Of `granted` visits only `used` were started.
    pub fn settle(&self, granted: usize, used: usize) {
        let mut account = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        account.in_hand -= granted as u64;
        account.left += (granted - used) as u64;
    }

    /// Nothing left, and nothing can come back.
    pub fn is_spent(&self) -> bool {
        let account = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        account.left == 0 && account.in_hand == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let budget = Budget::new(10);
        assert_eq!(budget.take(8), 8);
        assert_eq!(budget.take(8), 2);
        assert_eq!(budget.take(8), 0);
        budget.settle(2, 2);
        assert!(!budget.is_spent());
        budget.settle(8, 5);
        assert_eq!(budget.take(8), 3);
        budget.settle(3, 3);
        assert!(budget.is_spent());
    }
}
