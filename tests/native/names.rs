//! Names that a document's templates and expressions read, and what the validator says of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::fs;
use std::rc::Rc;

use serde_json::{Value, json};
use stepweave_core::grammar::MAX_FUEL;
use stepweave_core::language::{Expression, Fault, FaultKind, Scope, Value as Read};
use stepweave_core::problem::Problem;
use stepweave_core::validate::validate;
use stepweave_tests::drive::INTRINSICS;
use stepweave_tests::view::view;

/// What is said of the names in a document with these steps: path, kind, message and hint.
fn said(rest: Value, steps: Value) -> Vec<String> {
    let mut document = json!({
        "version": 1, "name": "test", "steps": steps,
        "models": { "m": { "provider": "demo", "model": "m" } }, "agents": { "a": { "model": "m" } },
    });
    document.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    let problems = validate(&document.to_string()).problems;
    let about =
        problems.iter().filter(|problem| !matches!(problem.code, "not_an_identifier" | "duplicate_name"));
    about
        .map(|problem| format!("{} {}: {}; {}", problem.path, problem.code, problem.message, problem.hint))
        .collect()
}

fn set(id: &str, key: &str, expression: &str) -> Value {
    json!({ "id": id, "type": "function", "name": id, "run": { "set": { key: expression } } })
}

fn ask(id: &str, name: &str, template: &str) -> Value {
    json!({ "id": id, "type": "agent", "name": name, "agent": "a", "inputFrom": template })
}

fn handler(id: &str) -> Value {
    json!({ "id": id, "type": "function", "name": id, "run": { "handler": "h" } })
}

fn branch(condition: &str, steps: Value, otherwise: Value) -> Value {
    json!({ "id": "c", "type": "condition", "name": "maybe", "condition": condition, "steps": steps, "else": otherwise })
}

fn topic() -> Value {
    json!({ "initialState": { "topic": "tea", "ok": true, "xs": [1] } })
}

#[test]
fn an_unknown_name_is_reported_with_what_was_meant() {
    assert_eq!(
        said(topic(), json!([ask("s1", "ask", "About {{ topik }}")])),
        ["steps[0].inputFrom unknown_name: nothing gives `topik` before this; did you mean `topic`?"]
    );
    let input =
        json!({ "input": { "type": "object", "properties": { "größe": {} }, "required": ["größe"] } });
    assert_eq!(
        said(input, json!([set("s1", "x", "größe + other")])),
        [
            "steps[0].run.set.x unknown_name: nothing gives `other` before this; there is `größe`; give it in `initialState` or `input`, or write `other | default('')`"
        ]
    );
    assert_eq!(
        said(json!({}), json!([ask("s1", "draft", "x"), set("s2", "x", "drafd_output")])),
        [
            "steps[1].run.set.x unknown_name: nothing gives `drafd_output` before this; did you mean `draft_output`?"
        ]
    );
}

#[test]
fn what_only_later_steps_give_is_not_there_yet() {
    assert_eq!(
        said(topic(), json!([set("s1", "x", "draft_output"), ask("s2", "draft", "x")])),
        [
            "steps[0].run.set.x unknown_name: `draft_output` is not there yet: only later steps or other ways give it; give it in `initialState` or `input`, or write `draft_output | default('')`"
        ]
    );
    assert_eq!(
        said(
            topic(),
            json!([
                set("s1", "x", "steps.draft.output"),
                ask("s2", "draft", "x"),
                set("s3", "y", "steps.drafd.output")
            ])
        ),
        [
            "steps[0].run.set.x unknown_step: the step `draft` has not run yet where its output is read; move it up, or write `steps.draft.output | default('')`",
            "steps[2].run.set.y unknown_step: there is no step `drafd`; did you mean `draft`?",
        ]
    );
}

