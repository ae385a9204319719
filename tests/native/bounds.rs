//! Templates and expressions that are made to take time or memory: each ends by its bound. What is counted is the fuel
//! that they took and the memory that they held, never time.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "test code"
)]

use std::rc::Rc;
use std::sync::{Mutex, MutexGuard, PoisonError};

use peak_alloc::PeakAlloc;
use serde_json::{Value as Json, json};
use stepweave_core::grammar::MAX_FUEL;
use stepweave_core::language::{
    DEFAULT_FUEL, Evaluated, Expression, Fault, FaultKind, Given, Scope, Template, Value,
};
use stepweave_tests::drive::INTRINSICS;
use stepweave_tests::view::view;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Bytes that an evaluation may hold, besides the state.
const MOST_HELD: usize = 200 * 1024 * 1024;

/// The allocator counts for the whole process, so that the tests of this file wait for each other.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn scope(state: &Rc<Json>, fuel: u64) -> Scope {
    Scope { state: view(state), whole: "the state", outputs: Value::None, intrinsics: INTRINSICS, fuel }
}

/// What came of a text that is evaluated within its bounds.
fn bounded<T>(text: &str, fuel: u64, evaluate: impl FnOnce() -> Evaluated<T>) -> Result<T, Fault> {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let Evaluated { result, fuel: spent } = evaluate();
    let held = MEMORY.peak_usage().saturating_sub(before);
    let text: String = text.chars().take(60).collect();
    assert!(held <= MOST_HELD, "{text}: {held} bytes were held");
    assert!(spent <= fuel, "{text}: {spent} units of {fuel}");
    result
}

fn render(text: &str, state: &Rc<Json>, fuel: u64) -> Result<String, Fault> {
    let template = Template::parse(text).unwrap();
    bounded(text, fuel, || template.render(&scope(state, fuel)))
}

fn evaluate(text: &str, state: &Rc<Json>, fuel: u64) -> Result<Given, Fault> {
    let expression = Expression::parse(text).unwrap();
    bounded(text, fuel, || expression.evaluate(&scope(state, fuel)))
}

fn state() -> Rc<Json> {
    let keys: serde_json::Map<String, Json> = (0..20_000).map(|n| (format!("key{n}"), json!(n))).collect();
    Rc::new(json!({
        "a": "x".repeat(100_000), "big": "ab".repeat(2_500_000), "other": "ab".repeat(2_500_000),
        "xs": (0..1000).collect::<Vec<u32>>(), "wide": keys,
    }))
}

/// The template in so many loops.
fn looped(times: usize, inside: &str) -> String {
    let begin: String = (0..times).map(|level| format!("{{% for v{level} in xs %}}")).collect();
    format!("{begin}{inside}{}", "{% endfor %}".repeat(times))
}

#[test]
fn expressions_end_by_their_bound() {
    let _alone = alone();
    let state = state();
    let row = vec!["a"; 600].join("~");
    let sum = format!("('' {})", " + a".repeat(300));
    for text in [
        row.as_str(),
        sum.as_str(),
        "'x' * 1e8",
        "('x' * 100000000) | length",
        "([1] * 99000000) | last",
        "[xs] * 999999 * 999999",
        "xs * 1000 * 1000 * 1000",
        "big | split('')",
        "(big * 3) | split('b') | join(big)",
        "('x,' * 900000) | split(',') | join('y' * 100000)",
        "('x' * 1000000) | replace('x', 'y' * 100000) | length",
        "[big, big, big, big, big, big, big, big, big, big, big, big] | tojson",
        "[wide, wide, wide, wide, wide, wide, wide, wide, wide, wide, wide, wide, wide, wide, wide, wide] == [wide] * 16",
        "big | upper | lower | upper | lower | upper | lower | upper",
    ] {
        let fault = evaluate(text, &state, DEFAULT_FUEL).map(drop).unwrap_err();
        let is_bound = matches!(fault.kind, FaultKind::Limit | FaultKind::Size);
        assert!(is_bound, "{} gave {fault:?}", &text[..text.len().min(60)]);
    }
}

