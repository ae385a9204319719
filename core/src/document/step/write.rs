//! How a step is written.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::super::{OnConflict, OnUnknown};
use super::{DEFAULT_ITEM, OnItemError, OnMax, Step, StepKind};

impl Serialize for Step {
    /// Keys stand in the order in which a person reads a step: what it is, then what it does, then the rest.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("type", self.kind.word())?;
        map.serialize_entry("name", &self.name)?;
        self.kind.serialize_into::<S>(&mut map)?;
        if !self.required {
            map.serialize_entry("required", &false)?;
        }
        if !self.enabled {
            map.serialize_entry("enabled", &false)?;
        }
        if let Some(on_error) = &self.on_error {
            map.serialize_entry("onError", on_error)?;
        }
        if let Some(retry_count) = &self.retry_count {
            map.serialize_entry("retryCount", retry_count)?;
        }
        if let Some(timeout_ms) = &self.timeout_ms {
            map.serialize_entry("timeoutMs", timeout_ms)?;
        }
        if let Some(input) = &self.input {
            map.serialize_entry("input", input)?;
        }
        if let Some(output) = &self.output {
            map.serialize_entry("output", output)?;
        }
        if self.coerce {
            map.serialize_entry("coerce", &true)?;
        }
        if let Some(notes) = &self.notes {
            map.serialize_entry("notes", notes)?;
        }
        for (key, value) in &self.extensions {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl StepKind {
    /// Writes the keys that only this kind has.
    fn serialize_into<S: Serializer>(&self, map: &mut S::SerializeMap) -> Result<(), S::Error> {
        match self {
            Self::Agent(call) => {
                map.serialize_entry("agent", &call.agent)?;
                if let Some(input_from) = &call.input_from {
                    map.serialize_entry("inputFrom", input_from)?;
                }
                if let Some(files) = &call.files {
                    map.serialize_entry("files", files)?;
                }
                if let Some(history) = &call.history {
                    map.serialize_entry("history", history)?;
                }
                if call.full_response {
                    map.serialize_entry("fullResponse", &true)?;
                }
            }
            Self::Function(run) => map.serialize_entry("run", run)?,
            Self::Http(call) => {
                map.serialize_entry("http", &call.http)?;
                if call.on_unknown != OnUnknown::default() {
                    map.serialize_entry("onUnknown", &call.on_unknown)?;
                }
            }
            Self::Condition(branch) => {
                map.serialize_entry("condition", &branch.condition)?;
                map.serialize_entry("steps", &branch.steps)?;
                if !branch.otherwise.is_empty() {
                    map.serialize_entry("else", &branch.otherwise)?;
                }
            }
            Self::Switch(switch) => {
                map.serialize_entry("cases", &switch.cases)?;
                map.serialize_entry("default", &switch.default)?;
            }
            Self::Parallel(fork) => {
                map.serialize_entry("parallel", &fork.members)?;
                if let Some(concurrency) = fork.concurrency {
                    map.serialize_entry("concurrency", &concurrency)?;
                }
                if fork.on_conflict != OnConflict::default() {
                    map.serialize_entry("onConflict", &fork.on_conflict)?;
                }
            }
            Self::Sequence(steps) => map.serialize_entry("steps", steps)?,
            Self::Foreach(foreach) => {
                map.serialize_entry("items", &foreach.items)?;
                if foreach.item != DEFAULT_ITEM {
                    map.serialize_entry("as", &foreach.item)?;
                }
                map.serialize_entry("steps", &foreach.steps)?;
                if let Some(result) = &foreach.result {
                    map.serialize_entry("result", result)?;
                }
                if foreach.concurrency != 1 {
                    map.serialize_entry("concurrency", &foreach.concurrency)?;
                }
                if foreach.on_item_error != OnItemError::default() {
                    map.serialize_entry("onItemError", &foreach.on_item_error)?;
                }
            }
            Self::Loop(repeated) => {
                map.serialize_entry("repeat", &repeated.repeat)?;
                map.serialize_entry("maxIterations", &repeated.max_iterations)?;
                if repeated.on_max != OnMax::default() {
                    map.serialize_entry("onMax", &repeated.on_max)?;
                }
                map.serialize_entry("steps", &repeated.steps)?;
            }
            Self::Workflow(inner) => inner.serialize_into::<S>(map)?,
            Self::Wait(wait) => map.serialize_entry("wait", wait)?,
            Self::End(exit) => map.serialize_entry("end", exit)?,
            Self::Approval(approval) => {
                if let Some(message) = &approval.message {
                    map.serialize_entry("message", message)?;
                }
                if let Some(schema) = &approval.schema {
                    map.serialize_entry("schema", schema)?;
                }
                if let Some(approved) = &approval.approved {
                    map.serialize_entry("approved", approved)?;
                }
                if let Some(steps) = &approval.steps {
                    map.serialize_entry("steps", steps)?;
                }
                if let Some(steps) = &approval.otherwise {
                    map.serialize_entry("else", steps)?;
                }
                if let Some(milliseconds) = &approval.expires_ms {
                    map.serialize_entry("expiresMs", milliseconds)?;
                }
                if let Some(steps) = &approval.expired {
                    map.serialize_entry("expired", steps)?;
                }
            }
        }
        Ok(())
    }
}
