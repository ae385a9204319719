//! Decimal texts of numbers, written and read. Rust's own ways are 5 and 10 KB of packed WebAssembly, most of it tables.

use std::cmp::Ordering;

use big::Big;

mod big;

/// Digits behind the point that are written at most.
const WRITTEN: usize = 8;

/// Digits that decide about a number: of those behind them it only counts whether they are all 0.
const DECISIVE: usize = 800;

/// A number whose first digit stands further from the point is infinite, or 0.
const FAR: i64 = 400;

/// The bits of a number's digits.
const BITS: i64 = 53;

/// The powers of two that the first bit of a number with all its bits can stand for.
const FIRST: std::ops::RangeInclusive<i64> = -1022..=1023;

/// A number as a sentence has it: without the digits that come of adding (`0.3`, and not `0.30000000000000004`), and
/// without an exponent.
///
/// ```
/// use stepweave_core::decimal::written;
///
/// assert_eq!(written(0.1 + 0.2), "0.3");
/// ```
pub fn written(number: f64) -> String {
    let scale = 10_u64.pow(WRITTEN as u32);
    let rest = (number.abs().fract() * scale as f64).round() as u64;
    let (whole, rest) = ((number.abs() as u64).saturating_add(rest / scale), rest % scale);
    let sign = if number < 0.0 && (whole, rest) != (0, 0) { "-" } else { "" };
    if rest == 0 {
        return format!("{sign}{whole}");
    }
    let digits = format!("{rest:0WRITTEN$}");
    format!("{sign}{whole}.{}", digits.trim_end_matches('0'))
}

/// The number nearest to a text of digits, with a sign, a point and an exponent or without: as `str::parse` reads it, but
/// for `inf` and `nan`, which are none.
pub fn read(text: &str) -> Option<f64> {
    let (sign, digits) = signed(text);
    let (digits, exponent) = match digits.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, power(exponent)?),
        None => (digits, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if !are_digits(whole) || !are_digits(fraction) || whole.len() + fraction.len() == 0 {
        return None;
    }
    let all = whole.bytes().chain(fraction.bytes()).map(|byte| byte - b'0');
    let digits: Vec<u8> = all.skip_while(|digit| *digit == 0).collect();
    Some(sign * nearest(&digits, exponent.saturating_sub_unsigned(fraction.len() as u64)))
}

/// The number with these digits, so many of them behind the point, if it is a usual one. [`read`] reads the others too, but
/// takes longer.
pub(crate) fn usual(digits: u64, places: usize) -> Option<f64> {
    // A ten is a five and a two, and twos are counted apart. Of the fraction, both parts fill 63 bits.
    let fives = 5_u64.checked_pow(u32::try_from(places).ok()?)?;
    let shifts = [digits.leading_zeros().checked_sub(1)?, fives.leading_zeros() - 1];
    let [mut over, under] = [digits << shifts[0], fives << shifts[1]];
    let mut number = 0_u64;
    // Three bits more than the number keeps, of which the first may be 0.
    for _ in 0..BITS + 3 {
        number <<= 1;
        if over >= under {
            over -= under;
            number += 1;
        }
        over <<= 1;
    }
    // What is left only counts where the rest would be just half of the last bit.
    number |= u64::from(over > 0);
    let power = i64::from(shifts[1]) - i64::from(shifts[0]) - places as i64 - BITS - 2;
    Some(number as f64 * power_of_two(power))
}

