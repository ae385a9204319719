//! The texts of a request that are evaluated over the state, to be changed.

use serde_json::Value;

use crate::document::{HttpAuth, HttpBody, HttpRequest};
use crate::language::renaming::Form;
use crate::validate::{files_of_request, templates_of_request};

/// The texts, each with its path inside the request.
pub(super) fn texts_mut(request: &mut HttpRequest) -> Vec<(String, Form, &mut String)> {
    let templates: Vec<String> = templates_of_request(request).into_iter().map(|(path, _)| path).collect();
    let files: Vec<String> = files_of_request(request).into_iter().map(|(path, _)| path).collect();
    let HttpRequest { url, query, headers, body, auth, .. } = request;
    let mut texts = vec![url];
    texts.extend(query.values_mut());
    texts.extend(headers.values_mut());
    let mut parts = Vec::new();
    match body {
        Some(HttpBody::Form(form)) => texts.extend(form.values_mut()),
        Some(HttpBody::Text { text, .. }) => texts.push(text),
        Some(HttpBody::Json(json)) => texts.extend(strings(json)),
        Some(HttpBody::Multipart(own)) => {
            for part in own {
                texts.extend([&mut part.text, &mut part.filename].into_iter().flatten());
                parts.extend(&mut part.file);
            }
        }
        None => {}
    }
    if let Some(HttpAuth::Basic { user, .. }) = auth {
        texts.push(user);
    }
    let templates = templates.into_iter().zip(texts).map(|(path, text)| (path, Form::Template, text));
    let files = files.into_iter().zip(parts).map(|(path, text)| (path, Form::Expression, text));
    templates.chain(files).collect()
}

/// The strings of a value in the order in which it is written.
fn strings(value: &mut Value) -> Vec<&mut String> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(list) => open.extend(list.iter_mut().rev()),
            Value::Object(map) => {
                let inner: Vec<_> = map.values_mut().collect();
                open.extend(inner.into_iter().rev());
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{FormPart, Secret};
    use serde_json::json;

    #[test]
    fn every_text_that_is_evaluated_is_there_at_its_path() {
        let texts = |names: [&str; 2]| {
            names.iter().map(|name| ((*name).into(), format!("{{{{ {name} }}}}"))).collect()
        };
        let part = |name: &str| FormPart {
            text: Some(format!("{name} text")),
            file: Some(format!("{name}.file")),
            filename: Some(format!("{name} filename")),
            ..FormPart::default()
        };
        let bodies = [
            HttpBody::Form(texts(["f", "g"])),
            HttpBody::Text { text: "text".into(), media_type: None },
            HttpBody::Json(json!({ "z": ["one", { "b": "two", "a": "three" }], "y": "four", "n": 1 })),
            HttpBody::Multipart(vec![part("p"), FormPart::default(), part("q")]),
        ];
        for body in bodies {
            let password = Secret { secret: "KEY".into() };
            let mut request = HttpRequest {
                query: texts(["q", "r"]),
                headers: texts(["h", "i"]),
                auth: Some(HttpAuth::Basic { user: "{{ me }}".into(), password }),
                body: Some(body),
                ..HttpRequest::to("https://a.test/{{ id }}")
            };
            let owned = |(path, text): (String, &str)| (path, text.to_owned());
            let mut expected: Vec<_> = templates_of_request(&request).into_iter().map(owned).collect();
            expected.extend(files_of_request(&request).into_iter().map(owned));
            let found: Vec<_> =
                texts_mut(&mut request).into_iter().map(|(path, _, text)| (path, text.clone())).collect();
            assert_eq!(found, expected);
        }
    }
}
