//! Files that a person gives a form: its text has them as a JSON array of what `stepweave/files` reads of each.

use serde_json::{Value, json};
use stepweave_core::json;

/// How many files a field takes.
pub const MOST_FILES: usize = 10;
/// How large a file may be, in bytes.
pub const MOST_BYTES: f64 = 10_000_000.0;
/// What can be read, by the endings of names.
pub const TAKEN: &str = ".txt,.log,.md,.markdown,.csv,.tsv,.yaml,.yml,.xml,.json,.html,.htm,.pdf,.png,.jpg,.jpeg,.gif,.webp,.wav,.mp3,.ogg,.flac,.m4a";

/// The files of a text.
pub fn files(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// The text of files; an empty one where there are none.
pub fn text<'a>(files: impl IntoIterator<Item = &'a Value>) -> String {
    let files: Vec<_> = files.into_iter().collect();
    if files.is_empty() { String::new() } else { json::text(&files) }
}

/// What stands for a file until it is read. The number is its own.
pub fn begun(name: &str, number: u32) -> Value {
    json!({ "reading": name, "number": number })
}

/// The name of a file that is not read yet.
pub fn being_read(file: &Value) -> Option<&str> {
    file.get("reading").filter(|_| file.get("type").is_none()).and_then(Value::as_str)
}

/// The files with what was read of one, or without it if that failed; nothing where it was removed meanwhile.
pub fn settled(text_before: &str, number: u32, read: Option<Value>) -> Option<String> {
    let mut files = files(text_before);
    let at = files.iter().position(|file| {
        being_read(file).is_some() && file.get("number").is_some_and(|own| *own == number)
    })?;
    match read {
        Some(read) => *files.get_mut(at)? = read,
        None => drop(files.remove(at)),
    }
    Some(text(&files))
}

/// What a file is called.
pub fn name_of(file: &Value) -> String {
    let name = being_read(file).or_else(|| file.get("name").and_then(Value::as_str));
    name.filter(|name| !name.is_empty()).unwrap_or("A file without a name").to_owned()
}

/// What a person is shown of a file besides its name: its kind and its size.
pub fn about(file: &Value) -> String {
    if being_read(file).is_some() {
        return "is being read…".to_owned();
    }
    let size = file.get("size").and_then(Value::as_f64).map(size);
    let kind = file.get("mediaType").and_then(Value::as_str).map(kind);
    [kind, size].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn kind(media_type: &str) -> String {
    match media_type.split_once('/') {
        Some(("text", "markdown")) => "Markdown".to_owned(),
        Some(("text", "csv")) => "CSV".to_owned(),
        Some(("text", "html")) => "HTML".to_owned(),
        Some(("text", _)) => "Text".to_owned(),
        Some(("application", word)) => word.to_uppercase(),
        Some(("image", word)) => format!("{} image", word.to_uppercase()),
        Some(("audio", _)) => "Sound".to_owned(),
        _ => media_type.to_owned(),
    }
}

/// Bytes as a person reads them.
fn size(bytes: f64) -> String {
    match bytes {
        1.0 => "1 byte".to_owned(),
        bytes if bytes < 1000.0 => format!("{bytes} bytes"),
        bytes if bytes < 999_500.0 => format!("{:.0} kB", bytes / 1000.0),
        bytes => format!("{:.1} MB", bytes / 1_000_000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_read_takes_its_place() {
        let a = json!({ "type": "text", "name": "a.md" });
        let waiting = text([&begun("a.md", 7), &begun("a.md", 8)]);
        let read = settled(&waiting, 8, Some(a.clone())).unwrap();
        assert_eq!(files(&read), [begun("a.md", 7), a.clone()]);
        assert_eq!(settled(&read, 7, None), Some(text([&a])));
        // One that a person removed meanwhile does not come back, and none takes the place of another.
        assert_eq!(settled(&read, 8, Some(a.clone())), None);
        assert_eq!(settled("", 7, Some(a)), None);
        assert_eq!(settled(&text([&begun("a.md", 7)]), 7, None), Some(String::new()));
    }

    #[test]
    fn a_person_sees_what_a_file_is() {
        let shown = |media_type: &str, size: u64| {
            about(&json!({ "type": "text", "mediaType": media_type, "size": size }))
        };
        assert_eq!(shown("text/markdown", 1), "Markdown · 1 byte");
        assert_eq!(shown("text/plain", 999), "Text · 999 bytes");
        assert_eq!(shown("application/pdf", 12_345), "PDF · 12 kB");
        assert_eq!(shown("image/png", 2_500_000), "PNG image · 2.5 MB");
        assert_eq!(shown("audio/mpeg", 999_700), "Sound · 1.0 MB");
        assert_eq!(about(&begun("a", 1)), "is being read…");
        // What stands in a state already may be anything.
        assert_eq!(
            (name_of(&json!(3)), about(&json!(null))),
            ("A file without a name".to_owned(), String::new())
        );
    }
}