#[test]
fn what_may_be_left_out_is_uncertain() {
    let read = set("s9", "y", "review_output");
    let review = ask("s1", "review", "x");
    let uncertain = "steps[1].run.set.y uncertain_name: `review_output` is not there in every run: what gives it may be left out; write `review_output | default('')`, or test it with `is defined`";
    assert_eq!(said(topic(), json!([branch("ok", json!([review]), json!([])), read])), [uncertain]);
    let optional = json!({ "id": "s1", "type": "agent", "name": "review", "agent": "a", "required": false });
    assert_eq!(said(topic(), json!([optional, read])), [uncertain]);
    let repeated = json!({ "id": "l", "type": "loop", "name": "l", "repeat": { "while": "ok" }, "maxIterations": 3, "steps": [review] });
    assert_eq!(said(topic(), json!([repeated, read])), [uncertain]);
    let optional_key = json!({ "input": { "type": "object", "properties": { "review_output": {} } } });
    assert_eq!(said(optional_key, json!([set("s0", "a", "1"), read])), [uncertain]);
}

#[test]
fn one_fix_ends_all_uncertain_names_of_a_text() {
    let answers = [branch("ok", json!([ask("s1", "yes", "x")]), json!([ask("s2", "no", "x")]))];
    let text = "{{ yes_output }}{{ no_output }}{{ steps.yes.output }}{{ yes_output | upper }}{{ topic }}";
    let document = json!({
        "version": 1, "name": "test", "initialState": { "topic": "tea", "ok": true },
        "models": { "m": { "provider": "demo", "model": "m" } }, "agents": { "a": { "model": "m" } },
        "steps": [answers[0], ask("s3", "join", text)],
    });
    let found = validate(&document.to_string()).problems;
    assert_eq!(found.len(), 3, "{found:?}");
    for problem in found {
        let fix = problem.fix.unwrap();
        assert_eq!(fix.label, "write `| default('')` behind each");
        assert_eq!(
            fix.text,
            "{{ yes_output | default('') }}{{ no_output | default('') }}{{ steps.yes.output | default('') }}{{ yes_output | default('') | upper }}{{ topic }}"
        );
    }
}

#[test]
fn the_items_of_a_foreach_are_mended_by_a_list() {
    let each =
        |items: &str| json!({ "id": "s2", "type": "foreach", "name": "each", "items": items, "steps": [] });
    let fix_of = |rest: Value, steps: Value| {
        let document = json!({ "version": 1, "name": "test", "steps": steps, "initialState": rest,
            "models": { "m": { "provider": "demo", "model": "m" } }, "agents": { "a": { "model": "m" } } });
        let problems = validate(&document.to_string()).problems;
        let problem = problems.into_iter().find(|problem| problem.path == "steps[1].items").unwrap();
        (problem.hint, problem.fix.unwrap().text)
    };
    // The step was called `http` before; what it gives now is the only answer that there is.
    assert_eq!(
        fix_of(json!({ "topic": "tea" }), json!([ask("s1", "products", "Hi."), each("http_output | first")])),
        ("did you mean `products_output`?".to_owned(), "products_output | first".to_owned())
    );
    assert_eq!(
        fix_of(json!({ "topic": "tea" }), json!([set("s1", "x", "1"), each("http_output")])),
        (
            "there is `topic` and `x`; give it in `initialState` or `input`, or write `http_output | default([])`".to_owned(),
            "http_output | default([])".to_owned()
        )
    );
    let left_out = branch("ok", json!([set("s3", "xs", "[1]")]), json!([]));
    let (hint, text) = fix_of(json!({ "ok": true }), json!([left_out, each("xs")]));
    assert_eq!(text, "xs | default([])");
    assert!(hint.starts_with("write `xs | default([])`"), "{hint}");
}

#[test]
fn a_chain_of_names_is_mended_at_its_end() {
    let way = |name: &str| {
        let step = ask(name, name, "x");
        json!({ "id": format!("if_{name}"), "type": "condition", "name": format!("if_{name}"), "condition": "ok", "steps": [step] })
    };
    for text in [
        "a_output | default(b_output) | default(c_output)",
        "a_output | default(b_output | default(c_output))",
        "topic ~ a_output | default(steps.b.output)",
        "(a_output if a_output is defined else b_output) | default(c_output)",
    ] {
        let mended = format!("{text} | default('')");
        let mut document = json!({
            "version": 1, "name": "test", "initialState": { "topic": "tea", "ok": true },
            "models": { "m": { "provider": "demo", "model": "m" } }, "agents": { "a": { "model": "m" } },
            "steps": [way("a"), way("b"), way("c"), set("s9", "y", text)],
        });
        let found = validate(&document.to_string()).problems;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].fix.as_ref().map(|fix| &*fix.text), Some(&*mended));
        document["steps"][3]["run"]["set"]["y"] = json!(mended);
        assert_eq!(validate(&document.to_string()).problems, []);
    }
}

