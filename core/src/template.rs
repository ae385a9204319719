//! Templates.
/// x
pub fn syntax_problem(_: crate::shape::Role, _: &str) -> Option<String> {
    None
}
