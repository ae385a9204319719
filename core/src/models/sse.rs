//! Server-sent events, from bytes that may be cut anywhere.

/// Bytes that one event may have.
const MAX_EVENT: usize = 8 * 1024 * 1024;

/// The fields that lines of events have; `error` is llama.cpp's own.
const FIELDS: [&str; 5] = ["data", "event", "id", "retry", "error"];

/// Takes bytes as they come and gives each whole event.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    next: Event,
    after_return: bool,
    has_lines: bool,
}

/// An event.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Its data, or what stands in its field `error`.
    pub(super) data: String,
    /// Whether its name or its field marks it as an error.
    pub(super) is_error: bool,
}

/// An event, or the bytes since the last one, are larger than any endpoint's.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Events {
    /// Finds the events that end within these bytes.
    pub(super) fn push(&mut self, bytes: &[u8], found: &mut Vec<Event>) -> Result<(), TooLarge> {
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
            if self.line.len() + self.next.data.len() > MAX_EVENT {
                return Err(TooLarge);
            }
        }
        Ok(())
    }

    /// The event that the stream's end cut short of its empty line, or in its middle.
    pub(super) fn end(&mut self) -> Option<Event> {
        // Even the name of the last field may be cut.
        let is_begun = FIELDS.iter().any(|field| field.as_bytes().starts_with(&self.line));
        self.has_lines |= is_begun && !self.line.is_empty();
        let whole = self.end_line();
        whole.or_else(|| self.end_line())
    }

    /// Whether any line was one of an event, or a comment: what has none is no stream of events.
    pub(super) fn has_lines(&self) -> bool {
        self.has_lines
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = String::from_utf8_lossy(&self.line).into_owned();
        self.line.clear();
        // A stream may begin with a byte order mark; no field's name does.
        let line = line.trim_start_matches('\u{feff}');
        if line.is_empty() {
            return Some(std::mem::take(&mut self.next)).filter(|event| !event.data.is_empty());
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        self.has_lines |= field.is_empty() || FIELDS.contains(&field);
        self.next.is_error |= field == "error" || (field == "event" && value == "error");
        if field == "data" || field == "error" {
            if !self.next.data.is_empty() {
                self.next.data.push('\n');
            }
            self.next.data.push_str(value);
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
        found.into_iter().map(|event| event.data).collect()
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
            let found: Vec<&str> = found.iter().map(|event| event.data.as_str()).collect();
            assert_eq!(found, expected, "cut at {cut}");
        }
    }

    #[test]
    fn an_event_without_end_is_refused_and_those_before_it_are_kept() {
        let (mut events, mut found) = (Events::default(), Vec::new());
        let bytes = [b"data: one\n\ndata: ".to_vec(), vec![b'x'; MAX_EVENT]].concat();
        assert_eq!(events.push(&bytes, &mut found), Err(TooLarge));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].data, "one");
    }

    #[test]
    fn errors_are_recognised_by_the_name_of_the_event_or_of_the_field() {
        let (mut events, mut found) = (Events::default(), Vec::new());
        let text = "event: error\ndata: one\n\ndata: two\n\nerror: three\n\nevent: more\ndata: four\n\n";
        events.push(text.as_bytes(), &mut found).unwrap();
        let read: Vec<(&str, bool)> =
            found.iter().map(|event| (event.data.as_str(), event.is_error)).collect();
        assert_eq!(read, [("one", true), ("two", false), ("three", true), ("four", false)]);
    }

    #[test]
    fn what_has_no_line_of_an_event_is_no_stream_of_events() {
        for (text, is_stream) in [
            (": waiting", true),
            ("da", true),
            ("data: {\"a\"", true),
            ("event: x\nda", true),
            ("<!doctype html>", false),
            ("Bad Gateway", false),
            ("datax: 1\n", false),
            ("", false),
        ] {
            let mut events = Events::default();
            events.push(text.as_bytes(), &mut Vec::new()).unwrap();
            events.end();
            assert_eq!(events.has_lines(), is_stream, "{text}");
        }
    }
}