/// What is said of an expression over a state in which only `has_g` is there for sure.
fn said_of(text: &str) -> Vec<Problem> {
    let properties = json!({ "a": {}, "b": {}, "c": {}, "d": {}, "g": {}, "has_g": { "type": "boolean" } });
    let input = json!({ "type": "object", "properties": properties, "required": ["has_g"] });
    let document = json!({ "version": 1, "name": "test", "input": input, "steps": [set("s1", "x", text)] });
    validate(&document.to_string()).problems
}

/// States in which each of some names is absent, empty, or there; `g` is there where `has_g` says so.
fn states_of() -> Vec<Rc<Value>> {
    let values = [None, Some(""), Some("there")];
    let mut states = vec![json!({ "has_g": false }), json!({ "has_g": true, "g": "there" })];
    for name in ["a", "b", "c", "d"] {
        let with = |state: &Value, value: Option<&str>| {
            let mut state = state.clone();
            if let Some(value) = value {
                state[name] = value.into();
            }
            state
        };
        states = states.iter().flat_map(|state| values.map(|value| with(state, value))).collect();
    }
    states.into_iter().map(Rc::new).collect()
}

fn faults_in(text: &str, states: &[Rc<Value>]) -> Vec<Fault> {
    let read = Expression::parse(text).unwrap();
    let scope = |state| Scope {
        state: view(state),
        whole: "the state",
        outputs: Read::None,
        intrinsics: INTRINSICS,
        fuel: MAX_FUEL,
    };
    states.iter().filter_map(|state| read.evaluate(&scope(state)).result.err()).collect()
}

fn fails_in_some(text: &str, states: &[Rc<Value>]) -> bool {
    faults_in(text, states).iter().any(|fault| fault.kind == FaultKind::Missing)
}

#[test]
fn names_behind_or_are_reported_exactly_where_a_run_may_fail_and_one_fix_ends_that() {
    const OPERANDS: [&str; 10] = [
        "a",
        "b",
        "c",
        "a | default('')",
        "(a | default(b))",
        "(b | default(c) | default(''))",
        "(has_g and g)",
        "(g if has_g else '')",
        "('d' in state and d)",
        "(d if d is defined else '')",
    ];
    let pairs = OPERANDS.iter().flat_map(|one| OPERANDS.map(|other| format!("{one} or {other}")));
    let pairs: Vec<String> = pairs.collect();
    let triples = pairs.iter().flat_map(|pair| OPERANDS.map(|third| format!("{pair} or {third}")));
    let within = pairs.iter().flat_map(|pair| {
        ["({}) | default('')", "({}) | upper ~ c", "has_g and g or ({})", "({}) == 'there' or c"]
            .map(|whole| whole.replace("{}", pair))
    });
    let states = states_of();
    for text in triples.chain(within).chain(pairs.clone()) {
        let found = said_of(&text);
        assert_eq!(!found.is_empty(), fails_in_some(&text, &states), "{text}: {found:?}");
        let Some(problem) = found.into_iter().next() else { continue };
        let mended = problem.fix.unwrap_or_else(|| panic!("nothing mends {text}")).text;
        assert_eq!(said_of(&mended), [], "{text}");
        assert!(!fails_in_some(&mended, &states), "{text} is {mended}");
    }
}

#[test]
fn a_fallback_is_what_its_place_takes() {
    let states = [json!({ "has_g": true }), json!({ "has_g": true, "a": 2, "b": 3, "c": [1] })].map(Rc::new);
    for (text, mended) in [
        ("a + 1", "a | default(0) + 1"),
        ("2 * (1 - a)", "2 * (1 - a | default(0))"),
        ("a > 3 and has_g", "a | default(0) > 3 and has_g"),
        ("a + b + 1", "a | default(0) + b | default(0) + 1"),
        ("a | default(b) - 1", "a | default(b) | default(0) - 1"),
        ("a ~ b * 2", "a | default('') ~ b | default(0) * 2"),
        ("c + [1]", "c | default([]) + [1]"),
    ] {
        let problem = said_of(text).remove(0);
        let fix = problem.fix.unwrap();
        assert_eq!(fix.text, mended);
        assert!(faults_in(mended, &states).is_empty(), "{mended}");
        let begins =
            if text.contains('~') { "write `| default(…)` behind each" } else { "write `| default(" };
        assert!(fix.label.starts_with(begins), "{}", fix.label);
    }
    let hint = &said_of("a + 1")[0].hint;
    assert_eq!(hint, "write `a | default(0)`, or test it with `is defined`");
}

