//! A list of flat objects as a table that other programs read.

use indexmap::IndexSet;
use serde_json::{Map, Value};

/// How many tables of an object are offered.
const MOST: usize = 4;

/// How many cells a table has at most. One whose rows have keys each of its own has their square.
const MOST_CELLS: usize = 4_000_000;

/// Where in a value lists of flat objects are: the value itself, by no name, or some of its members.
pub fn tables(value: &Value) -> Vec<&str> {
    match value {
        Value::Object(members) => {
            let tables = members.iter().filter(|(_, value)| Table::of(value).is_some());
            tables.map(|(key, _)| key.as_str()).take(MOST).collect()
        }
        value => Table::of(value).map(|_| "").into_iter().collect(),
    }
}

/// The table of that name as RFC 4180 has it; nothing where there is none.
pub fn csv(value: &Value, table: &str) -> Option<String> {
    let Table { rows, columns } = Table::of(if table.is_empty() { value } else { value.get(table)? })?;
    let mut written = line(columns.iter().map(|column| cell(column)));
    for row in rows {
        written.push_str(&line(columns.iter().map(|column| match row.get(*column) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => cell(text),
            Some(value) => value.to_string(),
        })));
    }
    Some(written)
}

/// A list of which every item is an object without lists and objects in it.
struct Table<'v> {
    rows: Vec<&'v Map<String, Value>>,
    columns: IndexSet<&'v str>,
}

impl<'v> Table<'v> {
    fn of(value: &'v Value) -> Option<Self> {
        let is_flat = |row: &&Map<String, Value>| {
            !row.is_empty() && row.values().all(|value| !value.is_array() && !value.is_object())
        };
        let rows: Option<Vec<_>> =
            value.as_array()?.iter().map(|row| row.as_object().filter(is_flat)).collect();
        let rows = rows?;
        let columns: IndexSet<&str> = rows.iter().flat_map(|row| row.keys()).map(String::as_str).collect();
        let cells = rows.len().saturating_mul(columns.len());
        (1..=MOST_CELLS).contains(&cells).then_some(Self { rows, columns })
    }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(",") + "\r\n"
}

/// A text as a cell. What begins as a formula does is none: a table may come from strangers, and spreadsheets calculate.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{guard}{}\"", text.replace('"', "\"\"")),
        false => format!("{guard}{text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_of_flat_objects_is_a_table() {
        let list = json!([{ "name": "Ada, \"A\"", "n": 1.5 }, { "n": null, "ok": true, "name": "=1+1" }]);
        let expected = "name,n,ok\r\n\"Ada, \"\"A\"\"\",1.5,\r\n'=1+1,,true\r\n";
        assert_eq!(tables(&list), [""]);
        assert_eq!(csv(&list, "").as_deref(), Some(expected));
        let state =
            json!({ "topic": "bees", "rows": list, "none": [], "deep": [{ "a": [1] }], "texts": ["a"] });
        assert_eq!(tables(&state), ["rows"]);
        assert_eq!(csv(&state, "rows").as_deref(), Some(expected));
        assert_eq!(csv(&state, "deep"), None);
        assert!(tables(&json!("a")).is_empty() && tables(&json!([1])).is_empty());
    }
    #[test]
    fn a_list_whose_rows_have_nothing_in_common_is_no_table_of_their_square() {
        let of = |rows: usize| {
            let row = |index: usize| Value::Object(Map::from_iter([(format!("k{index}"), json!(1))]));
            Value::Array((0..rows).map(row).collect())
        };
        assert_eq!(tables(&of(2000)), [""]);
        assert!(tables(&of(2001)).is_empty());
        assert_eq!(csv(&of(2001), ""), None);
    }
}
