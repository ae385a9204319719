//! How long ago something was, in words.

const MINUTE: f64 = 60_000.0;
const HOUR: f64 = 60.0 * MINUTE;
const DAY: f64 = 24.0 * HOUR;

/// How long ago something was, of the milliseconds since then.
pub fn ago(since: f64) -> String {
    let (size, word) = match since {
        since if since < MINUTE => return "Just now".to_owned(),
        since if since < HOUR => (MINUTE, "minute"),
        since if since < DAY => (HOUR, "hour"),
        since if since < 30.0 * DAY => (DAY, "day"),
        since if since < 365.0 * DAY => (30.0 * DAY, "month"),
        _ => (365.0 * DAY, "year"),
    };
    let many = (since / size).floor();
    let plural = if many > 1.0 { "s" } else { "" };
    format!("{many} {word}{plural} ago")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_in_their_largest_unit() {
        let said = [-5.0, 59_000.0, 60_000.0, 119.0 * MINUTE, 24.0 * HOUR, 45.0 * DAY, 800.0 * DAY].map(ago);
        let wanted =
            ["Just now", "Just now", "1 minute ago", "1 hour ago", "1 day ago", "1 month ago", "2 years ago"];
        assert_eq!(said, wanted);
    }
}
