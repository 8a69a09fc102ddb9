//! The directions between the layers: reads every `use` and every path in the
//! sources and fails on one that points the wrong way.
#![cfg(not(target_arch = "wasm32"))]

use std::fs;
use std::path::{Path, PathBuf};

/// What a layer must not name, and why.
const RULES: [(&str, &[&str], &str); 4] = [
    (
        "kernel",
        &[
            "web_sys",
            "js_sys",
            "wasm_bindgen",
            "gloo_net",
            "leptos",
            "std::time::Instant",
            "SystemTime",
            "std::fs",
            "std::thread",
        ],
        "the kernel is platform-free",
    ),
    (
        "kernel",
        &["crate::browser", "crate::ui"],
        "the kernel knows neither the browser's edges nor the interface",
    ),
    (
        "ui",
        &[
            "crate::browser",
            "tabloop::browser",
            "crate::kernel::service",
            "crate::kernel::store",
            "crate::kernel::agent",
        ],
        "the interface knows the protocol and plain data only",
    ),
    (
        "browser",
        &["crate::ui", "leptos"],
        "the browser's edges do not draw",
    ),
];

#[test]
fn no_layer_names_what_it_must_not_know() {
    let mut broken = Vec::new();
    for (layer, forbidden, why) in RULES {
        for file in sources(layer) {
            let text = fs::read_to_string(&file).unwrap();
            broken.extend(
                offences(&text, forbidden)
                    .into_iter()
                    .map(|line| format!("{}: {line} ({why})", file.display())),
            );
        }
    }
    assert!(broken.is_empty(), "\n{}", broken.join("\n"));
}

#[test]
fn the_check_finds_what_it_looks_for() {
    let text = "//! web_sys in words\nuse web_sys::Window;\nlet x = js_sys::Date::now();\n";
    assert_eq!(
        offences(text, &["web_sys", "js_sys"]),
        ["use web_sys::Window;", "let x = js_sys::Date::now();"]
    );
    assert_eq!(
        offences("use crate::{browser::clock, kernel};", &["crate::browser"]),
        ["use crate::{browser::clock, kernel};"]
    );
    assert!(sources("kernel").len() > 20 && !sources("ui").is_empty());
}

#[test]
fn every_source_says_what_lives_in_it_and_is_no_longer_than_one_can_read() {
    for file in sources("") {
        let text = fs::read_to_string(&file).unwrap();
        assert!(
            text.starts_with("//!"),
            "{} does not open with //!",
            file.display()
        );
        let lines = text.lines().count();
        assert!(
            lines <= 450,
            "{} has {lines} lines: which two things live in it?",
            file.display()
        );
    }
}

/// The lines of code, not of comment, that name something forbidden.
fn offences(text: &str, forbidden: &[&str]) -> Vec<String> {
    let code = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"));
    let names = |line: &str| {
        forbidden
            .iter()
            .any(|name| line.contains(name) || names_in_braces(line, name))
    };
    code.filter(|line| names(line)).map(str::to_owned).collect()
}

/// `use crate::{browser::x}` names `crate::browser` too.
fn names_in_braces(line: &str, name: &str) -> bool {
    let Some((root, part)) = name.split_once("::") else {
        return false;
    };
    line.starts_with("use ") && line.contains(&format!("{root}::{{")) && {
        let inside = line.split_once('{').map_or("", |(_, inside)| inside);
        inside
            .split(',')
            .any(|item| item.trim().split("::").next() == Some(part))
    }
}

/// All sources of a layer, or of the whole crate.
fn sources(layer: &str) -> Vec<PathBuf> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    collect(&src, &mut found);
    let folder = src.join(layer);
    found.retain(|file| {
        layer.is_empty() || file.starts_with(&folder) || *file == folder.with_extension("rs")
    });
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}
