//! The options of `curl`, as far as a command has to be read: which of them have a value, and which of those that no
//! request of a workflow has change what is sent.

/// Short options that have a value, and their long names.
const SHORT: [(char, &str); 26] = [
    ('A', "user-agent"),
    ('b', "cookie"),
    ('c', "cookie-jar"),
    ('C', "continue-at"),
    ('d', "data"),
    ('D', "dump-header"),
    ('e', "referer"),
    ('E', "cert"),
    ('F', "form"),
    ('H', "header"),
    ('K', "config"),
    ('m', "max-time"),
    ('o', "output"),
    ('P', "ftp-port"),
    ('Q', "quote"),
    ('r', "range"),
    ('t', "telnet-option"),
    ('T', "upload-file"),
    ('u', "user"),
    ('U', "proxy-user"),
    ('w', "write-out"),
    ('x', "proxy"),
    ('X', "request"),
    ('y', "speed-time"),
    ('Y', "speed-limit"),
    ('z', "time-cond"),
];

/// Short options that stand alone and say something about the request.
const FLAGS: [(char, &str); 4] = [('G', "get"), ('I', "head"), ('n', "netrc"), (':', "next")];

/// Long options that have a value.
const WITH_VALUE: &str = "abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config \
    connect-timeout connect-to continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary \
    data-raw data-urlencode delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech \
    egd-file engine etag-compare etag-save expect100-timeout form form-string ftp-account ftp-alternative-to-user \
    ftp-method ftp-port ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts \
    interface ip-tos ipfs-gateway json keepalive-cnt keepalive-time key key-type knownhosts krb krb4 libcurl limit-rate \
    local-port login-options mail-auth mail-from mail-rcpt max-filesize max-redirs max-time netrc-file noproxy \
    oauth2-bearer output output-dir parallel-max parallel-max-host pass pinnedpubkey preproxy proto proto-default \
    proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header \
    proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype \
    proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file range rate referer request \
    request-target resolve retry retry-delay retry-max-time sasl-authzid service-name sigalgs socks4 socks4a socks5 \
    socks5-gssapi-service socks5-hostname speed-limit speed-time ssl-sessions stderr telnet-option tftp-blksize \
    time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii trace-config unix-socket \
    upload-file upload-flags url url-query user user-agent variable vlan-priority write-out";

/// What is said of options that are left out and change what is sent, and which they are.
const LEFT_OUT: [(&str, &str); 6] = [
    (
        "Its proxy was left out",
        "proxy preproxy proxy1.0 socks4 socks4a socks5 socks5-hostname proxy-user proxy-header proxy-cert proxy-key \
         proxy-pass proxy-tlsuser proxy-tlspassword haproxy-clientip",
    ),
    (
        "Its certificates were left out, since the browser or the server has its own",
        "cert key pass cacert capath crlfile pinnedpubkey tlsuser tlspassword tlsauthtype",
    ),
    ("Its signature was left out, with the key that it is made with", "aws-sigv4"),
    (
        "It goes to the address itself, and another way was left out",
        "connect-to resolve unix-socket abstract-unix-socket interface request-target",
    ),
    (
        "Its way to sign in was left out",
        "netrc netrc-optional netrc-file digest ntlm negotiate anyauth sasl-authzid login-options",
    ),
    (
        "What it would send besides was left out",
        "continue-at time-cond etag-compare alt-svc variable ftp-account mail-from mail-rcpt telnet-option quote",
    ),
];

/// One option of a word, and the value that is written onto it.
#[derive(Debug, PartialEq)]
pub(super) struct Given {
    /// As it stands in the command.
    pub(super) written: String,
    /// Its long name.
    pub(super) name: String,
    /// Whether it has a value.
    pub(super) has_value: bool,
    /// The value, where it is in the same word.
    pub(super) value: Option<String>,
}

/// The options of a word, `-sSLu me:pw`, `-XPOST`, `--request=POST`; none where it is an address.
pub(super) fn options(word: &str) -> Vec<Given> {
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        return vec![Given {
            written: format!("--{name}"),
            has_value: has_value(name),
            name: name.to_owned(),
            value: value.map(str::to_owned),
        }];
    }
    let mut found = Vec::new();
    let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
    while let Some(letter) = letters.next() {
        let written = format!("-{letter}");
        if let Some((_, name)) = SHORT.iter().find(|(short, _)| *short == letter) {
            let value = Some(letters.as_str()).filter(|value| !value.is_empty()).map(str::to_owned);
            found.push(Given { written, name: (*name).to_owned(), has_value: true, value });
            break;
        }
        let name = FLAGS.iter().find(|(short, _)| *short == letter).map(|(_, name)| (*name).to_owned());
        found.push(Given { name: name.unwrap_or_default(), written, has_value: false, value: None });
    }
    found
}

/// Whether a long option has a value. Those that curl expands have one too.
fn has_value(name: &str) -> bool {
    let name = name.strip_prefix("expand-").unwrap_or(name);
    WITH_VALUE.split_ascii_whitespace().any(|one| one == name)
}

/// Which sentence tells that an option is left out; none where that changes nothing of what is sent.
pub(super) fn left_out(name: &str) -> Option<&'static str> {
    if name.starts_with("expand-") {
        return LEFT_OUT.last().map(|(said, _)| *said);
    }
    let (said, _) =
        LEFT_OUT.iter().find(|(_, names)| names.split_ascii_whitespace().any(|one| one == name))?;
    Some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_options_are_those_of_their_long_names_and_may_stand_in_one_word() {
        assert!(SHORT.iter().all(|(_, name)| has_value(name)));
        let names = |word: &str| {
            let found = options(word).into_iter();
            found.map(|one| (one.written, one.name, one.value.unwrap_or_default())).collect::<Vec<_>>()
        };
        let one =
            |written: &str, name: &str, value: &str| (written.to_owned(), name.to_owned(), value.to_owned());
        assert_eq!(
            names("-sGUu:p"),
            [one("-s", "", ""), one("-G", "get", ""), one("-U", "proxy-user", "u:p")]
        );
        assert_eq!(names("--proxy-user=u:p"), [one("--proxy-user", "proxy-user", "u:p")]);
        assert_eq!(names("https://a.test"), []);
        assert!(options("-su").iter().any(|one| one.has_value));
        assert!(
            left_out("cert").is_some() && left_out("expand-data").is_some() && left_out("retry").is_none()
        );
    }
}
