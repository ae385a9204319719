//! The table of events as data, against which the package's events are tested.

use serde_json::{Value, json};
use stepweave_core::events::{Audience, COMMON, EVENTS, EventField, FieldKind, Presence};

pub(crate) fn table() -> Result<String, serde_json::Error> {
    let rows = serde_json::to_string_pretty(&rows())?;
    Ok(format!(
        "// Made by `cargo xtask schema` from core/src/events.rs: edit that.\n\n/** Every event, with all of its fields. */\nexport const EVENTS = {rows};\n"
    ))
}

fn rows() -> Value {
    let events = EVENTS.iter().map(|event| {
        let fields = COMMON.iter().chain(event.fields).map(field).collect::<Value>();
        json!({ "name": event.name, "public": event.audience == Audience::Public, "fields": fields })
    });
    events.collect()
}

fn field(field: &EventField) -> Value {
    json!({
        "key": field.key,
        "kind": kind(field.kind),
        "always": field.presence == Presence::Always,
        "public": field.audience == Audience::Public,
    })
}

fn kind(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Text => "text",
        FieldKind::Count => "count",
        FieldKind::Milliseconds => "milliseconds",
        FieldKind::True => "true",
        FieldKind::Any => "any",
        FieldKind::Step => "step",
        FieldKind::Error => "error",
        FieldKind::Usage => "usage",
        FieldKind::WarningCode => "warning code",
        FieldKind::ToolDecisions => "tool decisions",
        FieldKind::Sources => "sources",
        FieldKind::Files => "files",
        FieldKind::Result(_) => "result",
    }
}
