//! Files of environment variables (`.env`), and which of their values are secret.

/// The names and values that look secret.
pub(super) fn secrets(content: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in variables(content) {
        if is_secret(name, &value) {
            // The password of an address is one wherever else it stands.
            if let Some(password) = credentials(&value).and_then(|user| user.split_once(':'))
                && !is_dull(password.1)
            {
                found.push((name.to_owned(), password.1.to_owned()));
            }
            found.push((name.to_owned(), value));
        }
    }
    found
}

/// The variables, with each value as programs read it and, where escapes make
/// it differ, as it is written too.
fn variables(content: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    // A quote that is not closed once is not sought again: a long file stays quick.
    let mut unclosed = String::new();
    let mut rest = content.trim_start_matches('\u{feff}');
    while !rest.is_empty() {
        let line_end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let (line, after) = rest.split_at(line_end);
        let Some((name, value)) = line.split_once('=') else {
            rest = after;
            continue;
        };
        // The value with all that follows it: quoted text may go on over lines.
        let open_end = rest[line_end - value.len()..].trim_start();
        let value = value.trim();
        rest = after;
        let name = name.trim();
        let name = name.strip_prefix("export ").unwrap_or(name).trim_start();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        if name.is_empty() || !name.chars().all(plain) {
            continue;
        }
        let quote = value.chars().next();
        let quote = quote.filter(|c| matches!(c, '"' | '\'' | '`') && !unclosed.contains(*c));
        if let Some(quote) = quote {
            let quoted = &open_end[1..];
            if let Some(end) = end_of_quote(quoted, quote) {
                let written = &quoted[..end];
                let read = unescaped(written);
                if quote == '"' && read != written {
                    found.push((name, read));
                }
                found.push((name, written.to_owned()));
                rest = quoted[end..]
                    .split_once('\n')
                    .map_or("", |(_, after)| after);
                continue;
            }
            unclosed.push(quote);
        }
        let end = value.find(" #").or(value.find("\t#"));
        let bare = match value.starts_with('#') {
            true => "",
            false => value[..end.unwrap_or(value.len())].trim_end(),
        };
        found.push((name, bare.to_owned()));
    }
    found
}

fn end_of_quote(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == quote && !escaped;
        escaped = quote == '"' && c == '\\' && !escaped;
        ends.then_some(at)
    })
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('r') => '\r',
                Some('t') => '\t',
                Some(other) => other,
                None => c,
            },
            _ => c,
        });
    }
    out
}

/// Parts of the names of variables that hold secrets.
const SECRET_NAMES: [&str; 5] = ["PASS", "PWD", "SECRET", "CREDENTIAL", "PRIVATE"];
/// The same, but they also name what is no secret: `KEY_PREFIX=my-app`.
const MAYBE_SECRET_NAMES: [&str; 4] = ["KEY", "TOKEN", "AUTH", "DSN"];
/// Words that hold one of the above and mean something else.
const OTHER_NAMES: [&str; 9] = [
    "AUTHOR",
    "TOKENIZER",
    "KEYBOARD",
    "KEYWORD",
    "MONKEY",
    "PASSENGER",
    "COMPASS",
    "BYPASS",
    "PUBLIC_KEY",
];

fn is_secret(name: &str, value: &str) -> bool {
    if credentials(value).is_some() {
        return true;
    }
    if value.chars().count() < super::MIN_SECRET || is_dull(value) {
        return false;
    }
    let mut name = name.to_ascii_uppercase().replace("AUTHORIZ", "AUTH");
    for other in OTHER_NAMES {
        name = name.replace(other, "");
    }
    let has = |part: &&str| name.contains(*part);
    SECRET_NAMES.iter().any(has)
        || MAYBE_SECRET_NAMES.iter().any(has) && !is_words(value) && !is_host(value)
        || is_random(value)
}

/// Values that stand in many files and are no secrets.
const DULL: [&str; 18] = [
    "localhost",
    "development",
    "production",
    "disabled",
    "required",
    "optional",
    "undefined",
    "password",
    "postgres",
    "postgresql",
    "username",
    "redacted",
    "changeme",
    "changeit",
    "change-me",
    "change_me",
    "replace-me",
    "administrator",
];
/// How values begin that are to be filled in.
const PLACEHOLDERS: [&str; 8] = ["your", "<", "${", "$(", "xxx", "...", "***", "insert"];

fn is_dull(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    let in_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-' | '+' | ':' | '_');
    DULL.contains(&small.as_str())
        || is_placeholder(value)
        || value.chars().all(in_number)
        || is_place(value)
}

fn is_placeholder(value: &str) -> bool {
    let small = value.to_ascii_lowercase();
    PLACEHOLDERS.iter().any(|start| small.starts_with(start))
}

/// Whether it is a path or an address of the web without secrets in it.
fn is_place(value: &str) -> bool {
    let parts = |text: &str| text.split(['/', '\\', '?', '=', '&']).any(is_random);
    if let Some((scheme, rest)) = value.split_once("://") {
        return scheme
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '+')
            && !parts(rest);
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-/:~\\ @".contains(c);
    let roots = ["/", "./", "../", "~/"];
    let rooted = roots.iter().any(|root| value.starts_with(root)) || value.get(1..3) == Some(":\\");
    let below = value
        .rsplit_once('/')
        .is_some_and(|(_, last)| has_ending(last));
    value.chars().all(plain) && !parts(value) && (rooted || below)
}

/// Whether it is the name of a host or an address of mail.
fn is_host(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-_:@".contains(c);
    value.chars().all(plain) && has_ending(value)
}

