//! Where the bytes of an answer are cut on their way. What is read must not depend on it.

use std::fmt;

/// A way to cut.
#[derive(Debug, Clone, Copy)]
pub enum Cuts {
    /// Behind each event.
    Events,
    /// Nowhere.
    Nowhere,
    /// Behind each byte.
    Bytes,
    /// Anywhere, by a seed.
    Random(u64),
}

impl Cuts {
    /// Every way.
    pub const ALL: [Self; 6] =
        [Self::Events, Self::Nowhere, Self::Bytes, Self::Random(1), Self::Random(2), Self::Random(3)];

    /// The bytes in pieces.
    pub fn pieces(self, bytes: &[u8]) -> Vec<&[u8]> {
        let mut pieces = Vec::new();
        let mut rest = bytes;
        let mut state = match self {
            Self::Random(seed) => seed,
            _ => 0,
        };
        while !rest.is_empty() {
            let length = match self {
                Self::Events => event_length(rest),
                Self::Nowhere => rest.len(),
                Self::Bytes => 1,
                Self::Random(_) => random_length(&mut state),
            };
            let (piece, behind) = rest.split_at(length.min(rest.len()));
            pieces.push(piece);
            rest = behind;
        }
        pieces
    }
}

impl fmt::Display for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Events => f.write_str("event"),
            Self::Nowhere => f.write_str("all"),
            Self::Bytes => f.write_str("1 byte"),
            Self::Random(seed) => write!(f, "random {seed}"),
        }
    }
}

/// Up to and with the first empty line.
fn event_length(bytes: &[u8]) -> usize {
    let end_of = |end: &[u8]| bytes.windows(end.len()).position(|at| at == end).map(|at| at + end.len());
    let ends = [end_of(b"\n\n"), end_of(b"\r\n\r\n")];
    ends.into_iter().flatten().min().unwrap_or(bytes.len())
}

/// Mostly short, now and then longer than an event. The constants are those of Knuth's MMIX.
fn random_length(state: &mut u64) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let random = (*state >> 33) as usize;
    match random % 8 {
        0 => 1 + random / 8 % 2000,
        _ => 1 + random / 8 % 50,
    }
}
