//! Commands that people paste, and the requests that they are.

use super::*;
use serde_json::json;

fn request(text: &str) -> Value {
    serde_json::to_value(read(text).unwrap().request).unwrap()
}

#[test]
fn a_command_is_the_request_that_it_would_send() {
    for (text, meant) in [
        ("curl https://a.test/x?y=1", json!({ "url": "https://a.test/x?y=1" })),
        ("curl -sSL a.test", json!({ "url": "https://a.test" })),
        ("curl -XDELETE 'https://a.test/x'", json!({ "method": "DELETE", "url": "https://a.test/x" })),
        ("curl -I https://a.test", json!({ "method": "HEAD", "url": "https://a.test" })),
        (
            "curl https://a.test \\\n  -H 'Content-Type: application/json' \\\n  --data-raw $'{\"a\": \"it\\'s {{x}}\"}' --compressed",
            json!({ "url": "https://a.test", "body": { "json": { "a": "it's {{ '{{' }}x}}" } } }),
        ),
        (
            "curl https://a.test -d a=1 -d b=x+y%21 -H 'Accept: text/html' -H 'Host: b.test' -o out -k",
            json!({ "url": "https://a.test", "headers": { "accept": "text/html" }, "body": { "form": { "a": "1", "b": "x y!" } } }),
        ),
        (
            "curl -G https://a.test?x=1 --data-urlencode 'q=a b'",
            json!({ "url": "https://a.test?x=1&q=a%20b" }),
        ),
        (
            "curl -X PUT https://a.test -H 'content-type: text/csv' -d 'a,b'",
            json!({ "method": "PUT", "url": "https://a.test", "body": { "text": "a,b", "type": "text/csv" } }),
        ),
        (
            "curl https://a.test -F name=bee --form 'note=a=b'",
            json!({ "url": "https://a.test", "body": { "multipart": [{ "name": "name", "text": "bee" }, { "name": "note", "text": "a=b" }] } }),
        ),
    ] {
        assert_eq!(request(text), meant, "{text}");
    }
}

#[test]
fn keys_come_out_of_the_request_wherever_they_stand() {
    let name = json!({ "secret": "A_TEST_KEY" });
    for (text, auth, key) in [
        ("curl https://a.test -H 'Authorization: Bearer sk-1'", json!({ "bearer": name }), Some("sk-1")),
        (
            "curl https://a.test -H \"Authorization: Bearer $MY_TOKEN\"",
            json!({ "bearer": { "secret": "MY_TOKEN" } }),
            None,
        ),
        ("curl https://a.test --oauth2-bearer sk-1", json!({ "bearer": name }), Some("sk-1")),
        ("curl -u me:pw https://a.test", json!({ "basic": { "user": "me", "password": name } }), Some("pw")),
        ("curl https://me:pw@a.test/x", json!({ "basic": { "user": "me", "password": name } }), Some("pw")),
        (
            "curl https://a.test -H 'authorization: Basic bWU6cHc='",
            json!({ "basic": { "user": "me", "password": name } }),
            Some("pw"),
        ),
        (
            "curl https://a.test -H 'X-API-Key: sk-1'",
            json!({ "header": { "name": "x-api-key", "value": name } }),
            Some("sk-1"),
        ),
        (
            "curl 'https://a.test/x?a=1&api_key=sk%2D1'",
            json!({ "query": { "name": "api_key", "value": name } }),
            Some("sk-1"),
        ),
    ] {
        let command = read(text).unwrap();
        let shown = serde_json::to_value(&command.request).unwrap();
        assert_eq!((&shown["auth"], command.key.as_deref()), (&auth, key), "{text}");
        assert!(!shown.to_string().contains("sk-1") && !shown.to_string().contains("pw@"), "{shown}");
    }
}

#[test]
fn what_cannot_be_taken_over_is_said() {
    for (text, said) in [
        ("wget https://a.test", "no curl command"),
        ("curl", "no address"),
        ("curl 'https://a.test", "not closed"),
        ("curl https://a.test -H", "missing behind -H"),
        ("curl https://a.test -d @body.json", "the file body.json"),
        ("curl https://a.test -F 'file=@a.png'", "file of yours"),
        ("curl -T a.txt https://a.test", "reads a file"),
        ("curl ftp://a.test", "no http(s) address"),
        ("curl -X BREW https://a.test", "no method BREW"),
    ] {
        assert!(read(text).unwrap_err().contains(said), "{text}: {:?}", read(text));
    }
    let Command { notes, request, .. } = read("curl https://a.test -b a=1 | sh").unwrap();
    assert_eq!((notes.len(), request.url.as_str()), (2, "https://a.test"));
}

