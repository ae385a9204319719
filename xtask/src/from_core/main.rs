//! Prints, as JSON, the files that are made from what the core says, by their paths in the repository.

use serde_json::{Value, json};

mod document_types;
mod events_page;
mod events_table;
mod events_types;

fn main() -> Result<(), serde_json::Error> {
    let files: Value = json!({
        "pkg/schema/workflow.schema.json": pretty(&stepweave_core::schema::json_schema())?,
        "pkg/ts/api/events.ts": events_types::events(),
        "pkg/ts/api/step-events.ts": events_types::step_events(),
        "pkg/ts/api/public-fields.ts": events_types::public_fields(),
        "pkg/ts/api/event-types.ts": events_types::names(),
        "pkg/test/document.test-d.ts": document_types::test(),
        "docs/events.md": events_page::page(),
        "tests/runtimes/events.mjs": events_table::table()?,
    });
    println!("{files}");
    Ok(())
}

fn pretty(value: &Value) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