/// Whether it ends as names of files and hosts do: `.json`, `.com:8443`.
fn has_ending(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let ending = ending.split(':').next().unwrap_or_default();
    (2..=5).contains(&ending.len()) && ending.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// User and password in front of the host of an address.
fn credentials(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let (user, _) = authority.rsplit_once('@')?;
    let is_secret = match user.split_once(':') {
        Some((_, password)) => !password.is_empty() && !is_placeholder(password),
        // A token; the name of a user seldom is that long and has digits.
        None => user.len() >= super::MIN_SECRET && user.bytes().any(|byte| byte.is_ascii_digit()),
    };
    is_secret.then_some(user)
}

/// Whether it is made of plain words alone: `my-app`, `access_token`.
fn is_words(value: &str) -> bool {
    value.len() < 24
        && value
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'_' | b' ' | b'.'))
}

/// Whether it has the variety of a key: long, of all kinds of characters, and
/// changing from one kind to another all the time.
fn is_random(value: &str) -> bool {
    let kind = |byte: u8| match byte {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 4,
        _ => 0,
    };
    let bytes = value.as_bytes();
    let kinds = bytes.iter().fold(0, |kinds, byte| kinds | kind(*byte));
    let changes = bytes
        .windows(2)
        .filter(|pair| kind(pair[0]) != kind(pair[1]))
        .count();
    bytes.len() >= 20 && kinds == 7 && changes * 5 >= bytes.len() * 2 && !value.contains([' ', ':'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax() {
        let content = "\u{feff}# comment\n\nA=1\nexport B = two words # why\r\nC='s q # x' # y\nD=\"a\\\"b\\nc\"\nE=\n\
            F=\"first\nsecond\" # z\nG=`b\"t`\nnot a variable\nbad name=1\nH=a#b\nI=#c\n\
            J=\"not closed\nK=\"nor this\nL='\nM=l\\ast\nN=\u{a0}\"長い\"";
        let expected = [
            ("A", "1"),
            ("B", "two words"),
            ("C", "s q # x"),
            ("D", "a\"b\nc"),
            ("D", "a\\\"b\\nc"),
            ("E", ""),
            ("F", "first\nsecond"),
            ("G", "b\"t"),
            ("H", "a#b"),
            ("I", ""),
            ("J", "not closed\nK="),
            ("L", "'"),
            ("M", "l\\ast"),
            ("N", "長い"),
        ];
        let found = variables(content);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_long_file_of_open_quotes_is_read_in_one_pass() {
        let content = format!("A='x\"`\n{}", "B=\"y\n".repeat(100_001));
        assert_eq!(variables(&content).len(), 50_002);
        let content = "B=\"y\\\"\n".repeat(200_000);
        assert_eq!(variables(&content).len(), 200_000);
    }

    #[test]
    fn which_values_are_secret() {
        for (name, value, expected) in [
            ("OPENAI_API_KEY", "abc12345", true),
            ("db_password", "supersecret", true),
            ("SMTP_PASS", "abcd efgh ijkl mnop", true),
            ("JWT_SECRET", "keyboard cat", true),
            ("AUTH_TOKEN", "550e8400-e29b-41d4-a716-446655440000", true),
            (
                "AWS_SECRET_ACCESS_KEY",
                "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                true,
            ),
            ("AUTHORIZATION", "Basic dXNlcjpwYXNz", true),
            ("DATABASE_URL", "postgres://app:s3cret99@db/app", true),
            (
                "SENTRY_DSN",
                "https://0123abcd4567@o1.ingest.sentry.io/2",
                true,
            ),
            ("WHATEVER", "q7Rt2LpX9vBn4KsD8wZc", true),
            ("DB_PASSWORD", "summer.rain", true),
            ("API_KEY", "short", false),
            ("API_KEY", "12345678", false),
            ("API_KEY", "your-api-key-here", false),
            ("API_KEY", "<your key here>", false),
            ("API_KEY", "${OTHER_KEY}", false),
            ("DB_PASSWORD", "postgres", false),
            ("KEY_PREFIX", "shop-cache", false),
            ("PRIVATE_KEY_PATH", "/etc/ssl/private/key.pem", false),
            (
                "GOOGLE_APPLICATION_CREDENTIALS",
                "secrets/account.json",
                false,
            ),
            (
                "AUTH_URL",
                "https://auth.example.com/login?next=home",
                false,
            ),
            ("AUTH_HOST", "auth.example.com:8443", false),
            ("AUTH_EMAIL", "anna@example.com", false),
            ("AUTHOR", "Anna B. Carlson", false),
            ("TOKENIZER", "cl100k_base", false),
            ("NODE_ENV", "development", false),
            ("DEBUG", "true", false),
            ("RELEASE", "MyApplicationVersion2024Release", false),
            ("COMMIT", "5cbd2ef1a9036f7b58d530c2e4d1b6a7f09c3e8d", false),
            ("STARTED", "2024-11-29T10:00:00.000+01:00Z", false),
            ("REDIS_URL", "redis://localhost:6379/0", false),
            ("DB_URL", "postgres://app:${DB_PASSWORD}@db/app", false),
            ("REMOTE", "ssh://deployment@host/x.git", false),
        ] {
            assert_eq!(is_secret(name, value), expected, "{name}={value}");
        }
    }

    #[test]
    fn the_password_of_an_address_is_a_secret_of_its_own() {
        let found = secrets("DB=postgres://app:s3cret99@db/app\nE=mysql://root:password@db/x\n");
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect();
        assert_eq!(
            found,
            [
                ("DB", "s3cret99"),
                ("DB", "postgres://app:s3cret99@db/app"),
                ("E", "mysql://root:password@db/x"),
            ]
        );
    }
}