fn signed(text: &str) -> (f64, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// An exponent. One that is too large for this is too large for any number.
fn power(text: &str) -> Option<i64> {
    let (sign, digits) = signed(text);
    let power = || digits.parse().unwrap_or(i64::MAX / 2);
    (!digits.is_empty() && are_digits(digits)).then(|| if sign < 0.0 { -power() } else { power() })
}

fn are_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The number nearest to these digits, of which the first is not 0, times a power of ten.
fn nearest(digits: &[u8], power: i64) -> f64 {
    let point = power.saturating_add_unsigned(digits.len() as u64);
    if digits.is_empty() || point < -FAR {
        return 0.0;
    }
    if point > FAR {
        return f64::INFINITY;
    }
    let (decisive, others) = digits.split_at(digits.len().min(DECISIVE));
    let mut over = decisive.iter().fold(Big::of(0), |mut over, digit| {
        over.times(10, u32::from(*digit));
        over
    });
    // One more digit stands for all that are left out.
    over.times(10, u32::from(others.iter().any(|digit| *digit > 0)));
    let power = power + others.len() as i64 - 1;
    let mut under = Big::of(1);
    let larger = if power > 0 { &mut over } else { &mut under };
    let mut left = power.unsigned_abs() as u32;
    while left > 0 {
        let step = left.min(9);
        larger.times(10_u32.pow(step), 0);
        left -= step;
    }
    divided(over, under)
}

/// The number nearest to a fraction.
fn divided(mut over: Big, mut under: Big) -> f64 {
    // The fraction is made one from 1 to 2, times a power of two, which the first bit stands for.
    let mut first = over.bits() as i64 - under.bits() as i64;
    let longer = if first > 0 { &mut under } else { &mut over };
    longer.shift(first.unsigned_abs() as usize);
    if over < under {
        over.shift(1);
        first -= 1;
    }
    // Numbers that are nearly 0 have fewer bits.
    let bits = BITS.min(BITS + first - FIRST.start());
    if first > *FIRST.end() || bits < 0 {
        return if bits < 0 { 0.0 } else { f64::INFINITY };
    }
    let mut number = 0_u64;
    for _ in 0..bits {
        number <<= 1;
        if over >= under {
            over.less(&under);
            number += 1;
        }
        over.shift(1);
    }
    // What is left is compared with half of the last bit; just half of it makes the number even.
    number += match over.cmp(&under) {
        Ordering::Less => 0,
        Ordering::Equal => number & 1,
        Ordering::Greater => 1,
    };
    number as f64 * power_of_two(first - bits + 1)
}

/// Powers from that of the least number above 0 to that of the last bit of the largest one.
fn power_of_two(power: i64) -> f64 {
    f64::from_bits(match power - FIRST.start() {
        above @ 0.. => ((above + 1) as u64) << (BITS - 1),
        below => 1 << (below + BITS - 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_with_the_digits_that_it_needs() {
        let numbers = [
            (0.0, "0"),
            (-0.0, "0"),
            (2.0, "2"),
            (0.1 + 0.2, "0.3"),
            (-1.5, "-1.5"),
            (0.000_000_01, "0.00000001"),
            (0.000_000_001, "0"),
            (0.999_999_999, "1"),
            (1_764_000_000_000.5, "1764000000000.5"),
            (9_007_199_254_740_991.0, "9007199254740991"),
            (1e300, "18446744073709551615"),
        ];
        for (number, text) in numbers {
            assert_eq!(written(number), text);
        }
    }

    /// As the standard library reads it.
    fn assert_read(text: &str) {
        let expected = text.parse::<f64>().ok().map(f64::to_bits);
        assert_eq!(read(text).map(f64::to_bits), expected, "{text}");
    }

    #[test]
    fn a_text_is_read_as_the_standard_library_reads_it() {
        let half = "0.500000000000000166533453693773481063544750213623046875";
        let texts = [
            "0",
            "-0",
            "+0",
            "00",
            "1",
            "-1",
            "+1",
            "0.1",
            ".5",
            "5.",
            "-.5",
            "1e5",
            "1E+5",
            "1e-5",
            "0e999",
            "1e999",
            "-1e999",
            "1e-999",
            "1e99999999999999999999",
            "1e-99999999999999999999",
            "0.30000000000000004",
            "9007199254740993",
            "9007199254740993.0000000000000000000001",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "2.2250738585072014e-308",
            "2.2250738585072011e-308",
            "4.9e-324",
            "2.5e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            half,
            "",
            "-",
            "+",
            ".",
            "e5",
            ".e5",
            "1e",
            "1e+",
            "1e1.5",
            "--1",
            "+-1",
            "1 ",
            " 1",
            "1_0",
            "0x1",
            "1,5",
            "١",
        ];
        texts.into_iter().for_each(assert_read);
        // Digits that no number holds still decide which of two is nearer.
        let long = |last: &str| assert_read(&format!("9007199254740993.{}{last}", "0".repeat(900)));
        ["", "0", "1", "9"].into_iter().for_each(long);
        assert_read(&"7".repeat(309));
        assert_read(&format!("0.{}7", "0".repeat(330)));
        assert_eq!(["inf", "nan", "infinity"].map(read), [None; 3]);
    }

    #[test]
    fn random_numbers_and_texts_are_read_as_the_standard_library_reads_them() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed ^ (seed >> 31)
        };
        for _ in 0..10_000 {
            let number = f64::from_bits(random());
            if number.is_finite() {
                assert_read(&format!("{number:e}"));
                assert_read(&format!("{number}"));
            }
            // The middle between two numbers, and what is just beside it.
            let (digits, power) = (random() >> (random() % 60), random() % 700);
            assert_read(&format!("{digits}e{}", power as i64 - 350));
            assert_read(&format!("{}.{digits:020}", random() >> 40));
            assert_read(&format!("{}5e-1", (random() >> 11) | 1 << 52));
        }
    }
}