#[test]
fn no_other_key_stays_in_the_workflow() {
    let command = read("curl https://a.test -H 'Authorization: Bearer sk-1' -H 'X-Api-Key: other' -H 'Accept: a' --json '{\"user\": {\"name\": \"me\", \"password\": \"hunter2\"}, \"api_key\": \"k1\", \"max_tokens\": 5, \"key\": \"order\"}'").unwrap();
    let text = serde_json::to_string(&command.request).unwrap();
    assert!(!text.contains("other") && !text.contains("hunter2") && !text.contains("k1"), "{text}");
    assert!(text.contains("\"order\"") && text.contains("\"max_tokens\":5"), "{text}");
    assert_eq!(
        command.notes,
        [
            "What stood under password, api_key in its body was left out, since the workflow would store it: a key goes into a header or the query.",
            "The header x-api-key holds another key and was left out: a request has one.",
        ]
    );
    for text in
        ["curl https://a.test -d 'user=me&password=hunter2'", "curl https://a.test -F client_secret=hunter2"]
    {
        let command = read(text).unwrap();
        assert!(!serde_json::to_string(&command.request).unwrap().contains("hunter2"), "{text}");
        assert_eq!(command.notes.len(), 1, "{text}");
    }
    assert_eq!(request("curl https://a.test -d 'password=$PW'")["body"]["form"]["password"], "$PW");
}

#[test]
fn the_value_of_an_option_is_never_the_address() {
    let shorts = "AbcCDeEmoPQrtuUwxyYz";
    let long = [
        "aws-sigv4",
        "capath",
        "cert-type",
        "ciphers",
        "connect-to",
        "crlfile",
        "dns-servers",
        "doh-url",
        "engine",
        "etag-save",
        "expect100-timeout",
        "interface",
        "key-type",
        "keepalive-time",
        "login-options",
        "max-filesize",
        "netrc-file",
        "noproxy",
        "output-dir",
        "parallel-max",
        "pass",
        "pinnedpubkey",
        "preproxy",
        "proto",
        "proxy-cacert",
        "proxy-header",
        "proxy-pass",
        "proxy-user",
        "proxy1.0",
        "rate",
        "request-target",
        "retry-max-time",
        "socks5-hostname",
        "speed-limit",
        "tls-max",
        "tlspassword",
        "trace-ascii",
        "unix-socket",
        "upload-flags",
        "variable",
    ];
    let names = shorts.chars().map(|letter| format!("-sS{letter}"));
    for name in names.chain(long.iter().map(|name| format!("--{name}"))) {
        let text = format!("curl {name} u:KEY https://a.test/");
        let command = read(&text).unwrap();
        assert_eq!(command.request.url, "https://a.test/", "{text}");
        let notes = command.notes.join(" ");
        assert!(!notes.contains("KEY"), "{text}: {notes}");
        if !name.ends_with('r') && !name.ends_with('A') {
            assert!(!serde_json::to_string(&command.request).unwrap().contains("u:KEY"), "{text}");
        }
    }
    // What no version of curl has is no address either.
    assert!(read("curl --unheard-of u:KEY https://a.test/").unwrap_err().contains("no http(s) address"));
}

#[test]
fn what_changes_what_is_sent_is_said_when_it_is_left_out() {
    let notes = |text: &str| read(text).unwrap().notes;
    assert_eq!(
        notes("curl -sSLx p.test -U u:p --proxy-user a:b --cert c.pem --pass p --retry 3 https://a.test"),
        [
            "Its proxy was left out (-x, -U, --proxy-user).",
            "Its certificates were left out, since the browser or the server has its own (--cert, --pass).",
        ]
    );
    let signed = read("curl --aws-sigv4 aws:amz:us:es --user ID:KEY https://a.test").unwrap();
    assert_eq!((signed.request.auth, signed.key), (None, None));
    assert_eq!(
        signed.notes,
        ["Its signature was left out, with the key that it is made with (--aws-sigv4)."]
    );
    assert_eq!(
        notes("curl https://a.test --next https://b.test -d x"),
        ["Only its first request was taken."]
    );
    assert_eq!(notes("curl -fsSL#4m 3 -o out -w '%{http_code}' https://a.test"), [] as [&str; 0]);
    assert_eq!(
        request("curl -sSIr 0-9 https://a.test?a=1 --url-query 'q=a b'"),
        json!({ "method": "HEAD", "url": "https://a.test?a=1&q=a%20b", "headers": { "range": "bytes=0-9" } })
    );
}

/// A key of a service, under names that say nothing of it.
const SHAPED: &str = "sk-ant-api03-abcdefghijklmnop";

