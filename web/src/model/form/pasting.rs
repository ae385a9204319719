//! Several lines, or a table, that are pasted into the place of one item.

use std::borrow::Cow;

use serde_json::Value;
use stepweave_core::json;

use super::{Field, Input, joined, parts};
use crate::model::spreadsheet;

/// What stands in the lines of a text, without those in which nothing does.
pub fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r']).map(str::trim).filter(|line| !line.is_empty())
}

/// The items that a text of several lines makes in the place of one: a line each, or a row of a spreadsheet. Nothing where it
/// has one line, or only empty ones.
pub fn items_of(text: &str) -> Option<Vec<String>> {
    let rows = spreadsheet::rows(text).into_iter().map(|cells| cells.join("\t").trim().to_owned());
    let items: Vec<String> = rows.filter(|item| !item.is_empty()).collect();
    Some(items).filter(|items| text.contains(['\n', '\r']) && !items.is_empty())
}

/// The items that a table makes in the place of one, such as one that is copied from a spreadsheet: a line each, whose cells
/// belong to the fields of the item from one of them on. A first line that names fields says whose the columns are. Nothing
/// for what is no table, or where an item has no fields.
pub fn rows_of(text: &str, item: &Field, place: &str, first: usize) -> Option<Vec<String>> {
    let Input::Group(fields) = &item.input else { return None };
    let is_table = text.contains('\t');
    let has_any = |cells: &Vec<Cow<'_, str>>| is_table && cells.iter().any(|cell| !cell.trim().is_empty());
    let mut rows = spreadsheet::rows(text).into_iter().filter(has_any).peekable();
    let named = |cell: &str| {
        let is_named = |name: &str| name.eq_ignore_ascii_case(cell.trim());
        fields.iter().position(|(key, field)| is_named(key) || is_named(&field.label))
    };
    let head: Option<Vec<usize>> = rows.peek()?.iter().map(|cell| named(cell)).collect();
    let columns = head.clone().unwrap_or_else(|| (first..fields.len()).collect());
    let row = |(number, cells): (usize, Vec<Cow<'_, str>>)| {
        // What the item has besides stays in the first one.
        let mut texts = parts(&if number == 0 { place.to_owned() } else { item.text(None) });
        texts.resize(fields.len(), String::new());
        for (at, cell) in columns.iter().zip(cells) {
            if let (Some(text), Some((_, field))) = (texts.get_mut(*at), fields.get(*at)) {
                *text = field.cell(cell.trim());
            }
        }
        joined(&texts)
    };
    let rows: Vec<String> = rows.skip(usize::from(head.is_some())).enumerate().map(row).collect();
    Some(rows).filter(|rows| !rows.is_empty())
}

impl Field {
    /// The text of a cell in this field.
    fn cell(&self, cell: &str) -> String {
        match &self.input {
            Input::Boolean => {
                ["true", "yes", "1", "x"].iter().any(|yes| yes.eq_ignore_ascii_case(cell)).to_string()
            }
            Input::Choice(values) => {
                let is_it = |value: &&Value| {
                    value.as_str().map_or_else(|| json::text(value) == cell, |text| text == cell)
                };
                values.iter().find(is_it).map_or_else(|| cell.to_owned(), json::text)
            }
            _ => cell.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_of_several_lines_is_an_item_a_line() {
        let items = |text: &str| items_of(text).unwrap_or_default();
        assert_eq!(items(" bees\r\n\n  honey \n"), ["bees", "honey"]);
        assert_eq!(items("bees\n"), ["bees"]);
        assert_eq!(items("\"two\nlines\"\r\nBob\tOslo"), ["two\nlines", "Bob\tOslo"]);
        assert_eq!([items_of("bees"), items_of(" \n\r\n"), items_of("")], [None, None, None]);
    }

    #[test]
    fn a_table_is_an_item_a_line() {
        let schema = json!({ "type": "object", "properties": {
            "name": { "type": "string" }, "age": { "type": "integer", "title": "Years" }, "comes": { "type": "boolean" }, "size": { "enum": ["S", "L"] } }, "required": ["comes", "size"] });
        let item = Field::of(&schema, "Item", true, 0);
        let rows = |text: &str, first: usize| {
            let rows = rows_of(text, &item, &item.text(None), first).unwrap_or_default();
            rows.iter().map(|row| parts(row).join(",")).collect::<Vec<_>>()
        };
        assert_eq!(rows("Ann\t3\tyes\tL\r\nBo\t4\t\n\n", 0), ["Ann,3,true,\"L\"", "Bo,4,false,\"S\""]);
        assert_eq!(rows("\"Ann\nLee\"\t3", 0), ["Ann\nLee,3,false,\"S\""]);
        assert_eq!(rows("5\tx", 1), [",5,true,\"S\""]);
        // The names of fields say whose the columns are, wherever they are pasted.
        assert_eq!(rows("years\tName\n3\tAnn", 2), ["Ann,3,false,\"S\""]);
        assert_eq!(rows("name\tyears", 0), [""; 0]);
        assert_eq!(rows("Ann\nBo", 0), [""; 0]);
        // What an item has besides stays.
        let place = joined(&["Ann", "1", "true", "\"L\""].map(str::to_owned));
        let kept = rows_of("2\tno", &item, &place, 1).unwrap_or_default();
        assert_eq!(kept.iter().map(|row| parts(row).join(",")).collect::<Vec<_>>(), ["Ann,2,false,\"L\""]);
    }
}