#[test]
fn what_a_list_holds_many_times_is_paid_for_as_often() {
    let _alone = alone();
    let state = state();
    for text in [
        "[[1] * 1000] * 10000",
        "[[[1] * 100] * 100] * 1000",
        "{'a': [[1] * 1000] * 5000, 'b': [[2] * 1000] * 5000}",
        "[xs] * 10000",
    ] {
        let fault = evaluate(text, &state, MAX_FUEL).map(drop).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Limit, "{text} gave {fault:?}");
    }
}

#[test]
fn templates_end_by_their_bound() {
    let _alone = alone();
    let state = state();
    let doubled = format!("{{% set t = 'x' %}}{}{{{{ t }}}}", "{% set t = t ~ t %}".repeat(60));
    let captured =
        format!("{{% set t = 'x' %}}{}{{{{ t }}}}", "{% set t %}{{ t }}{{ t }}{% endset %}".repeat(60));
    let nested = format!("{{% set t = [1] %}}{}", "{% set t = [t, t] %}".repeat(40));
    let names: String = (0..20_000).map(|n| format!("{{% set n{n} = 1 %}}{{{{ n0 }}}}")).collect();
    let own_keys: Vec<String> = (0..150).map(|n| format!("'k{n}': 1")).collect();
    let object = looped(2, &format!("{{% set o = {{{}}} %}}{{{{ o.k149 }}}}", own_keys.join(", ")));
    let texts = [
        looped(3, "{{ a | replace('x', 'yy') | replace('y', 'zz') | length }}"),
        looped(3, "{{ v0 }}"),
        looped(1, "{{ big | upper | length }}"),
        looped(1, "{{ 'needle' in big }}"),
        looped(1, "{{ big == other }}{{ big < other }}"),
        looped(1, "{{ big[0] }}{{ big[-1] }}{{ big[::-1] | first }}"),
        looped(1, "{{ big | trim | length }}{{ big | truncate(3) }}"),
        looped(1, "{{ big | split('zzz') | length }}"),
        looped(1, "{{ big | int | default(0) if false else big | length }}"),
        looped(1, "{{ big is containing 'c' }}"),
        looped(1, "{% for letter in big %}{% endfor %}"),
        looped(1, "{{ wide | length }}{{ wide | keys | last }}{{ 'true' if wide }}"),
        looped(1, "{% for key in wide %}{{ wide[key] }}{% endfor %}"),
        looped(1, "{{ 1001 in xs }}{{ xs == xs }}{{ (xs + xs) | length }}"),
        looped(2, "{{ xs | join(',') }}"),
        looped(2, "{{ loop.changed(xs, xs, xs) }}"),
        looped(2, "{{ xs[:500] | last }}{{ (xs * 10) | first }}"),
        looped(1, "{{ state | tojson | length }}"),
        object,
        doubled,
        captured,
        format!("{nested}{{{{ t }}}}"),
        format!("{nested}{{% set u = [t, t] %}}{{% set v = [t, t] %}}{{{{ u == v and u < v }}}}"),
        names,
    ];
    for text in &texts {
        let fault = render(text, &state, DEFAULT_FUEL).map(drop).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Limit, "{} gave {fault:?}", &text[..text.len().min(80)]);
    }
}

#[test]
fn no_document_loosens_the_bound_of_the_engine() {
    let _alone = alone();
    let state = state();
    let fault = render(&looped(3, "{{ v0 }}"), &state, u64::MAX).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Limit);
    let template = Template::parse(&looped(3, "{{ v0 }}")).unwrap();
    assert!(template.render(&scope(&state, u64::MAX)).fuel <= MAX_FUEL);
    // Nor does more fuel make more room.
    let fault = evaluate(
        "[big ~ 1, big ~ 2, big ~ 3, big ~ 4, big ~ 5, big ~ 6, big ~ 7, big ~ 8, big ~ 9]",
        &state,
        u64::MAX,
    );
    assert_eq!(fault.map(drop).unwrap_err().kind, FaultKind::Limit);
}

