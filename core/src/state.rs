//! What holds for every state, whatever the host keeps it in.

/// Keys that would reach into a JavaScript object's prototype; no state has them.
pub const FORBIDDEN_KEYS: [&str; 3] = [PROTOTYPE, "constructor", "prototype"];

/// The key by which JavaScript objects have their prototype: assigning to it changes what the object is.
pub const PROTOTYPE: &str = "__proto__";

/// The key under which an agent step of this name leaves its answer.
pub fn output_key(step_name: &str) -> String {
    format!("{step_name}{OUTPUT_SUFFIX}")
}

/// The name of the step that leaves its answer under this key, if it is such a key.
pub fn step_of_output_key(key: &str) -> Option<&str> {
    key.strip_suffix(OUTPUT_SUFFIX)
}

const OUTPUT_SUFFIX: &str = "_output";