#[test]
fn what_is_taken_of_a_value_that_may_be_absent_is_mended_as_it_stands() {
    let states = states_of();
    for (text, mended) in [
        ("a.comment", "(a | default({})).comment | default('')"),
        ("a['x'][0]", "((a | default({}))['x'] | default({}))[0] | default('')"),
        ("state.a.count * 2", "(state.a | default({})).count | default(0) * 2"),
        ("'Say: ' ~ a.comment", "'Say: ' ~ (a | default({})).comment | default('')"),
        ("a.comment | default('-')", "(a | default({})).comment | default('-')"),
        ("a.comment is defined", "(a | default({})).comment is defined"),
    ] {
        let found = said_of(text).remove(0);
        let guarded = match text.contains("count") {
            true => "`(state.a | default({})).count | default(0)`",
            false if text.contains('[') => &format!("`{mended}`"),
            false => "`(a | default({})).comment | default('')`",
        };
        assert_eq!(found.hint, format!("write {guarded}, or test it with `is defined`"));
        let fix = found.fix.unwrap();
        assert_eq!((fix.label, &*fix.text), (format!("write {guarded}"), mended));
        assert_eq!(said_of(mended), []);
        assert!(fails_in_some(text, &states) && !fails_in_some(mended, &states), "{mended}");
        // A run says the same of what it lacks.
        let fault = faults_in(text, &states).remove(0);
        assert_eq!(format!("`{}`", fault.instead.unwrap()), guarded, "{text}");
    }
    let hint = said_of("(a).b").remove(0).hint;
    assert_eq!(hint, "write `((a | default({}))).b | default('')`, or test it with `is defined`");
    let fault = faults_in("'' ~ (a.comment if a is defined)", &states).remove(0);
    assert_eq!((&*fault.message, fault.instead), ("`a.comment if a is defined` is undefined", None));
    let fault = faults_in("a if a is defined", &states).remove(0);
    assert_eq!(fault.message, "`a if a is defined` gives nothing here, as it has no `else`");
    assert_eq!(fault.instead.as_deref(), Some("a if a is defined else ''"));
}

#[test]
fn what_is_there_in_every_run_is_not_reported() {
    let review = ask("s1", "review", "x");
    let read = set("s9", "y", "review_output ~ steps.review.output");
    let both = branch("ok", json!([review]), json!([ask("s2", "review", "y")]));
    let until = json!({ "id": "l", "type": "loop", "name": "l", "repeat": { "until": "review_output == 'x'" }, "maxIterations": 3, "steps": [review] });
    let parallel =
        json!({ "id": "p", "type": "parallel", "name": "p", "parallel": [review, set("s3", "z", "topic")] });
    let lane = json!({ "id": "q", "type": "sequence", "name": "q", "steps": [review] });
    for step in [review.clone(), both, until, parallel, lane] {
        assert_eq!(said(topic(), json!([step, read])), Vec::<String>::new());
    }
    for read in [
        "absent_key | default('')",
        "absent_key is defined and absent_key > 1",
        "topic if ok else ''",
        "state.topic",
        "state[topic]",
    ] {
        assert_eq!(said(topic(), json!([set("s1", "x", read)])), Vec::<String>::new(), "{read}");
    }
    let each = json!({ "id": "e", "type": "foreach", "name": "e", "items": "xs", "as": "n", "result": "n * n_index + m", "steps": [set("s4", "m", "n + 1")] });
    assert_eq!(said(topic(), json!([each, set("s5", "y", "e_output[0]")])), Vec::<String>::new());
    let inner = json!({ "id": "w", "type": "workflow", "name": "w", "initialState": { "rate": 20 }, "with": { "net": "xs[0]" }, "set": { "gross": "sum" }, "steps": [set("s6", "sum", "net * rate")] });
    assert_eq!(said(topic(), json!([inner, set("s7", "y", "gross")])), Vec::<String>::new());
}

