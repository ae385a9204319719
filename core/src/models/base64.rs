//! Texts that come in base64.

/// The text in base64; nothing where it is something else than UTF-8.
pub(super) fn decoded(base64: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(base64.len() / 4 * 3);
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in base64.bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b'\r' | b'\n' => continue,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_every_length_are_read() {
        for (base64, text) in
            [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("WsO8cmljaCDinIU", "Zürich ✅")]
        {
            assert_eq!(decoded(base64).as_deref(), Some(text));
        }
    }

    #[test]
    fn what_is_no_text_is_none() {
        assert_eq!(decoded("/9j/4AAQ"), None);
        assert_eq!(decoded("not base64!"), None);
    }
}
