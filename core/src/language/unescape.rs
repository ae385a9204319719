//! What the escapes of a quoted text stand for.

/// The text without its escapes; nothing if one of them stands for no character.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        out.push_str(plain);
        let mut letters = escaped.chars();
        let letter = letters.next()?;
        rest = letters.as_str();
        match letter {
            '"' | '\\' | '/' | '\'' => out.push(letter),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'x' => out.push(char::from_u32(number(&mut rest, 2, 16)?)?),
            'u' => out.push(unit(&mut rest)?),
            '0'..='7' => {
                // As many digits as there are, and three at most.
                let digits = escaped.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                rest = escaped;
                out.push(u8::try_from(number(&mut rest, digits, 8)?).ok()?.into());
            }
            other => out.extend(['\\', other]),
        }
    }
    out.push_str(rest);
    Some(out)
}

/// The number that the next digits are.
fn number(rest: &mut &str, digits: usize, radix: u32) -> Option<u32> {
    let (number, behind) = rest.split_at_checked(digits)?;
    *rest = behind;
    if !number.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(number, radix).ok()
}

/// A character by its number in UTF-16; two of them in a row where it takes two.
fn unit(rest: &mut &str) -> Option<char> {
    let first = number(rest, 4, 16)?;
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first);
    }
    *rest = rest.strip_prefix("\\u")?;
    let second = number(rest, 4, 16)?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)
}

#[cfg(test)]
mod tests {
    use super::unescape;

    #[test]
    fn escapes_stand_for_letters() {
        let of = |text| unescape(text);
        assert_eq!(of(r#"it\'s \"so\" \\ \/"#).as_deref(), Some(r#"it's "so" \ /"#));
        assert_eq!(of(r"a\nb\tc\u00e9\x41\101\0").as_deref(), Some("a\nb\tcéAA\0"));
        assert_eq!(of(r"\ud83d\ude00 \q").as_deref(), Some("😀 \\q"));
        for broken in [r"\u12", r"\ud83d", r"\ud83dx", r"\udc00", r"\x4", r"\xé", r"\u+123", "\\", r"\777"] {
            assert_eq!(of(broken), None, "{broken}");
        }
    }
}
