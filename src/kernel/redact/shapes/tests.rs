//! Texts with keys in them, made up, and texts that only look alike.

use crate::kernel::redact::Redactor;

/// Made at run time, so that no scanner takes this file for a leak.
fn key(prefix: &str, length: usize) -> String {
    let body = "a1B2c3D4e5F6g7H8i9J0kLmNoPqRsTuVwXyZ".chars().cycle();
    prefix.chars().chain(body.take(length)).collect()
}

fn check(text: &str, expected: &str) {
    assert_eq!(Redactor::new().redact(text), expected);
}

#[test]
fn keys_with_a_fixed_beginning() {
    for (prefix, length, label) in [
        ("sk-", 48, "API key"),
        ("sk-proj-", 74, "API key"),
        ("sk-ant-api03-", 95, "Anthropic key"),
        ("sk-or-v1-", 64, "OpenRouter key"),
        ("sk_live_", 24, "Stripe key"),
        ("gsk_", 52, "Groq key"),
        ("ghp_", 36, "GitHub token"),
        ("gho_", 36, "GitHub token"),
        ("ghs_", 36, "GitHub token"),
        ("ghr_", 36, "GitHub token"),
        ("github_pat_11ABCDEFG0abcdefghijkl_", 59, "GitHub token"),
        ("glpat-", 20, "GitLab token"),
        ("AIza", 35, "Google key"),
        ("xoxb-123456789012-1234567890123-", 24, "Slack token"),
        ("hf_", 34, "Hugging Face token"),
        ("npm_", 36, "npm token"),
        ("pypi-AgEIcHlwaS5vcmc", 100, "PyPI token"),
    ] {
        let key = key(prefix, length);
        for (before, after) in [
            ("", ""),
            ("KEY=", "\n"),
            ("say \"", "\", he said"),
            ("{\\\"key\\\":\\\"x\\n", "\\n\\\"}"),
            ("?key%3D", "&b"),
            ("the key is ", "."),
            ("密钥", "。"),
            ("\n-", "\n+"),
            ("https://", "@example.com/"),
        ] {
            check(
                &format!("{before}{key}{after}"),
                &format!("{before}[redacted: {label}]{after}"),
            );
        }
        let inside = format!("x{key}");
        check(&inside, &inside);
    }
    check(
        &["AKIA", "IOSFODNN7EXAMPLE"].concat(),
        "[redacted: AWS key id]",
    );
    check(
        &["ASIA", "Y34FZKBOKMUTVV7A"].concat(),
        "[redacted: AWS key id]",
    );
}

#[test]
fn tokens_and_headers() {
    let jwt = [key("eyJ", 33), key("eyJ", 60), key("", 43)].join(".");
    let sendgrid = [key("SG.", 22), key("", 43)].join(".");
    let uuid = "550e8400-e29b-41d4-a716-446655440000";
    check(&format!("t={jwt};"), "t=[redacted: JWT];");
    check(&sendgrid, "[redacted: SendGrid key]");
    check(
        &format!("Authorization: Bearer {jwt}"),
        "Authorization: Bearer [redacted: token]",
    );
    check(
        &format!("-H 'authorization: bearer {uuid}'"),
        "-H 'authorization: bearer [redacted: token]'",
    );
    check(
        &format!("Bearer {}", key("sk-", 48)),
        "Bearer [redacted: token]",
    );
    check("Bearer abc/d+e~f.123456==.", "Bearer [redacted: token].");
}

#[test]
fn private_keys_however_their_lines_are_written() {
    let line = key("MII", 61);
    let begin = "-----BEGIN RSA PRIVATE KEY-----";
    let end = "-----END RSA PRIVATE KEY-----";
    for (text, expected) in [
        (
            format!("a\n{begin}\n{line}\n{line}\nQUJD\n{end}\nb"),
            "a\n[redacted: private key]\nb",
        ),
        (
            format!("\"{begin}\\n{line}\\n{line}\\nQUJD\\n{end}\\n\""),
            "\"[redacted: private key]\\n\"",
        ),
        (
            format!("  1\t{begin}\n  2\t{line}\n  3\t{end}\n"),
            "  1\t[redacted: private key]\n",
        ),
        (
            format!(
                "{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF\n\n{line}\n{end}"
            ),
            "[redacted: private key]",
        ),
        (
            format!("{begin}\n{line}\n{line}"),
            "[redacted: private key]",
        ),
        (
            format!("{begin}\n{line}\n\nand so on"),
            "[redacted: private key]\n\nand so on",
        ),
    ] {
        check(&text, expected);
    }
    for text in [
        format!("{begin}\n...\n{end}"),
        format!("A key begins with {begin} and ends with {end}, as all know."),
        format!("-----BEGIN PUBLIC KEY-----\n{line}\n-----END PUBLIC KEY-----"),
        format!("-----BEGIN CERTIFICATE-----\n{line}\n-----END CERTIFICATE-----"),
    ] {
        check(&text, &text);
    }
}

#[test]
fn ordinary_texts_are_left_alone() {
    let image = key("data:image/png;base64,iVBORw0KGgo/AKIA+sk/ghp/eyJ", 4_000);
    for text in [
        "sk-learn, ask-me, task-force-management-and-planning-2024, sk-fading-circle-animation-wrapper",
        "class=\"sk-cube-grid sk-folding-cube-animation-container-large-2\"",
        "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx sk-... sk-your-api-key-goes-here-please",
        "550e8400-e29b-41d4-a716-446655440000 5cbd2ef1a9036f7b58d530c2e4d1b6a7f09c3e8d",
        "Keys that begin with AIza or AKIA, such as AKIAxxxxxxxxxxxxxxxx, are Google's and Amazon's",
        "ASIAPACIFICREGIONSXY AKIAIOSFODNN7EXAMPLE1",
        "gsk_render_node_draw_with_a_long_function_name_1 hf_hub_download npm_config_registry npm_package_dependencies_1",
        "pypi-package-with-a-rather-long-name-that-goes-on-and-on-and-on-1",
        "ghp_short github_pat_example glpat-token xoxb-token SG.mail eyJhbGciOiJIUzI1NiJ9",
        "The Bearer of bad news, Bearer token, Bearer ${TOKEN}, Bearer YOUR_API_KEY, bearer authentication-required",
        "Forbearer 0123456789abcdefghij",
        "fn is_task(&self) -> bool { self.sk_state_machine_transition_count_total > 0 }",
        &image,
    ] {
        check(text, text);
    }
}