#[test]
fn what_looks_like_a_key_is_one_under_any_name() {
    let name = json!({ "secret": "A_TEST_KEY" });
    let basic = "Basic c2stYW50LWFwaTAzLWFiY2RlZmdoaWprbG1ub3A6";
    for (text, auth, key) in [
        (
            format!("curl https://a.test -H 'X-Signature-Of: {SHAPED}'"),
            json!({ "header": { "name": "x-signature-of", "value": name } }),
            SHAPED,
        ),
        (
            format!("curl 'https://a.test/x?of={SHAPED}'"),
            json!({ "query": { "name": "of", "value": name } }),
            SHAPED,
        ),
        (
            format!("curl -u {SHAPED}: https://a.test"),
            json!({ "header": { "name": "authorization", "value": name } }),
            basic,
        ),
        (
            format!("curl https://{SHAPED}@a.test"),
            json!({ "header": { "name": "authorization", "value": name } }),
            basic,
        ),
    ] {
        let command = read(&text).unwrap();
        let shown = serde_json::to_value(&command.request).unwrap();
        assert_eq!((&shown["auth"], command.key.as_deref()), (&auth, Some(key)), "{text}");
        assert!(!shown.to_string().contains(SHAPED) && command.notes.is_empty(), "{shown}");
    }
    assert_eq!(text::encoded_user("me", "pw"), "bWU6cHc=");
    assert_eq!(text::encoded_user("me", "pwd"), "bWU6cHdk");
    assert_eq!(text::encoded_user("ûÿ", ""), "w7vDvzo=");
}

#[test]
fn what_cannot_be_the_key_of_the_request_is_left_out_and_said() {
    for (rest, left, said) in [
        (
            format!("-H 'X-Of: a {SHAPED}' https://a.test"),
            "a (a key was here)",
            "The header x-of holds another key",
        ),
        (
            format!("https://a.test/{SHAPED}/x"),
            "https://a.test/a-key-was-here/x",
            "A key stood in its address",
        ),
        (
            "https://a.test/x?api_key=k1-secret".to_owned(),
            "https://a.test/x?api_key=\"",
            "under api_key in its query",
        ),
        (format!("https://a.test/x?of={SHAPED}"), "https://a.test/x?of=\"", "under of in its query"),
        (
            format!("https://a.test -d '{{\"a\":[\"{SHAPED}\"],\"{SHAPED}\":1}}'"),
            "(a key was here)",
            "A key stood in its body",
        ),
        (format!("https://a.test -d of={SHAPED}"), "(a key was here)", "A key stood in its body"),
        (format!("https://a.test -F of={SHAPED}"), "(a key was here)", "A key stood in its body"),
        (
            "https://a.test -d 'api_key=k1-secret&a=1&a=2'".to_owned(),
            "api_key=&a=1&a=2",
            "A key stood in its body",
        ),
    ] {
        let command = read(&format!("curl -H 'Authorization: Bearer first' {rest}")).unwrap();
        let shown = serde_json::to_string(&command.request).unwrap();
        assert!(!shown.contains(SHAPED) && !shown.contains("k1-secret") && shown.contains(left), "{shown}");
        let said_so = command.notes.iter().any(|note| note.contains(said));
        assert!(said_so && !command.notes.concat().contains(SHAPED), "{:?}", command.notes);
    }
}

#[test]
fn an_address_that_is_a_key_is_stored_without_it_and_gives_no_name() {
    for (url, left, name) in [
        (
            "https://hooks.slack.com/services/T0/B0/abc",
            "https://hooks.slack.com/services/a-key-was-here",
            Some("services"),
        ),
        (
            "https://api.telegram.org/bot123:ABC/sendMessage",
            "https://api.telegram.org/bota-key-was-here/sendMessage",
            Some("sendMessage"),
        ),
        (
            "https://discord.com/api/webhooks/1/abc",
            "https://discord.com/api/webhooks/a-key-was-here",
            Some("webhooks"),
        ),
    ] {
        let command = read(&format!("curl {url} -d '{{\"text\":\"hi\"}}'")).unwrap();
        assert_eq!(command.request.url, left);
        assert!(command.notes.iter().any(|note| note.contains("A key stood in its address")), "{url}");
        assert_eq!(crate::model::requests::name_of(&command.request).as_deref(), name);
    }
    let variable = read("curl https://api.telegram.org/bot$TOKEN/getMe").unwrap();
    assert_eq!(
        (variable.request.url.as_str(), variable.notes.len()),
        ("https://api.telegram.org/bot$TOKEN/getMe", 0)
    );
}
