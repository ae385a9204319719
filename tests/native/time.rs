//! Times as texts.

/// The milliseconds since 1970 of a text such as `2030-01-31T12:00:00Z`.
pub fn milliseconds(text: &str) -> Option<f64> {
    let time = humantime::parse_rfc3339(text).ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(since.as_millis() as f64)
}
