//! Strings of a document, escaped for an address.

pub(super) use crate::language::encoded;

/// A name with its kinds before it, such as `tunedModels/mine`, as a path that cannot lead out of where it begins.
pub(super) fn encoded_path(name: &str) -> String {
    if name.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
        return encoded(name);
    }
    name.split('/').map(encoded).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_as_they_are_and_nothing_leads_elsewhere() {
        for name in ["gemini-3.5-flash", "tunedModels/mine", "publishers/google/models/gemini-2.5_pro~1"] {
            assert_eq!(encoded_path(name), name);
        }
        for (name, path) in [
            ("../../x?y=", "..%2F..%2Fx%3Fy%3D"),
            ("models/..", "models%2F.."),
            ("a//b", "a%2F%2Fb"),
            ("a/%2e%2e/b", "a/%252e%252e/b"),
            ("a\\..\\b#c", "a%5C..%5Cb%23c"),
            ("x:delete", "x%3Adelete"),
        ] {
            assert_eq!(encoded_path(name), path);
        }
        assert_eq!(encoded("2025-01-01&a=b c"), "2025-01-01%26a%3Db%20c");
    }
}
