//! Prints the JSON Schema of workflow documents, as the core says it.

fn main() -> Result<(), serde_json::Error> {
    println!("{}", serde_json::to_string_pretty(&stepweave_core::schema::json_schema())?);
    Ok(())
}
