//! Searches and replacements over whole documents.

use serde_json::{Value, json};
use stepweave_core::document::Document;
use stepweave_core::edit::apply;
use stepweave_core::json;

use super::*;

fn document() -> Document {
    serde_json::from_value(json!({ "version": 1, "name": "Bees", "notes": "about bees",
        "initialState": { "topic": ["bees", 3] },
        "models": { "bees": { "provider": "openai", "model": "bees" } },
        "agents": { "bees": { "model": "bees", "instructions": "Write of BEES and bees." } },
        "steps": [
            { "id": "bees", "type": "agent", "name": "bees", "agent": "bees", "inputFrom": "Bees: {{ bees }}" },
            { "id": "s2", "type": "switch", "name": "way", "cases": [{ "when": "bees == 1", "steps": [
                { "id": "s3", "type": "function", "name": "f", "run": { "code": "return bees;" } }] }], "default": [
                { "id": "s4", "type": "function", "name": "g", "run": { "set": { "x": "bees", "bees": "1" } } },
                { "id": "s5", "type": "http", "name": "h", "http": { "url": "https://bees.example/", "method": "GET" } }] }] }))
    .unwrap()
}

fn wanted(text: &str, case: Case) -> Wanted {
    Wanted { text: text.to_owned(), case }
}

#[test]
fn every_text_is_found_and_no_reference() {
    let texts = texts(&document());
    let found: Vec<_> = matches(&texts, &wanted("bees", Case::Any))
        .iter()
        .map(|found| {
            let text = &texts[found.text];
            let owner = match &text.owner {
                Owner::Workflow => "-",
                Owner::Step(id) | Owner::Agent(id) | Owner::Tool(id) => id,
            };
            format!("{owner} {} {}", text.field, &text.text[found.start..found.end])
        })
        .collect();
    assert_eq!(
        found,
        [
            "- Name Bees",
            "- Initial state, topic, item 1 bees",
            "bees Name bees",
            "bees Instructions BEES",
            "bees Instructions bees",
            "bees Name bees",
            "bees Prompt Bees",
            "bees Prompt bees",
            "s2 Case 1, when bees",
            "s3 Code bees",
            "s4 Set, x bees",
            "s4 Key bees",
            "s5 Address bees",
            "- Notes bees",
        ]
    );
    assert_eq!(matches(&texts, &wanted("bees", Case::Exact)).len(), 11);
    assert_eq!(matches(&texts, &wanted("", Case::Any)), []);
}

#[test]
fn all_are_replaced_at_once_and_come_back_at_once() {
    let mut changed = document();
    let Replaced { edit, followed } = replace_all(&changed, &wanted("bees", Case::Any), "wasps").unwrap();
    let back = apply(&mut changed, edit).unwrap();
    let after = serde_json::to_string(&changed).unwrap();
    assert!(after.contains("Write of wasps and wasps.") && after.contains("wasps: {{ wasps }}"), "{after}");
    let json: Value = serde_json::from_str(&after).unwrap();
    assert_eq!((&json["steps"][0]["id"], &json["steps"][0]["agent"]), (&json!("bees"), &json!("wasps")));
    assert_eq!((&json["agents"]["wasps"]["model"], followed), (&json!("bees"), 1));
    assert_eq!(json["models"]["bees"]["model"], "bees");
    apply(&mut changed, back).unwrap();
    assert_eq!(changed, document());
}

#[test]
fn one_is_replaced_and_the_others_stay() {
    let texts = texts(&document());
    let all = matches(&texts, &wanted("bees", Case::Any));
    let mut changed = document();
    let one = all.iter().copied().filter(|one| texts[one.text].field == "Instructions").nth(1).unwrap();
    let edit = replace_one(&changed, &texts, one, "").unwrap().edit;
    apply(&mut changed, edit).unwrap();
    assert_eq!(changed.agents["bees"].instructions.as_deref(), Some("Write of BEES and ."));
}

