//! Fingerprints that are the same on every machine and in every version.

use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher13};

/// A fingerprint of everything that was put into it, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest(u128);

impl Digest {
    /// The fingerprint of this one and a text behind it.
    #[must_use]
    pub fn with(self, text: &str) -> Self {
        let mut hasher = SipHasher13::new();
        hasher.write(&self.0.to_le_bytes());
        hasher.write(text.as_bytes());
        Self(hasher.finish128().as_u128())
    }

    /// As text of 32 hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:032x}", self.0)
    }

    /// A number from 0 to 1, without the 1, that looks as if left to chance.
    pub(super) fn fraction(self) -> f64 {
        (self.0 as u64 >> 11) as f64 / (1_u64 << 53) as f64
    }
}