#[test]
fn what_a_round_gives_may_be_there_in_the_next_one() {
    let repeated = |id: &str, steps: Value| json!({ "id": id, "type": "loop", "name": id, "repeat": { "until": "ok" }, "maxIterations": 3, "steps": steps });
    let rounds = |id: &str| repeated(id, json!([set("s1", "x", "late"), set("s2", "late", "1")]));
    let each = json!({ "id": "e", "type": "foreach", "name": "e", "items": "xs", "steps": [rounds("i")] });
    let inner = json!({ "id": "w", "type": "workflow", "name": "w", "steps": [rounds("i")] });
    for (steps, path) in [
        (rounds("o"), "steps[0].steps[0]"),
        (repeated("o", json!([rounds("i")])), "steps[0].steps[0].steps[0]"),
        (repeated("o", json!([each])), "steps[0].steps[0].steps[0].steps[0]"),
        (repeated("o", json!([inner])), "steps[0].steps[0].steps[0].steps[0]"),
    ] {
        assert_eq!(
            said(topic(), json!([steps])),
            [format!(
                "{path}.run.set.x uncertain_name: `late` has no value in the first round: what gives it comes later; give it in `initialState` or `input`, or write `late | default('')`"
            )]
        );
    }
}

#[test]
fn what_functions_give_is_not_known() {
    for unknown in [
        handler("h"),
        json!({ "id": "h", "type": "function", "name": "h", "run": { "code": "export default () => ({})" } }),
    ] {
        assert_eq!(said(topic(), json!([unknown, set("s1", "x", "anything + topik")])), Vec::<String>::new());
        // But nobody but a step gives an answer.
        assert_eq!(
            said(topic(), json!([unknown, ask("s2", "draft", "x"), set("s1", "x", "drafd_output")])).len(),
            1
        );
    }
    // Nor is what a run begins with that declares nothing.
    assert_eq!(said(json!({}), json!([set("s1", "x", "anything")])), Vec::<String>::new());
}

#[test]
fn code_that_reads_nearly_the_name_of_something_is_reported() {
    let code =
        |id: &str, code: &str| json!({ "id": id, "type": "function", "name": id, "run": { "code": code } });
    let first = "return { a: state.topik, b: [state?.topik, state.topik ?? 1, state.what, state.topic], c: state.ak && 1 }";
    // What the first one gives is not known, but for its answers.
    let second = "return [state.topik, state.draf_output]";
    assert_eq!(
        said(topic(), json!([ask("s0", "draft", "x"), code("s1", first), code("s2", second)])),
        [
            "steps[1].run.code unknown_name: nothing gives `topik` before this; did you mean `topic`?",
            "steps[2].run.code unknown_name: nothing gives `draf_output` before this; did you mean `draft_output`?"
        ]
    );
    let tool = json!({ "tools": { "look": { "description": "d", "run": { "code": "return state.wrod + state.topik" },
        "input": { "type": "object", "properties": { "word": {}, "a b": {} }, "required": ["word"] } } } });
    assert_eq!(
        said(tool, json!([])),
        ["tools.look.run.code unknown_name: nothing gives `wrod` before this; did you mean `word`?"]
    );
    let document = json!({ "version": 1, "name": "test", "steps": [code("s1", first)], "initialState": { "topic": "tea" } });
    let problems = validate(&document.to_string()).problems;
    let fixed = problems[0].fix.as_ref().unwrap();
    assert_eq!(fixed.label, "write `topic`");
    assert_eq!(
        fixed.text,
        "return { a: state.topic, b: [state?.topic, state.topik ?? 1, state.what, state.topic], c: state.ak && 1 }"
    );
    // No name can be written for a key that is none.
    let spaced = json!({ "version": 1, "name": "test", "steps": [code("s1", "return state.my_kez")], "initialState": { "my kez": 1 } });
    assert!(validate(&spaced.to_string()).problems.iter().all(|problem| problem.fix.is_none()));
}

#[test]
fn an_inner_workflow_sees_what_it_is_given() {
    let inner = json!({ "id": "w", "type": "workflow", "name": "w", "with": { "net": "1" }, "steps": [set("s6", "sum", "net * topic")] });
    assert_eq!(
        said(topic(), json!([inner])),
        [
            "steps[0].steps[0].run.set.sum unknown_name: nothing gives `topic` before this; there is `net`; give it in `initialState` or `input`, or write `topic | default(0)`"
        ]
    );
}

