//! Addresses of requests.

use crate::language::{encoded, origin_of};

/// The address with these parameters behind those that its query has.
pub(super) fn with_query<'q>(url: &str, query: impl IntoIterator<Item = (&'q str, &'q str)>) -> String {
    let mut whole = url.split('#').next().unwrap_or_default().to_owned();
    let mut mark = match (whole.contains('?'), whole.ends_with(['?', '&'])) {
        (false, _) => "?",
        (true, true) => "",
        (true, false) => "&",
    };
    for (name, value) in query {
        whole.extend([mark, &encoded(name), "=", &encoded(value)]);
        mark = "&";
    }
    whole
}

/// The address with this parameter in the place of those of the same name.
pub(super) fn with_parameter(url: &str, name: &str, value: &str) -> String {
    let whole = url.split('#').next().unwrap_or_default();
    let (path, query) = whole.split_once('?').unwrap_or((whole, ""));
    let own = encoded(name);
    let others = query.split('&').filter(|pair| {
        let other = pair.split('=').next().unwrap_or_default();
        !pair.is_empty() && other != own && other != name
    });
    let others: Vec<&str> = others.collect();
    with_query(&format!("{path}?{}", others.join("&")), [(name, value)])
}

/// The address of the next page: the text itself or, where it is the value of a `link` header, the one with `rel="next"`.
pub(super) fn link_of(text: &str) -> Option<String> {
    let text = text.trim();
    if !text.starts_with('<') {
        return Some(text.to_owned()).filter(|text| !text.is_empty());
    }
    text.split('<').find_map(|link| {
        let (address, parameters) = link.split_once('>')?;
        let is_next = parameters.split([';', ',']).any(|parameter| {
            let (name, value) = parameter.split_once('=').unwrap_or_default();
            let is_next = |relation: &str| relation.eq_ignore_ascii_case("next");
            name.trim().eq_ignore_ascii_case("rel") && value.trim().trim_matches('"').split(' ').any(is_next)
        });
        is_next.then(|| address.to_owned())
    })
}

/// The address to which a link leads that the page at `base` has. Pages are told apart by it, so it is the same one however the
/// link is written.
pub(super) fn led_to(base: &str, link: &str) -> String {
    let start = link.split(['/', '?', '#']).next().unwrap_or_default();
    if start.contains(':') {
        return link.to_owned();
    }
    let origin = origin_of(base).unwrap_or_default();
    let path = base.get(origin.len()..).unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
    if link.starts_with("//") {
        return origin.split("//").next().unwrap_or_default().to_owned() + link;
    }
    if link.starts_with('/') {
        return origin.to_owned() + link;
    }
    if link.starts_with('?') {
        return format!("{origin}{path}{link}");
    }
    let folder_of = |path| str::rsplit_once(path, '/').unwrap_or_default().0;
    let (mut folder, mut link) = (folder_of(path), link);
    loop {
        if let Some(rest) = link.strip_prefix("./") {
            link = rest;
        } else if let Some(rest) = link.strip_prefix("../") {
            (folder, link) = (folder_of(folder), rest);
        } else {
            return format!("{origin}{folder}/{link}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_from_the_page_that_has_it() {
        let at = |link| led_to("https://a.test/x/list?page=1#top", link);
        assert_eq!(at("https://b.test/y"), "https://b.test/y");
        assert_eq!(at("//b.test/y"), "https://b.test/y");
        assert_eq!(at("/y?from=https://b.test"), "https://a.test/y?from=https://b.test");
        assert_eq!(at("?page=2"), "https://a.test/x/list?page=2");
        assert_eq!(at("more?page=2"), "https://a.test/x/more?page=2");
        assert_eq!(at("./list?page=2"), "https://a.test/x/list?page=2");
        assert_eq!(at("../../list"), "https://a.test/list");
        assert_eq!(led_to("https://a.test", "list"), "https://a.test/list");
        assert_eq!(led_to("https://a.test?page=1", "?page=2"), "https://a.test?page=2");
    }

    #[test]
    fn parameters_are_added_to_those_that_are_there() {
        let added = |url| with_query(url, [("q", "a b&c"), ("ü", "1")]);
        assert_eq!(added("https://a.test/x"), "https://a.test/x?q=a%20b%26c&%C3%BC=1");
        assert_eq!(added("https://a.test/x?y=1#top"), "https://a.test/x?y=1&q=a%20b%26c&%C3%BC=1");
        assert_eq!(added("https://a.test/x?"), "https://a.test/x?q=a%20b%26c&%C3%BC=1");
        assert_eq!(with_query("https://a.test/x", []), "https://a.test/x");
    }

    #[test]
    fn a_parameter_takes_the_place_of_the_one_that_is_there() {
        let at = |url| with_parameter(url, "cursor", "p 2");
        assert_eq!(at("https://a.test/x"), "https://a.test/x?cursor=p%202");
        assert_eq!(at("https://a.test/x#top"), "https://a.test/x?cursor=p%202");
        assert_eq!(at("https://a.test/x?cursor=*"), "https://a.test/x?cursor=p%202");
        assert_eq!(at("https://a.test/x?a=1&cursor=*&b=2#top"), "https://a.test/x?a=1&b=2&cursor=p%202");
        assert_eq!(at("https://a.test/x?cursors=1&"), "https://a.test/x?cursors=1&cursor=p%202");
        assert_eq!(with_parameter("https://a.test/x?a%5Bb%5D=1", "a[b]", "2"), "https://a.test/x?a%5Bb%5D=2");
    }

    #[test]
    fn a_link_header_gives_its_next_page() {
        let header = r#"<https://a.test/?page=1>; rel="prev", <https://a.test/?page=3>; rel="next", <https://a.test/?page=9>; rel="last""#;
        assert_eq!(link_of(header).as_deref(), Some("https://a.test/?page=3"));
        assert_eq!(link_of(r#"<https://a.test/?page=1>; rel="prev""#), None);
        for parameter in ["rel=next", "REL=\"next\"", "rel = \"next\"", "title=x; Rel=\"prev NEXT\""] {
            let link = format!("<https://a.test/?page=3>; {parameter}");
            assert_eq!(link_of(&link).as_deref(), Some("https://a.test/?page=3"), "{parameter}");
        }
        assert_eq!(link_of("/items?page=2").as_deref(), Some("/items?page=2"));
    }
}