#[test]
fn large_values_are_no_trouble() {
    let _alone = alone();
    let state = state();
    assert_eq!(render("{{ big }}{{ other }}", &state, DEFAULT_FUEL).unwrap().len(), 10_000_000);
    assert_eq!(
        render("{{ wide | length }} {{ big | length }}", &state, DEFAULT_FUEL).unwrap(),
        "20000 5000000"
    );
    assert_eq!(render("{{ big != '' }}{{ big == a }}", &state, 100).unwrap(), "truefalse");
    // What an expression only names is not looked at.
    for text in ["big", "wide", "state", "absent | default(big)", "big if big else other"] {
        assert!(matches!(evaluate(text, &state, 20), Ok(Given::Kept(_))), "{text}");
    }
}

#[test]
fn values_nest_to_a_bound() {
    let _alone = alone();
    let state = state();
    let nested = |depth: usize| format!("{{% set t = 1 %}}{}{{{{ t }}}}", "{% set t = [t] %}".repeat(depth));
    assert!(render(&nested(128), &state, DEFAULT_FUEL).is_ok());
    assert_eq!(render(&nested(129), &state, DEFAULT_FUEL).unwrap_err().kind, FaultKind::Size);
    let deep = (0..5000).fold(json!(1), |inner, _| json!([inner]));
    let deep = Rc::new(json!({ "a": deep, "b": deep }));
    for text in ["{{ a == b }}", "{{ a < b }}", "{{ a }}", "{{ a in [b] }}"] {
        assert_eq!(render(text, &deep, DEFAULT_FUEL).unwrap_err().kind, FaultKind::Size, "{text}");
    }
    // Dropping it one by one: `serde_json` drops by recursion.
    std::mem::forget(deep);
}

#[test]
fn texts_are_read_to_a_bound() {
    let _alone = alone();
    let many = 100_000;
    for begin in ["(", "[", "{", "{'a':", "not (", "-(", "a[", "a|default(", "a if b else (", "1 if "] {
        assert!(Expression::parse(&begin.repeat(150)).is_err(), "{begin}");
        assert!(Template::parse(&format!("{{{{ {}", begin.repeat(many))).is_err(), "{begin}");
    }
    for tag in [
        "{% if a %}",
        "{% for a in b %}",
        "{% set a %}",
        "{% if a %}{% else %}{% for a in (",
        "{{ ",
        "{# ",
        "{% raw %}",
    ] {
        assert!(Template::parse(&tag.repeat(many / 2)).is_err(), "{tag}");
    }
    // Chains need no depth: as long as an expression may be.
    for chain in [
        "- ".repeat(990) + "1",
        "not ".repeat(490) + "a",
        ["1", &"+1".repeat(990)].concat(),
        ["a", &".a".repeat(990)].concat(),
        ["a", &"|trim".repeat(390)].concat(),
        ["1", &"<1".repeat(990)].concat(),
        ["a", &" or a".repeat(390)].concat(),
    ] {
        let expression = Expression::parse(&chain).unwrap();
        let _ = bounded(&chain, DEFAULT_FUEL, || {
            expression.evaluate(&scope(&Rc::new(json!({ "a": 1 })), DEFAULT_FUEL))
        });
    }
    assert!(Expression::parse(&"1+".repeat(5000)).unwrap_err().message.contains("2000 are the most"));
    assert!(Template::parse(&"x".repeat(2_000_000)).unwrap_err().message.contains("are the most"));
    let branches = format!("{{% if a %}}{}{{% endif %}}", "{% elif b %}x".repeat(5000));
    assert!(Template::parse(&branches).is_ok());
}