#[test]
fn what_reads_a_step_follows_its_new_name() {
    let before: Document = serde_json::from_value(json!({ "version": 1, "name": "market news", "steps": [
        { "id": "s1", "type": "agent", "name": "market", "agent": "a" },
        { "id": "s2", "type": "function", "name": "risks", "run": { "set": { "y": "x" } } },
        { "id": "s3", "type": "agent", "name": "market report", "agent": "a",
          "inputFrom": "Of the market: {{ market_output }} {{ risks_output }}" },
        { "id": "s4", "type": "function", "name": "end",
          "run": { "set": { "z": "state[\"market report_output\"] ~ steps.market.output" } } }] }))
    .unwrap();
    let texts = texts(&before);
    let all = matches(&texts, &wanted("market", Case::Exact));
    let text = |replaced: Result<Replaced, String>| {
        let mut changed = before.clone();
        apply(&mut changed, replaced.unwrap().edit).unwrap();
        let steps = serde_json::to_value(&changed.steps).unwrap();
        [&steps[0]["name"], &steps[2]["name"], &steps[2]["inputFrom"], &steps[3]["run"]["set"]["z"]]
            .map(|it| it.as_str().unwrap_or_default().to_owned())
    };
    let name = all.iter().find(|found| texts[found.text].text == "market").copied().unwrap();
    assert_eq!(
        text(replace_one(&before, &texts, name, "trade fair")),
        [
            "trade fair",
            "market report",
            "Of the market: {{ state[\"trade fair_output\"] }} {{ risks_output }}",
            "state[\"market report_output\"] ~ steps[\"trade fair\"].output",
        ]
    );
    assert_eq!(
        text(replace_all(&before, &wanted("market", Case::Exact), "market study")),
        [
            "market study",
            "market study report",
            "Of the market study: {{ state[\"market study_output\"] }} {{ risks_output }}",
            "state[\"market study report_output\"] ~ steps[\"market study\"].output",
        ]
    );
    for (by, why) in [("risks", "two steps would be called “risks”"), ("", "a step would have no name")] {
        let refused = replace_one(&before, &texts, name, by).unwrap_err();
        assert_eq!(refused, format!("Nothing was replaced, for {why}."));
        assert_eq!(replace_all(&before, &wanted("market", Case::Any), by).unwrap_err(), refused);
    }
}

