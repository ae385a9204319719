//! The keys in memory: which one a name stands for, and what a field of one leaves there.

use indexmap::IndexMap;

use super::state::Key;

/// The key of this name, if it may go to this origin.
pub fn held<'a>(keys: &'a IndexMap<String, Key>, name: &str, origin: &str) -> Option<&'a Key> {
    keys.get(name).filter(|key| key.origins.iter().any(|one| one == origin))
}

/// Takes a key into memory. One that is there already goes to one more place, and another one takes its place.
pub fn enter(keys: &mut IndexMap<String, Key>, name: &str, value: &str, origin: &str) {
    let origins = origins_of(keys, name, value, origin);
    keys.insert(name.to_owned(), Key { value: value.to_owned(), origins });
}

/// Where the value of this name goes once it is entered for this origin.
pub fn origins_of(keys: &IndexMap<String, Key>, name: &str, value: &str, origin: &str) -> Vec<String> {
    let known = keys.get(name).filter(|key| key.value == value);
    let mut origins = known.map(|key| key.origins.clone()).unwrap_or_default();
    if !origins.iter().any(|one| one == origin) {
        origins.push(origin.to_owned());
    }
    origins
}

/// A field of a key as it stands when its form is saved.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// What the document calls the key.
    pub name: &'a str,
    /// What stands in the field.
    pub value: &'a str,
    /// The key that the page had put into it; empty when it had none to show.
    pub shown: &'a str,
}

impl Field<'_> {
    /// Whether the person has taken out the key that they saw. A field that was empty anyway says nothing of a key.
    pub fn is_emptied(&self) -> bool {
        self.value.is_empty() && !self.shown.is_empty()
    }

    /// What it leaves in memory, for a model at this origin.
    pub fn save(&self, keys: &mut IndexMap<String, Key>, origin: &str) {
        if self.is_emptied() {
            keys.shift_remove(self.name);
        } else if !self.name.is_empty() && !self.value.is_empty() {
            enter(keys, self.name, self.value, origin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: &str = "https://a.test";
    const B: &str = "https://b.test";

    fn memory(origins: &[&str]) -> IndexMap<String, Key> {
        let origins = origins.iter().map(|&one| one.to_owned()).collect();
        IndexMap::from([("KEY".to_owned(), Key { value: "one".to_owned(), origins })])
    }

    fn saved(mut keys: IndexMap<String, Key>, [name, value, shown]: [&str; 3], origin: &str) -> String {
        Field { name, value, shown }.save(&mut keys, origin);
        let line = |(name, key): (&String, &Key)| format!("{name}={} {}", key.value, key.origins.join(" "));
        keys.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_field_that_nobody_emptied_removes_no_key() {
        let kept = "KEY=one https://a.test";
        // The key is of another place, or was locked when the dialog opened.
        assert_eq!(saved(memory(&[A]), ["KEY", "", ""], B), kept);
        assert_eq!(saved(memory(&[A]), ["KEY", "", ""], A), kept);
        assert_eq!(saved(memory(&[A]), ["", "", ""], A), kept);
        assert_eq!(saved(memory(&[A]), ["KEY", "one", "one"], A), kept);
        assert_eq!(saved(memory(&[A, B]), ["KEY", "one", "one"], A), "KEY=one https://a.test https://b.test");
        assert_eq!(saved(memory(&[A]), ["KEY", "", "one"], A), "");
    }

    #[test]
    fn the_same_key_goes_to_one_more_place_and_another_one_to_its_own_alone() {
        assert_eq!(saved(memory(&[A]), ["KEY", "one", ""], B), "KEY=one https://a.test https://b.test");
        assert_eq!(saved(memory(&[A]), ["KEY", "two", ""], B), "KEY=two https://b.test");
        assert_eq!(
            saved(memory(&[A]), ["NEW", "two", ""], B),
            "KEY=one https://a.test; NEW=two https://b.test"
        );
    }

    #[test]
    fn a_key_is_held_for_its_own_places() {
        assert!(held(&memory(&[A]), "KEY", A).is_some());
        assert!(held(&memory(&[A]), "KEY", B).is_none());
        assert!(held(&memory(&[A]), "OTHER", A).is_none());
    }
}
