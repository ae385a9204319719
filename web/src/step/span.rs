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

/// A time that somebody wrote down, in full.
pub fn written(milliseconds: u64) -> String {
    const UNITS: [(u64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "min"), (1000, "s")];
    if milliseconds == 0 {
        return "no time".to_owned();
    }
    let mut rest = milliseconds;
    let mut parts = Vec::new();
    for (size, unit) in UNITS {
        if rest >= size {
            parts.push(format!("{} {unit}", rest / size));
            rest %= size;
        }
    }
    if rest > 0 {
        parts.push(format!("{rest} ms"));
    }
    parts.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_time_loses_nothing() {
        assert_eq!(written(1000), "1 s");
        assert_eq!(written(90_061_001), "1 d 1 h 1 min 1 s 1 ms");
        assert_eq!(written(0), "no time");
    }

    #[test]
    fn a_measured_time_is_short() {
        assert_eq!(measured(0.2), "<1 ms");
        assert_eq!(measured(1234.0), "1.2 s");
        assert_eq!(measured(61_000.0), "1 min 1 s");
    }
}
