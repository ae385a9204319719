//! Numbers in sentences.

/// Digits behind the point that are written at most.
const DIGITS: usize = 8;

/// A number as a sentence has it: without the digits that come of adding (`0.3`, and not `0.30000000000000004`), and
/// without an exponent. Rust's own way to print an `f64` is 9 KB of WebAssembly.
pub(crate) fn decimal(number: f64) -> String {
    let scale = 10_u64.pow(DIGITS as u32);
    let rest = (number.abs().fract() * scale as f64).round() as u64;
    let (whole, rest) = ((number.abs() as u64).saturating_add(rest / scale), rest % scale);
    let sign = if number < 0.0 && (whole, rest) != (0, 0) { "-" } else { "" };
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    let digits = format!("{rest:0DIGITS$}");
    format!("{sign}{whole}.{}", digits.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_with_the_digits_that_it_needs() {
        let written = [
            (0.0, "0"),
            (-0.0, "0"),
            (2.0, "2"),
            (0.1 + 0.2, "0.3"),
            (-1.5, "-1.5"),
            (0.000_000_01, "0.00000001"),
            (0.000_000_001, "0"),
            (1e9, "1000000000"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (0.999_999_999, "1"),
            (1_764_000_000_000.5, "1764000000000.5"),
            (1e300, "18446744073709551615"),
        ];
        for (number, text) in written {
            assert_eq!(decimal(number), text);
        }
    }
}
