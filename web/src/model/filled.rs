//! Templates of files, with marks where something is written in.

/// The template with a value in the place of each mark. A value is never looked through for marks: it is data.
pub fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    let next = |rest: &str| {
        let found = values.iter().filter_map(|(mark, value)| Some((rest.find(mark)?, *mark, *value)));
        found.min_by_key(|(at, mark, _)| (*at, std::cmp::Reverse(mark.len())))
    };
    while let Some((_, mark, value)) = next(rest) {
        let (head, tail) = rest.split_once(mark).unwrap_or((rest, ""));
        text.extend([head, value]);
        rest = tail;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn each_mark_is_filled_wherever_it_stands_and_values_are_data() {
        assert_eq!(filled("<a> <b> <a>.", &[("<a>", "<b>"), ("<b>", "1")]), "<b> 1 <b>.");
        assert_eq!(filled("none", &[("<a>", "x")]), "none");
    }
}
