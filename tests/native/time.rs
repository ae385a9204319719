//! Times as texts.

/// The milliseconds since 1970 of a text such as `2030-01-31T12:00:00Z` or `Thu, 31 Jan 2030 12:00:00 GMT`.
pub fn milliseconds(text: &str) -> Option<f64> {
    let time = humantime::parse_rfc3339(&rfc3339(text).unwrap_or_else(|| text.to_owned())).ok()?;
    let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(since.as_millis() as f64)
}

/// The date of an HTTP header in the other form.
fn rfc3339(date: &str) -> Option<String> {
    const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";
    let parts: Vec<&str> = date.strip_suffix(" GMT")?.split(' ').collect();
    let [_, day, month, year, time] = parts[..] else { return None };
    let month = MONTHS.find(month)? / 3 + 1;
    Some(format!("{year}-{month:02}-{day}T{time}Z"))
}
