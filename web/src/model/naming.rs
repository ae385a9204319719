//! Names of steps that read well where expressions use their answers.

use stepweave_core::document::Document;
use stepweave_core::letters;
use stepweave_core::state::output_key;

use super::completions::written_name;
use crate::step::kinds::free_name;

/// What a step of this name could be called, for expressions to read its answer by name; nothing where they do already.
pub fn plain_name(document: &Document, name: &str) -> Option<String> {
    let key = output_key(name);
    if written_name(&key) == key {
        return None;
    }
    let is_sign = |letter: char| !letters::is_name(&format!("_{letter}"));
    let words: Vec<&str> = name.split(is_sign).filter(|word| !word.is_empty()).collect();
    let plain = words.join("_");
    letters::is_name(&plain).then(|| free_name(document, &plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_spaces_has_a_plain_one_beside_it() {
        let document: Document = serde_json::from_value(serde_json::json!({ "version": 1, "name": "t",
            "steps": [{ "id": "s1", "type": "sequence", "name": "sort_it", "steps": [] }] }))
        .unwrap();
        let of = |name: &str| plain_name(&document, name);
        assert_eq!(of("fetch items").as_deref(), Some("fetch_items"));
        assert_eq!(of(" größe – 2 ").as_deref(), Some("größe_2"));
        assert_eq!(of("sort it").as_deref(), Some("sort_it_2"));
        for kept in ["fetch_items", "größe", "2nd try", "", "…"] {
            assert_eq!(of(kept), None, "{kept}");
        }
    }
}
