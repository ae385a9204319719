//! A text that was copied from a spreadsheet: a line for each row, with tabs between its cells. A cell that has a line break, a
//! tab or a quotation mark stands in quotation marks there, and each of its own is doubled.

use std::borrow::Cow;

/// The rows of a text, each with its cells. Any other text is a row a line.
pub fn rows(text: &str) -> Vec<Vec<Cow<'_, str>>> {
    let (mut rows, mut row, mut rest) = (Vec::new(), Vec::new(), text);
    loop {
        let (cell, behind) = quoted(rest).unwrap_or_else(|| plain(rest));
        row.push(cell);
        let mut left = behind.chars();
        match left.next() {
            Some('\t') => {}
            Some(_) => rows.push(std::mem::take(&mut row)),
            None => {
                rows.push(row);
                return rows;
            }
        }
        rest = left.as_str();
    }
}

/// A cell up to the next tab or line break.
fn plain(text: &str) -> (Cow<'_, str>, &str) {
    let end = text.find(['\t', '\n', '\r']).unwrap_or(text.len());
    let (cell, behind) = text.split_at_checked(end).unwrap_or((text, ""));
    (Cow::Borrowed(cell), behind)
}

/// A cell in quotation marks. Where nothing in it needs them they are its own.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut cell = String::new();
    let mut rest = text.strip_prefix('"')?;
    loop {
        let (inside, behind) = rest.split_once('"')?;
        cell.push_str(inside);
        if let Some(more) = behind.strip_prefix('"') {
            cell.push('"');
            rest = more;
            continue;
        }
        let ends = behind.is_empty() || behind.starts_with(['\t', '\n', '\r']);
        return (ends && cell.contains(['\t', '\n', '\r', '"'])).then_some((Cow::Owned(cell), behind));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_in_quotation_marks_has_lines_tabs_and_quotation_marks() {
        let all = rows("Ann\tOslo\t\"two\r\nlines\"\r\n\"a\tb\"\t\"say \"\"hi\"\"\"\n\nBob");
        assert_eq!(
            all,
            [
                vec!["Ann", "Oslo", "two\r\nlines"],
                vec![""],
                vec!["a\tb", "say \"hi\""],
                vec![""],
                vec!["Bob"]
            ]
        );
    }

    #[test]
    fn quotation_marks_of_other_texts_are_theirs() {
        for text in ["\"Alpha\"", "\"Alpha", "\"Go,\" she said", "5\" disks", "\"\"", ""] {
            assert_eq!(rows(text), [[text]]);
        }
        assert_eq!(rows("\"Alpha\n\"Beta\""), [["\"Alpha"], ["\"Beta\""]]);
        assert_eq!(rows("a\t"), [["a", ""]]);
    }
}