#[test]
fn a_name_with_a_dash_is_reported() {
    let draft = ask("s1", "draft-one", "x");
    assert_eq!(
        said(
            topic(),
            json!([
                draft,
                set("s2", "x", "draft-one_output | upper"),
                set("s3", "y", "steps.draft-one.output")
            ])
        ),
        [
            "steps[1].run.set.x dash_in_name: `draft-one_output` is read as a subtraction, and not as a key of the state; write state[\"draft-one_output\"]",
            "steps[2].run.set.y dash_in_name: `draft-one` is read as a subtraction, and not as a step; write steps[\"draft-one\"]",
        ]
    );
    let fine = set("s2", "x", "state['draft-one_output'] ~ steps['draft-one'].output ~ (xs[0]-xs[0])");
    assert_eq!(said(topic(), json!([draft, fine])), Vec::<String>::new());
}

#[test]
fn a_key_without_quotes_is_reported_where_nothing_gives_its_name() {
    let draft = ask("s1", "draft", "x");
    let of = |expression: &str| said(topic(), json!([draft, set("s2", "x", expression)]));
    let told = "steps[1].run.set.x bare_key: `kind` before a colon is read as a name, and its value is the key; \
        write `'kind'` for a key that is called so, and `(kind)` for the value";
    assert_eq!(of("{ kind: draft_output, team: [{ kind: 1 }] }"), [told]);
    assert_eq!(of("{ topic: topic }"), [told.replace("kind", "topic")]);
    for fine in ["{ 'kind': draft_output }", "{ topic: 1 }", "{ (topic): topic }", "[1, 2][0:1]"] {
        assert_eq!(of(fine), Vec::<String>::new(), "{fine}");
    }
    let template = ask(
        "s1",
        "draft",
        "{% for kind in [topic] %}{{ { kind: 1 } }}{% endfor %}{{ { team: topic } | tojson }}",
    );
    assert_eq!(
        said(topic(), json!([template])),
        [told.replace("kind", "team").replace("steps[1].run.set.x", "steps[0].inputFrom")]
    );
    // Also where a run may be given anything: nobody means a name that no step gives.
    let open = json!({ "agents": { "a": { "model": "m" } } });
    assert_eq!(said(open, json!([draft, set("s2", "x", "{ kind: draft_output }")])), [told]);
}

#[test]
fn code_that_cannot_do_without_a_key_that_nothing_gives_is_reported() {
    let code = |code: &str| json!({ "id": "s1", "type": "function", "name": "sum", "run": { "code": code } });
    let asked = json!({ "agents": { "a": { "model": "m" } }, "input": { "type": "object", "properties": { "topic": {} }, "required": ["topic"] } });
    let trim = "return { total: state.csv.trim() }";
    assert_eq!(
        said(asked.clone(), json!([code(trim)])),
        [
            "steps[0].run.code unknown_name: nothing gives `csv` before this; there is `topic`; give it in `initialState` or `input`, or write `(state.csv ?? '')`"
        ]
    );
    assert_eq!(
        said(asked.clone(), json!([code(trim), set("s2", "csv", "'a'")])),
        [
            "steps[0].run.code unknown_name: `csv` is not there yet: only later steps or other ways give it; give it in `initialState` or `input`, or write `(state.csv ?? '')`"
        ]
    );
    for fine in [
        "return { total: state.csv }",
        "return { total: state.topic.trim() }",
        "return { total: state.csv?.trim() }",
    ] {
        assert_eq!(said(asked.clone(), json!([code(fine)])), Vec::<String>::new(), "{fine}");
    }
    // Where a run may be given anything, and where only what it usually begins with is known.
    let open = json!({ "agents": { "a": { "model": "m" } } });
    for begins in [open, topic()] {
        assert_eq!(said(begins, json!([code(trim)])), Vec::<String>::new());
    }
    // What code gives is not known.
    assert_eq!(said(asked, json!([code("return { csv: '' }"), set("s2", "x", "csv")])), Vec::<String>::new());
}

