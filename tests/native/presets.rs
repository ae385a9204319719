//! Core and the package know the same endpoints and the same names of keys: the builder takes them from core, programs
//! from the package.

#![allow(clippy::expect_used, reason = "test code")]

use stepweave_core::document::{Provider, Secret};
use stepweave_core::models::preset;

const PACKAGE: &str = include_str!("../../pkg/ts/effects/presets.ts");

#[test]
fn each_provider_has_the_same_place_and_key_in_core_and_in_the_package() {
    for word in Provider::WORDS {
        let provider = Provider::from_word(word).expect("a word of the table");
        let found = PACKAGE.lines().find_map(|line| line.trim().strip_prefix(&format!("{word}: ")));
        let expected = row(provider).map(|row| format!("{row},"));
        assert_eq!(found, expected.as_deref(), "`{word}` in pkg/ts/effects/presets.ts");
    }
}

#[test]
fn each_known_key_goes_to_the_same_origin_in_core_and_in_the_package() {
    let named: Vec<&str> =
        PACKAGE.split('"').filter(|text| text.ends_with("_KEY") || text.ends_with("_TOKEN")).collect();
    assert!(named.len() > 10, "{named:?}");
    for name in named {
        let row = |line: &&str| line.contains(&format!("\"{name}\""));
        let line = PACKAGE.lines().find(row).expect("a line of pkg/ts/effects/presets.ts");
        let origin = line.split('"').find(|text| text.starts_with("https://"));
        assert_eq!(Secret::origin_of(name), origin, "`{name}` in pkg/ts/effects/presets.ts");
    }
}

/// How the package writes a provider down; nothing for one without an endpoint.
fn row(provider: Provider) -> Option<String> {
    let addresses = [provider.base_url(), preset(provider).own_url];
    let address = addresses.into_iter().find(|address| !address.is_empty())?;
    // An address with a name in its host is another one for each user.
    let origin: String = address.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    let origin = if origin.contains('<') { "undefined".to_owned() } else { format!("\"{origin}\"") };
    Some(match provider.secret() {
        "" => format!("row({origin})"),
        secret => format!("row({origin}, \"{secret}\")"),
    })
}
