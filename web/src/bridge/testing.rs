//! Tests of a workflow, which run in a worker of their own.

use js_sys::Promise;
use serde::{Deserialize, Serialize};
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::{Bridge, RunOptions, awaited};

#[wasm_bindgen]
extern "C" {
    /// Tests under way.
    #[derive(Clone)]
    pub type TestRun;

    #[wasm_bindgen(method, js_name = test)]
    fn begin_tests(
        this: &Bridge,
        document: &str,
        tests: &str,
        options: &JsValue,
        record: Option<String>,
    ) -> Promise;

    #[wasm_bindgen(method, js_name = next)]
    fn next_of_tests(this: &TestRun) -> Promise;

    /// Stops them.
    #[wasm_bindgen(method)]
    pub fn stop(this: &TestRun);
}

/// What comes of tests.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Tested {
    /// One of them has ended.
    Result(CaseResult),
    /// There is one more, which was made of a run: all of them as JSON.
    Tests(String),
    /// Why they cannot be run, or none can be made.
    Error(String),
}

/// What one test came to.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CaseResult {
    /// What a person can rely on.
    pub name: String,
    /// Whether all of it holds.
    pub passed: bool,
    /// What was asserted.
    pub assertions: Vec<Asserted>,
    /// How long its run took, in milliseconds.
    pub duration_ms: f64,
    /// Its place among the cases.
    pub at: usize,
    /// What is no longer as it was recorded, where that is why it did not pass.
    pub misfit: Option<String>,
}

/// What became of an assertion.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Asserted {
    /// Whether it holds.
    pub passed: bool,
    /// It, and what was found instead.
    pub message: String,
}

impl Bridge {
    /// Runs the tests of a document, or records one; nothing where what does so cannot be loaded. `record` is JSON: what the
    /// test is called, and the journal of the run of which it is made, or its place among the cases where it is made again.
    pub async fn test(
        &self,
        document: &str,
        tests: &str,
        options: &RunOptions,
        record: Option<String>,
    ) -> Option<TestRun> {
        // Texts and lists of texts always have a value.
        let options = options.serialize(&Serializer::json_compatible()).unwrap_or_default();
        let begun = JsFuture::from(self.begin_tests(document, tests, &options, record)).await;
        begun.ok().map(JsCast::unchecked_into)
    }
}

impl TestRun {
    /// The next that comes of them; nothing once they are over.
    pub async fn next(&self) -> Option<Tested> {
        let said = awaited::<Option<String>>(self.next_of_tests()).await.flatten()?;
        Some(serde_json::from_str(&said).unwrap_or_else(|error| Tested::Error(error.to_string())))
    }
}