#[test]
fn a_step_is_not_told_to_read_its_own_answer() {
    let draft = ask("s1", "draft", "{{ drft_output }} {{ steps.drft.output }}");
    let repeat = json!({ "id": "l", "type": "loop", "name": "rounds", "repeat": { "until": "topic == ''" }, "maxIterations": 3, "steps": [draft] });
    for steps in [json!([draft]), json!([repeat])] {
        let found = said(topic(), steps);
        assert!(found.len() == 2 && found.iter().all(|one| !one.contains("did you mean")), "{found:?}");
    }
}

#[test]
fn names_of_any_script_need_no_other_spelling() {
    let problems = |name: &str| {
        let document = json!({ "version": 1, "name": "t", "models": { "m": { "provider": "demo", "model": "m" } },
            "agents": { "a": { "model": "m" } }, "steps": [ask("s1", name, "x"), set("s2", "y", &format!("{name}_output"))] });
        validate(&document.to_string()).problems
    };
    assert_eq!(problems("größe"), []);
    assert_eq!(problems("черновик"), []);
    assert_eq!(problems("下書き"), []);
}

#[test]
fn the_examples_read_what_is_there() {
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let problems = validate(&fs::read_to_string(&path).unwrap()).problems;
            let codes = ["unknown_name", "unknown_step", "uncertain_name", "dash_in_name"];
            let about: Vec<_> = problems.iter().filter(|problem| codes.contains(&problem.code)).collect();
            assert!(about.is_empty(), "{}: {about:?}", path.display());
        }
    }
}

#[test]
fn what_a_schema_lacks_or_does_not_require_is_reported() {
    let answer = json!({ "type": "object", "properties": { "category": {}, "urgency": {}, "note": {}, "team": { "default": "all" } },
        "required": ["category", "urgency"], "additionalProperties": false });
    let said_of = |steps: Value, schema: Value| {
        let agents =
            json!({ "sort": { "model": "m", "output": schema }, "ask": { "model": "m", "output": schema } });
        said(json!({ "agents": agents, "initialState": { "topic": "tea" } }), steps)
    };
    let sort = json!({ "id": "s1", "type": "agent", "name": "triage", "agent": "sort" });
    let told = |expression: &str, schema: &Value| {
        said_of(json!([sort, set("s2", "x", expression)]), schema.clone()).join("\n")
    };
    let wrong = |what: &str| format!("steps[1].run.set.x {what}");
    assert_eq!(
        told("triage_output.categry", &answer),
        wrong("unknown_member: the schema of `triage_output` has no `categry`; did you mean `category`?")
    );
    assert_eq!(
        told("steps.triage.output['private']", &answer),
        wrong(
            "unknown_member: the schema of `steps.triage.output` has no `private`; it has `category`, `urgency`, `note` and `team`"
        )
    );
    assert_eq!(
        told("triage_output.note", &answer),
        wrong(
            "uncertain_member: `triage_output.note` is not there in every run: its schema does not require it; write `triage_output.note | default('')`"
        )
    );
    for fine in [
        "triage_output.category",
        "triage_output.team",
        "triage_output.note | default('')",
        "triage_output.note if triage_output.note is defined else ''",
        "triage_output.private is defined",
        "triage_output['cat' ~ 'egory']",
        "triage_output | length",
    ] {
        assert_eq!(told(fine, &answer), "", "{fine}");
    }
    // A model is asked for what its schema says, also where that does not forbid more.
    let mut open = answer.clone();
    open.as_object_mut().unwrap().remove("additionalProperties");
    assert_eq!(told("triage_output.private", &open), told("triage_output.private", &answer));
    // Other schemas may say more, or say nothing of what is required, and other steps may give another value.
    open["additionalProperties"] = json!({ "type": "string" });
    assert_eq!(told("triage_output.private", &open), "");
    assert!(told("triage_output.categry", &open).contains("did you mean"));
    open.as_object_mut().unwrap().remove("required");
    assert_eq!(told("triage_output.note", &open), "");
    open["allOf"] = json!([{ "properties": { "categry": {} } }]);
    assert_eq!(told("triage_output.categry", &open), "");
    let again = json!([sort, set("s3", "triage_output", "{}"), set("s2", "x", "triage_output.categry")]);
    assert!(said_of(again, answer.clone()).is_empty());
    // A person may leave a comment out.
    let asked = json!([
        { "id": "s1", "type": "approval", "name": "approve", "schema": { "type": "object",
            "properties": { "approved": { "type": "boolean" }, "comment": { "type": "string" } }, "required": ["approved"] } },
        ask("s2", "reply", "Say {{ approve_output.comment }}"),
    ]);
    assert_eq!(
        said(topic(), asked),
        [
            "steps[1].inputFrom uncertain_member: `approve_output.comment` is not there in every run: its schema does not require it; write `approve_output.comment | default('')`"
        ]
    );
    let document = json!({ "version": 1, "name": "test", "models": { "m": { "provider": "demo", "model": "m" } },
        "agents": { "a": { "model": "m", "output": answer } },
        "steps": [ask("s1", "sort", "x"), set("s2", "x", "sort_output.note + 1 > steps.sort.output.urgncy")] });
    let fixes: Vec<_> =
        validate(&document.to_string()).problems.into_iter().filter_map(|problem| problem.fix).collect();
    let texts: Vec<_> = fixes.iter().map(|fix| (&*fix.label, &*fix.text)).collect();
    assert_eq!(
        texts,
        [
            ("write `| default(0)`", "sort_output.note | default(0) + 1 > steps.sort.output.urgncy"),
            ("write `urgency`", "sort_output.note + 1 > steps.sort.output.urgency"),
        ]
    );
    let input = json!({ "input": { "type": "object", "required": ["order"],
        "properties": { "order": { "type": "object", "properties": { "total": {} } } } } });
    assert_eq!(
        said(input.clone(), json!([set("s1", "x", "order.totl")])),
        ["steps[0].run.set.x unknown_member: the schema of `order` has no `totl`; did you mean `total`?"]
    );
    // Whoever calls may give more.
    assert_eq!(said(input, json!([set("s1", "x", "order.currency")])), Vec::<String>::new());
}