#[test]
fn keys_are_names_and_what_reads_them_follows_once() {
    let with_keys = |mail: &str| -> Document {
        let described =
            json!({ "type": "object", "properties": { (mail): { "type": "string" } }, "required": [mail] });
        serde_json::from_value(json!({ "version": 1, "name": "r", "input": described, "output": described,
            "initialState": { (mail): "hello" },
            "agents": { "a": { "model": "m", "tools": ["t"] } },
            "tools": { "t": { "description": "d", "input": described,
                "run": { "workflow": { "steps": [
                    { "id": "i", "type": "function", "name": "inner", "run": { "set": { "x": mail } } }],
                    "set": { "mail": mail } } } } },
            "steps": [
                { "id": "s1", "type": "agent", "name": "sort", "agent": "a", "inputFrom": format!("{{{{ {mail} | upper }}}}"),
                    "history": { "key": format!("{mail}_talk") } },
                { "id": "s2", "type": "function", "name": "f", "run": { "set": { (format!("{mail}_kind")): "1" } } },
                { "id": "s3", "type": "function", "name": "g", "run": { "code": format!("return {{ y: state.{mail}_kind }};") } },
                { "id": "s4", "type": "foreach", "name": "each", "items": "[1]", "as": format!("one_{mail}"),
                    "steps": [{ "id": "s5", "type": "workflow", "name": "w", "with": { (mail): format!("one_{mail}") },
                        "steps": [{ "id": "s6", "type": "wait", "name": "until", "wait": { "until": mail } }] }] }] }))
        .unwrap()
    };
    let before = with_keys("mail");
    let found = texts(&before);
    let keys: Vec<_> =
        found.iter().filter(|text| matches!(text.means, Means::Named(Named::Key { .. }))).collect();
    let said: Vec<_> =
        keys.iter().map(|text| format!("{:?} {} {}", text.owner, text.field, text.text)).collect();
    assert_eq!(
        said,
        [
            "Workflow Key of the input mail",
            "Workflow Key of the output mail",
            "Workflow Key of the initial state mail",
            "Tool(\"t\") Key of the input mail",
            "Step(\"i\") Key x",
            "Step(\"s1\") Conversation mail_talk",
            "Step(\"s2\") Key mail_kind",
            "Step(\"s4\") Each item is called one_mail",
            "Step(\"s5\") Key mail",
        ]
    );
    let all = |by: &str| replace_all(&before, &wanted("mail", Case::Any), by);
    for by in ["message", "mailing", "e-mail"] {
        let mut changed = before.clone();
        let back = apply(&mut changed, all(by).unwrap().edit).unwrap();
        let after = json::text(&changed);
        match by {
            // Its tool gives what it gives.
            "message" | "mailing" => assert_eq!(after, json::text(&with_keys(by))),
            _ => assert!(after.contains("{{ state[\\\"e-mail\\\"] | upper }}"), "{after}"),
        }
        apply(&mut changed, back).unwrap();
        assert_eq!(changed, before);
    }
    let one = matches(&found, &wanted("mail", Case::Any)).into_iter().find(|one| one.text == 1).unwrap();
    let mut changed = before.clone();
    apply(&mut changed, replace_one(&before, &found, one, "message").unwrap().edit).unwrap();
    let state = serde_json::to_value(&changed).unwrap();
    assert_eq!(
        (&state["input"]["required"], &state["steps"][0]["inputFrom"]),
        (&json!(["message"]), &json!("{{ message | upper }}"))
    );
    assert_eq!(
        (&state["initialState"], &state["tools"]["t"]["input"]["required"]),
        (&json!({ "message": "hello" }), &json!(["mail"]))
    );
    assert_eq!(all("").unwrap_err(), "Nothing was replaced, for a key would have no name.");
    let taken = replace_all(&before, &wanted("mail_kind", Case::Any), "mail").unwrap_err();
    assert_eq!(taken, "Nothing was replaced, for two keys would be called “mail”.");
    let mut nested = before.clone();
    nested.name = "mail".to_owned();
    nested.steps = serde_json::from_value(
        json!([{ "id": "s1", "type": "wait", "name": "w", "wait": { "until": "mail.mail" } }]),
    )
    .unwrap();
    let lost = replace_all(&nested, &wanted("mail", Case::Any), "a b").unwrap_err();
    assert_eq!(lost, "Nothing was replaced, for what reads “mail” could not be read any more.");
}

#[test]
fn a_key_that_is_called_so_already_and_one_that_a_step_gives_stay() {
    let document: Document = serde_json::from_value(json!({ "version": 1, "name": "t", "initialState": { "mail": "text" },
        "output": { "properties": { "ask_output": {} } },
        "steps": [{ "id": "s1", "type": "agent", "name": "ask", "agent": "a", "inputFrom": "Mail: {{ mail }}" }] }))
    .unwrap();
    let replaced = |text: &str, by: &str| {
        let mut changed = document.clone();
        replace_all(&document, &wanted(text, Case::Any), by).and_then(|replaced| {
            apply(&mut changed, replaced.edit).map_err(|error| error.to_string())?;
            Ok(serde_json::to_value(changed).unwrap())
        })
    };
    let same = replaced("MAIL", "mail").unwrap();
    assert_eq!(
        (&same["initialState"], &same["steps"][0]["inputFrom"]),
        (&json!({ "mail": "text" }), &json!("mail: {{ mail }}"))
    );
    assert_eq!(replaced("ask", "query").unwrap()["output"], json!({ "properties": { "query_output": {} } }));
    let refused = "Nothing was replaced, for “ask_output” has its name from a step or from the language.";
    assert_eq!(replaced("_output", "_answer").unwrap_err(), refused);
}

