//! Lengths of time as people read them.

/// A measured time.
pub fn measured(milliseconds: f64) -> String {
    match milliseconds {
        short if short < 1.0 => "<1 ms".to_owned(),
        short if short < 1000.0 => format!("{} ms", short.round() as u64),
        long if long < 60_000.0 => {
            let tenths = (long / 100.0).round() as u64;
            format!("{}.{} s", tenths / 10, tenths % 10)
        }
        long => {
            let seconds = (long / 1000.0).round() as u64;
            format!("{} min {} s", seconds / 60, seconds % 60)
        }
    }
}

/// How long a step took.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Took {
    /// From its beginning to its end.
    pub all_ms: f64,
    /// For how much of that the run waited for a person.
    pub waited_ms: f64,
}

impl Took {
    /// Less than this beside a wait is the answer being taken in.
    const NO_WORK_MS: f64 = 100.0;

    /// How long it went on.
    pub fn worked_ms(self) -> f64 {
        (self.all_ms - self.waited_ms).max(0.0)
    }

    /// In few words: the time without the waits; where there is nothing else, that of the waits.
    pub fn short(self) -> String {
        self.worked().map_or_else(|| self.waited(), measured)
    }

    /// Both.
    pub fn full(self) -> String {
        match self.worked() {
            Some(worked) if self.waited_ms > 0.0 => format!("{}, {}", measured(worked), self.waited()),
            _ => self.short(),
        }
    }

    /// The time without the waits; nothing where it was hardly more than these.
    fn worked(self) -> Option<f64> {
        let worked = self.worked_ms();
        (self.waited_ms == 0.0 || worked >= Self::NO_WORK_MS).then_some(worked)
    }

    fn waited(self) -> String {
        format!("waited {}", measured(self.waited_ms))
    }
}

/// Each unit in milliseconds, by what people call it; the first word is the one that is written.
const UNITS: [(u64, &[&str]); 5] = [
    (86_400_000, &["d", "day", "days"]),
    (3_600_000, &["h", "hour", "hours"]),
    (60_000, &["min", "m", "minute", "minutes"]),
    (1000, &["s", "sec", "second", "seconds"]),
    (1, &["ms", "millisecond", "milliseconds"]),
];

/// A time that somebody types, in milliseconds: a number of them, or with units, such as `1 h 30 min` or `2 minutes`.
pub fn read(text: &str) -> Option<u64> {
    if let Ok(milliseconds) = text.parse() {
        return Some(milliseconds);
    }
    let (mut rest, mut sum) = (text.trim(), None);
    while !rest.is_empty() {
        let (count, behind) = rest.split_at(rest.find(|letter: char| !letter.is_ascii_digit())?);
        let behind = behind.trim_start();
        let (unit, more) =
            behind.split_at(behind.find(|letter: char| !letter.is_alphabetic()).unwrap_or(behind.len()));
        let (size, _) = UNITS.iter().find(|(_, words)| words.contains(&unit))?;
        let part = count.parse::<u64>().ok()?.checked_mul(*size)?;
        sum = Some(sum.unwrap_or(0_u64).checked_add(part)?);
        rest = more.trim_start();
    }
    sum
}

/// A time that somebody wrote down, in full.
pub fn written(milliseconds: u64) -> String {
    if milliseconds == 0 {
        return "no time".to_owned();
    }
    let mut rest = milliseconds;
    let mut parts = Vec::new();
    for (size, words) in UNITS {
        if rest >= size {
            parts.push(format!("{} {}", rest / size, words.first().copied().unwrap_or_default()));
            rest %= size;
        }
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_read_as_it_is_written() {
        for span in [0, 1, 10_000, 90_061_001] {
            assert_eq!(read(&span.to_string()), Some(span));
            assert_eq!(read(&written(span)), Some(span).filter(|span| *span > 0));
        }
        assert_eq!(read("10s"), Some(10_000));
        assert_eq!(read(" 2 h 5 min "), Some(7_500_000));
        assert_eq!(read("1 day 2 hours 3 minutes 4 seconds"), Some(93_784_000));
        assert_eq!(read("5m"), Some(300_000));
        for wrong in ["", "s", "10 x", "10 s 5", "1.5 h", "-1 s", "99999999999999999999 d"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_written_time_loses_nothing() {
        assert_eq!(written(1000), "1 s");
        assert_eq!(written(90_061_001), "1 d 1 h 1 min 1 s 1 ms");
        assert_eq!(written(0), "no time");
    }

    #[test]
    fn the_time_of_a_step_says_for_how_long_it_waited_for_a_person() {
        let took = |all_ms, waited_ms| Took { all_ms, waited_ms };
        let said = |took: Took| format!("{} / {}", took.short(), took.full());
        assert_eq!(said(took(240.0, 0.0)), "240 ms / 240 ms");
        assert_eq!(said(took(22_140.0, 21_900.0)), "240 ms / 240 ms, waited 21.9 s");
        assert_eq!(said(took(16_510.0, 16_500.0)), "waited 16.5 s / waited 16.5 s");
        assert_eq!(said(took(16_500.0, 16_503.0)), "waited 16.5 s / waited 16.5 s");
        assert_eq!(said(took(0.2, 0.0)), "<1 ms / <1 ms");
    }

    #[test]
    fn a_measured_time_is_short() {
        assert_eq!(measured(0.2), "<1 ms");
        assert_eq!(measured(1234.0), "1.2 s");
        assert_eq!(measured(61_000.0), "1 min 1 s");
    }
}
