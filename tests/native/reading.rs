//! Reads an answer as a run does.

use stepweave_core::document::Provider;
use stepweave_core::error::Error;
use stepweave_core::models::{Reply, Stream};

/// What came of an answer's bytes.
#[derive(Debug)]
pub struct Reading {
    /// What was emitted on the way, piece by piece.
    pub emitted: Emitted,
    /// The answer, or why there is none.
    pub outcome: Result<Reply, Error>,
}

/// What a run tells of an answer as it comes.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Emitted {
    /// The text.
    pub text: String,
    /// What the model thought.
    pub reasoning: String,
}

/// Reads an answer in pieces.
pub fn read<'a>(provider: Provider, pieces: impl IntoIterator<Item = &'a [u8]>) -> Reading {
    let mut stream = Stream::new(provider);
    let mut emitted = Emitted::default();
    let mut known = (0, 0);
    for piece in pieces {
        let pushed = stream.push(piece);
        known = emitted.add(known, &stream.partial().text, &stream.partial().reasoning);
        if let Err(error) = pushed {
            return Reading { emitted, outcome: Err(error) };
        }
    }
    let outcome = stream.end();
    if let Ok(reply) = &outcome {
        emitted.add(known, &reply.text, &reply.reasoning);
    }
    Reading { emitted, outcome }
}

impl Emitted {
    /// Adds what has come since the texts were this long, and returns how long they are now.
    fn add(&mut self, known: (usize, usize), text: &str, reasoning: &str) -> (usize, usize) {
        self.text.push_str(text.get(known.0..).unwrap_or_default());
        self.reasoning.push_str(reasoning.get(known.1..).unwrap_or_default());
        (text.len(), reasoning.len())
    }
}
