//! Names that nothing has yet.

/// `base`, or `base_2`, `base_3`, …: the first that is not taken. Underscores keep it usable in expressions.
pub fn free(base: &str, is_taken: &dyn Fn(&str) -> bool) -> String {
    let numbered = (2_usize..).map(|number| format!("{base}_{number}"));
    std::iter::once(base.to_owned()).chain(numbered).find(|name| !is_taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_is_not_taken_is_free() {
        let of = |taken: &[&str]| free("key", &|name| taken.contains(&name));
        assert_eq!(of(&[]), "key");
        assert_eq!(of(&["key_2"]), "key");
        assert_eq!(of(&["key", "key_2", "key_4"]), "key_3");
    }
}
