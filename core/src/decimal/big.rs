//! Whole numbers of any length, for texts whose digits no other type holds.

use std::cmp::Ordering;

/// A whole number: its digits to the base 2³², the lowest first, the highest not 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Big(Vec<u32>);

impl Big {
    /// A small one.
    pub(super) fn of(number: u32) -> Self {
        Self(Some(number).filter(|number| *number > 0).into_iter().collect())
    }

    /// Multiplies it, and adds.
    pub(super) fn times(&mut self, factor: u32, more: u32) {
        let mut carry = u64::from(more);
        for digit in &mut self.0 {
            carry += u64::from(*digit) * u64::from(factor);
            *digit = carry as u32;
            carry >>= 32;
        }
        self.0.extend(Some(carry as u32).filter(|carry| *carry > 0));
    }

    /// Multiplies it by a power of two.
    pub(super) fn shift(&mut self, bits: usize) {
        self.times(1 << (bits % 32), 0);
        if !self.0.is_empty() {
            self.0.splice(..0, std::iter::repeat_n(0, bits / 32));
        }
    }

    /// Takes one away that is not larger.
    pub(super) fn less(&mut self, other: &Self) {
        let mut borrowed = 0_i64;
        let mut others = other.0.iter();
        for digit in &mut self.0 {
            let left = i64::from(*digit) - others.next().map_or(0, |other| i64::from(*other)) + borrowed;
            *digit = left as u32;
            borrowed = left >> 32;
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }

    /// How many bits it has.
    pub(super) fn bits(&self) -> usize {
        self.0.last().map_or(0, |last| 32 * self.0.len() - last.leading_zeros() as usize)
    }
}

impl Ord for Big {
    fn cmp(&self, other: &Self) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Big {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
