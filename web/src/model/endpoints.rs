//! Where the models of a document are.

use stepweave_core::document::{Document, Model, Provider};

use super::requests::{named_origins, requests};

/// The origins that a run of the document sends prompts and requests to.
pub fn origins(document: &Document) -> Vec<String> {
    let named = document.agents.values().flat_map(|agent| [&agent.model].into_iter().chain(&agent.fallbacks));
    let real = named.filter_map(|id| document.models.get(id)).filter(|model| is_endpoint(model.provider));
    let at = |model: &Model| origin_of(model.base_url.as_deref().unwrap_or(model.provider.base_url()));
    let of_requests = requests(document).into_iter().flat_map(|request| named_origins(&request));
    let mut found: Vec<String> = real.filter_map(at).chain(of_requests).collect();
    found.sort();
    found.dedup();
    found
}

/// Whether models of this provider are called over the network.
pub fn is_endpoint(provider: Provider) -> bool {
    !matches!(provider, Provider::Demo | Provider::Custom)
}

/// The scheme, host and port of an address; nothing when it is none that can be called.
pub fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.trim().split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    if scheme != "https" && scheme != "http" {
        return None;
    }
    // Anything but plain names and numbers is read in many ways: no address that is shown may be another than the one
    // that is called. Names in other letters have a plain form too, `xn--…`.
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.:[]".contains(letter);
    let host =
        rest.split(['/', '?', '#']).next().filter(|host| !host.is_empty() && host.chars().all(is_plain))?;
    let host = host.to_ascii_lowercase();
    let default = if scheme == "https" { ":443" } else { ":80" };
    Some(format!("{scheme}://{}", host.strip_suffix(default).unwrap_or(&host)))
}

/// The host of an origin in the letters of a secret's name: `API_EXAMPLE_COM`.
pub fn name_of_host(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' };
    host.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sends_to_the_places_of_all_its_models() {
        let document = serde_json::json!({ "version": 1, "name": "t", "steps": [],
            "models": {
                "own": { "provider": "anthropic", "model": "m" },
                "next": { "provider": "openai", "model": "m", "baseUrl": "http://localhost:8080/v1" },
                "demo": { "provider": "demo", "model": "demo" },
                "unused": { "provider": "groq", "model": "m" },
                "far": { "provider": "azure", "model": "m" }
            },
            "agents": { "a": { "model": "own", "fallbacks": ["next", "demo"] }, "b": { "model": "far" } } });
        let found = origins(&serde_json::from_value(document).unwrap());
        assert_eq!(found, ["http://localhost:8080", "https://api.anthropic.com"]);
    }

    #[test]
    fn an_origin_is_scheme_host_and_port() {
        assert_eq!(origin_of("https://API.openai.com/v1").as_deref(), Some("https://api.openai.com"));
        assert_eq!(origin_of("http://localhost:8080/v1").as_deref(), Some("http://localhost:8080"));
        assert_eq!(origin_of("https://example.com:443/").as_deref(), Some("https://example.com"));
        for wrong in [
            "localhost:8080",
            "ftp://example.com",
            "https://",
            "https://me@example.com/",
            "https://api.openai.com\\.evil.test/v1",
            "https://ev\til.test",
            "https://%65vil.test",
        ] {
            assert_eq!(origin_of(wrong), None, "{wrong}");
        }
    }
}