#[test]
fn agents_and_choices_are_found_and_uses_are_counted() {
    let before: Document = serde_json::from_value(json!({ "version": 1, "name": "t",
        "agents": { "agent_2": { "model": "m", "output": { "type": "object", "properties": {
            "enum": { "type": "string", "enum": ["billing", "other"], "description": "billing or not" } } } } },
        "initialState": { "mail": "" },
        "steps": [
            { "id": "s1", "type": "agent", "name": "one", "agent": "agent_2", "inputFrom": "{{ mail }}" },
            { "id": "s2", "type": "agent", "name": "two", "agent": "agent_2", "inputFrom": "{{ mail }}" }] }))
    .unwrap();
    let all = |text: &str, by: &str| {
        let mut changed = before.clone();
        let Replaced { edit, followed } = replace_all(&before, &wanted(text, Case::Any), by).unwrap();
        apply(&mut changed, edit).unwrap();
        (serde_json::to_value(changed).unwrap(), followed)
    };
    let (changed, followed) = all("agent_2", "triage");
    assert_eq!((&changed["steps"][1]["agent"], followed), (&json!("triage"), 2));
    let (changed, followed) = all("billing", "money");
    let choice = &changed["agents"]["agent_2"]["output"]["properties"]["enum"];
    assert_eq!(
        *choice,
        json!({ "type": "string", "enum": ["money", "other"], "description": "money or not" })
    );
    assert_eq!(followed, 0);
    let texts = texts(&before);
    let found = matches(&texts, &wanted("mail", Case::Any));
    let Replaced { followed, .. } = replace_one(&before, &texts, found[0], "letter").unwrap();
    assert_eq!((texts[found[0].text].text.as_str(), followed), ("mail", 2));
}

#[test]
fn tools_are_found_by_their_names_and_descriptions_and_who_has_them_follows() {
    let before: Document = serde_json::from_value(json!({ "version": 1, "name": "t",
        "models": { "m": { "provider": "demo", "model": "demo" } },
        "tools": { "find_order": { "description": "Finds an order." }, "other": {} },
        "agents": { "a": { "model": "m", "tools": ["find_order", "other"] } },
        "steps": [{ "id": "s1", "type": "agent", "name": "ask", "agent": "a", "inputFrom": "Hi" }] }))
    .unwrap();
    let texts = texts(&before);
    let found = matches(&texts, &wanted("order", Case::Any));
    let said: Vec<_> =
        found.iter().map(|one| (&texts[one.text].owner, texts[one.text].field.as_str())).collect();
    let owner = Owner::Tool("find_order".to_owned());
    assert_eq!(said, [(&owner, "Name"), (&owner, "What it does")]);
    let changed = |edit| {
        let mut changed = before.clone();
        apply(&mut changed, edit).unwrap();
        serde_json::to_value(changed).unwrap()
    };
    let all = changed(replace_all(&before, &wanted("order", Case::Any), "parcel").unwrap().edit);
    assert_eq!(all["tools"]["find_parcel"]["description"], "Finds an parcel.");
    assert_eq!(all["agents"]["a"]["tools"], json!(["find_parcel", "other"]));
    let one = changed(replace_one(&before, &texts, found[0], "bill").unwrap().edit);
    assert_eq!(one["tools"]["find_bill"]["description"], "Finds an order.");
    assert_eq!(one["agents"]["a"]["tools"], json!(["find_bill", "other"]));
    let taken = replace_all(&before, &wanted("find_order", Case::Exact), "other").unwrap_err();
    assert_eq!(taken, "Nothing was replaced, for two tools would be called “other”.");
}

#[test]
fn letters_of_other_scripts_are_found_whole() {
    let text = |text: &str| {
        let mut document = document();
        document.name = text.to_owned();
        texts(&document)
    };
    let at = |name: &str, wanted_text: &str| {
        let texts = text(name);
        let found = matches(&texts, &wanted(wanted_text, Case::Any));
        // The first text is the name.
        let found = found.iter().filter(|found| found.text == 0);
        found.map(|found| (found.start, found.end)).collect::<Vec<_>>()
    };
    assert_eq!(at("ÄÖÜ über", "ü"), [(4, 6), (7, 9)]);
    assert_eq!(at("aaaa", "aa"), [(0, 2), (2, 4)]);
    assert_eq!(at("😀x😀", "x😀"), [(4, 9)]);
    // A capital that becomes two letters is found by both, and never cut in two.
    assert_eq!(at("İs", "i̇s"), [(0, 3)]);
    assert_eq!(at("İs", "i"), []);
}
