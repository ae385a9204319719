//! Server-sent events, from bytes that may be cut anywhere.

/// Bytes that one event may have.
const MAX_EVENT: usize = 8 * 1024 * 1024;

/// Takes bytes as they come and gives the data of each whole event.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: String,
    after_return: bool,
}

/// An event, or the bytes since the last one, are larger than any endpoint's.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Events {
    /// Finds the data of the events that end within these bytes.
    pub(super) fn push(&mut self, bytes: &[u8], found: &mut Vec<String>) -> Result<(), TooLarge> {
        for &byte in bytes {
            match byte {
                // A line ends with CR, LF, or CR LF.
                b'\n' if self.after_return => self.after_return = false,
                b'\n' | b'\r' => {
                    self.after_return = byte == b'\r';
                    found.extend(self.end_line());
                }
                _ => {
                    self.after_return = false;
                    self.line.push(byte);
                }
            }
            if self.line.len() + self.data.len() > MAX_EVENT {
                return Err(TooLarge);
            }
        }
        Ok(())
    }

    /// The data of an event that the stream's end cut short of its empty line.
    pub(super) fn end(mut self) -> Option<String> {
        let whole = self.end_line();
        whole.or_else(|| self.end_line())
    }

    fn end_line(&mut self) -> Option<String> {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        // A stream may begin with a byte order mark; no field's name does.
        let line = line.trim_start_matches('\u{feff}').to_owned();
        if line.is_empty() {
            return Some(std::mem::take(&mut self.data)).filter(|data| !data.is_empty());
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        if field == "data" {
            if !self.data.is_empty() {
                self.data.push('\n');
            }
            self.data.push_str(value.strip_prefix(' ').unwrap_or(value));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Vec<String> {
        let (mut events, mut found) = (Events::default(), Vec::new());
        events.push(text.as_bytes(), &mut found).unwrap();
        found.extend(events.end());
        found
    }

    #[test]
    fn comments_names_and_line_ends_of_every_kind_are_read() {
        let text = ": ping\r\ndata: one\r\n\r\nevent: x\ndata:two\ndata: more\n\n\rdata: three\r\r";
        assert_eq!(whole(text), ["one", "two\nmore", "three"]);
    }

    #[test]
    fn an_event_without_its_empty_line_is_read_at_the_end() {
        assert_eq!(whole("data: one\n\ndata: [DONE]"), ["one", "[DONE]"]);
    }

    #[test]
    fn any_cut_gives_the_same_events() {
        let text = "data: Zürich ✅\r\n\r\n: c\r\ndata: 你好\r\ndata: b\r\n\r\n".as_bytes();
        let expected = ["Zürich ✅", "你好\nb"];
        for cut in 0..=text.len() {
            let (mut events, mut found) = (Events::default(), Vec::new());
            events.push(&text[..cut], &mut found).unwrap();
            events.push(&text[cut..], &mut found).unwrap();
            assert_eq!(found, expected, "cut at {cut}");
        }
    }

    #[test]
    fn an_event_without_end_is_refused_and_those_before_it_are_kept() {
        let (mut events, mut found) = (Events::default(), Vec::new());
        let bytes = [b"data: one\n\ndata: ".to_vec(), vec![b'x'; MAX_EVENT]].concat();
        assert_eq!(events.push(&bytes, &mut found), Err(TooLarge));
        assert_eq!(found, ["one"]);
    }
}
