//! How far a step, or the whole run, is.

/// How far a step, or the whole run, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// Nothing has happened yet.
    #[default]
    Idle,
    /// It is in progress.
    Running,
    /// It ended well.
    Done,
    /// It failed.
    Error,
    /// Its model calls used all that they may.
    Budget,
    /// It was left out.
    Skipped,
    /// It was stopped.
    Cancelled,
    /// It waits for a person.
    Suspended,
}

impl Status {
    /// What a person would say.
    pub fn said(self) -> &'static str {
        match self {
            Self::Error => "failed",
            Self::Budget => "stopped at its budget",
            Self::Cancelled => "stopped",
            Self::Suspended => "waits for your answer",
            _ => self.word(),
        }
    }

    /// The name of its colour.
    pub fn word(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Done => "done",
            Self::Error => "error",
            Self::Budget => "budget",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
            Self::Suspended => "suspended",
        }
    }

    /// The status that a word of the package means.
    pub fn of(word: &str) -> Self {
        match word {
            "done" => Self::Done,
            "error" => Self::Error,
            "budget" => Self::Budget,
            "skipped" => Self::Skipped,
            "cancelled" => Self::Cancelled,
            "suspended" => Self::Suspended,
            _ => Self::Idle,
        }
    }
}