#[test]
fn what_is_compared_with_a_text_that_it_never_is_is_reported() {
    let kinds = json!({ "type": "string", "enum": ["billing", "technical", "it's other"] });
    let document = |steps: Value| {
        json!({ "version": 1, "name": "test", "models": { "m": { "provider": "demo", "model": "m" } },
            "input": { "type": "object", "properties": { "way": { "enum": ["mail", "chat", 3] } }, "required": ["way"] },
            "agents": {
                "word": { "model": "m", "output": kinds },
                "sort": { "model": "m", "output": { "type": "object", "properties": { "kind": kinds }, "required": ["kind"] } },
            },
            "steps": steps })
    };
    let told = |expression: &str| {
        let agent = |id: &str, name: &str| json!({ "id": id, "type": "agent", "name": name, "agent": name });
        let document =
            document(json!([agent("s1", "word"), agent("s2", "sort"), set("s3", "x", expression)]));
        let problems = validate(&document.to_string()).problems;
        let told = |problem: Problem| {
            let fix = problem.fix.map(|fix| fix.text).unwrap_or_default();
            (problem.code, problem.message, problem.hint, fix)
        };
        problems.into_iter().map(told).collect::<Vec<_>>()
    };
    let all = "it is one of `billing`, `technical` or `it's other`";
    let never = |value: &str, text: &str, hint: &str, fix: &str| {
        vec![("unknown_value", format!("`{value}` is never `{text}`"), hint.to_owned(), fix.to_owned())]
    };
    assert_eq!(told("word_output == 'fine'"), never("word_output", "fine", all, ""));
    assert_eq!(
        told("'biling' != sort_output.kind"),
        never("sort_output.kind", "biling", "did you mean `billing`?", "'billing' != sort_output.kind")
    );
    assert_eq!(
        told("'a' if steps.sort.output['kind'] == \"its other\" else 'b'"),
        never("steps.sort.output['kind']", "its other", "did you mean `it's other`?", "")
    );
    assert_eq!(told("way == 'post'"), never("way", "post", "it is one of `mail` or `chat`", ""));
    for fine in [
        "word_output == 'billing'",
        "word_output == way",
        "word_output < 'fine'",
        "word_output ~ '!' == 'fine'",
        "word_output | upper == 'BILLING'",
        "word_output[0] == 'b'",
        "sort_output == 'fine'",
        "sort_output.kind | default('none') == 'none'",
        "way == 3",
    ] {
        assert_eq!(told(fine), [], "{fine}");
    }
}
