//! Fingerprints that are the same on every machine and in every version.

use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher13};

/// A fingerprint of everything that was put into it, in order.
///
/// Its bytes, the least one first: a number of 128 bits would want twice its room wherever it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The fingerprint of this one and a text behind it.
    #[must_use]
    pub fn with(self, text: &str) -> Self {
        let mut hasher = SipHasher13::new();
        hasher.write(&self.0);
        hasher.write(text.as_bytes());
        Self(hasher.finish128().as_u128().to_le_bytes())
    }

    /// As text of 32 hexadecimal digits.
    pub fn hex(self) -> String {
        format!("{:032x}", self.number())
    }

    /// A number from 0 to 1, without the 1, that looks as if left to chance.
    pub(super) fn fraction(self) -> f64 {
        (self.number() as u64 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn number(self) -> u128 {
        u128::from_le_bytes(self.0)
    }
}
