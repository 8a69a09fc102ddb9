//! What is known beforehand: hosts to choose from in the form, and windows and prices
//! of common models.
//!
//! The figures are the hosts' list prices as [`AS_OF`]; a host may ask something else, so
//! the user can change them. A model that is not here is simply not known.

use super::settings::{DEFAULT_WINDOW, ModelFacts, Takes};

/// When the figures were looked up: year and month.
pub const AS_OF: &str = "2026-09";

/// One a line: name, base URL, page for keys, a model to begin with.
const HOSTS: &str = include_str!("presets/hosts.txt");

/// One a line: name, window in tokens, then the prices of a million tokens sent, sent from
/// the cache, and received, in hundredths of a cent.
///
/// A window ends where a host refuses more or asks a higher price. `=` marks models that
/// many hosts run: the price is their maker's, who calls them by the bare name. `text`
/// behind it marks those that take no images.
const MODELS: &str = include_str!("presets/models.txt");
/// The end of a line of a model that takes text alone.
const TEXT_ALONE: &str = " text";

/// A host to choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// What it is called.
    pub name: &'static str,
    /// Its address.
    pub base_url: &'static str,
    /// Where it gives out keys; empty: it runs on this machine and needs none.
    pub key_page: &'static str,
    /// A model to begin with; may be empty.
    pub model: &'static str,
}

/// The hosts to choose from, in the order of the form.
pub fn presets() -> impl Iterator<Item = Preset> {
    HOSTS.lines().map(|line| {
        let mut parts = line.split('|');
        let mut next = || parts.next().unwrap_or_default();
        Preset {
            name: next(),
            base_url: next(),
            key_page: next(),
            model: next(),
        }
    })
}

/// The preset with this address.
pub fn preset_of(base_url: &str) -> Option<Preset> {
    presets().find(|preset| preset.base_url == base_url)
}

/// The page on which `host` gives out keys, if it is one of the presets'.
pub fn key_page_at(host: &str) -> Option<&'static str> {
    let is_there = |preset: &Preset| preset.base_url.split('/').nth(2) == Some(host);
    let page = presets().find(is_there)?.key_page;
    (!page.is_empty()).then_some(page)
}

/// What is known of a model; `None`: nothing. Its name may have a maker in front
/// (`openai/gpt-4.1-mini`), a date or `-latest` behind, and a point or a dash in its version.
pub fn known(model: &str) -> Option<ModelFacts> {
    find(MODELS, model)
}

fn find(table: &str, model: &str) -> Option<ModelFacts> {
    let plain = |name: &str| name.to_ascii_lowercase().replace('.', "-");
    let (maker, name) = model.rsplit_once('/').unwrap_or(("models", model));
    let name = plain(name);
    let mut best: Option<(usize, ModelFacts)> = None;
    for line in table.lines() {
        let mut parts = line.split(' ');
        let given = parts.next().unwrap_or_default();
        let row = plain(given.trim_start_matches('='));
        let fits = name.strip_prefix(row.as_str()).is_some_and(is_version);
        if !fits || best.as_ref().is_some_and(|(length, _)| *length > row.len()) {
            continue;
        }
        let mut number = || parts.next().and_then(|part| part.parse().ok());
        let window = number().unwrap_or(DEFAULT_WINDOW);
        // Gemini's own list has `models/` in front.
        let is_makers = !given.starts_with('=') || maker == "models";
        let mut price = || number().filter(|_| is_makers).unwrap_or(0);
        let facts = ModelFacts {
            model: model.to_owned(),
            window,
            price_in: price(),
            price_cached: price(),
            price_out: price(),
            takes: match line.ends_with(TEXT_ALONE) {
                true => Takes::Text,
                false => Takes::Unknown,
            },
        };
        best = Some((row.len(), facts));
    }
    best.map(|(_, facts)| facts)
}

/// Whether what stands behind a model's name is only a date, a build or `-latest`, and so
/// no other model: `-4` would be one.
fn is_version(rest: &str) -> bool {
    if matches!(rest, "" | "-latest") {
        return true;
    }
    let Some(date) = rest.strip_prefix(['-', '@']) else {
        return false;
    };
    let first = date.split('-').next().unwrap_or_default();
    first.len() >= 3 && date.chars().all(|c| c.is_ascii_digit() || c == '-')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::kernel::settings::{BaseUrl, Limit, LimitSettings};

    #[test]
    fn every_host_can_be_put_into_the_form() {
        let mut names = BTreeSet::new();
        let mut addresses = BTreeSet::new();
        for preset in presets() {
            let url = BaseUrl::parse(preset.base_url).unwrap();
            assert_eq!(url.as_str(), preset.base_url, "as the form keeps it");
            assert_eq!(preset_of(preset.base_url), Some(preset));
            assert!(names.insert(preset.name), "{} stands twice", preset.name);
            assert!(addresses.insert(preset.base_url));
            let is_local = preset.base_url.starts_with("http://localhost:");
            assert_eq!(preset.key_page.is_empty(), is_local, "{}", preset.name);
            let page = (!is_local).then_some(preset.key_page);
            assert_eq!(key_page_at(url.host()), page, "{}", preset.name);
            if !is_local {
                BaseUrl::parse(preset.key_page).unwrap();
                assert!(preset.key_page.starts_with("https://"));
                assert!(!preset.model.is_empty(), "{}", preset.name);
            }
        }
        assert_eq!(names.len(), 18);
        assert!(HOSTS.lines().all(|line| line.split('|').count() <= 4));
    }

    #[test]
    fn every_model_has_figures_that_the_settings_take() {
        let mut names = BTreeSet::new();
        for line in MODELS.lines() {
            let figures = line.strip_suffix(TEXT_ALONE);
            let parts: Vec<&str> = figures.unwrap_or(line).split(' ').collect();
            let name = parts[0].trim_start_matches('=');
            assert!(names.insert(name), "{name} stands twice");
            assert!(matches!(parts.len(), 2 | 5), "{line}");
            let facts = known(name).unwrap();
            assert_eq!(facts.takes == Takes::Text, figures.is_some(), "{name}");
            let figures = [
                facts.window,
                facts.price_in,
                facts.price_cached,
                facts.price_out,
            ];
            for (part, figure) in parts[1..].iter().zip(figures) {
                assert_eq!(*part, figure.to_string(), "{name}");
            }
            let mut limits = LimitSettings::default();
            facts.put_into(&mut limits);
            assert_eq!(limits.problems(), [], "{name}");
            assert!(facts.price_cached <= facts.price_in && facts.price_in <= facts.price_out);
            assert!(facts.window >= Limit::Window.range().0);
        }
        let (year, month) = AS_OF.split_once('-').unwrap();
        assert!(year.parse::<u32>().unwrap() >= 2026);
        assert!((1..=12).contains(&month.parse::<u32>().unwrap()));
    }

    /// The price for tokens received, in hundredths of a cent; `None`: not known at all.
    fn price(model: &str) -> Option<u32> {
        known(model).map(|facts| facts.price_out)
    }

    #[test]
    fn names_are_known_as_hosts_write_them() {
        for name in [
            "gpt-4.1-mini",
            "GPT-4.1-mini",
            "openai/gpt-4.1-mini",
            "gpt-4.1-mini-2025-04-14",
            "azure/openai/gpt-4-1-mini",
        ] {
            assert_eq!(price(name), Some(16_000), "{name}");
            assert_eq!(known(name).unwrap().model, name);
        }
        for name in [
            "claude-sonnet-4-5-20250929",
            "anthropic/claude-sonnet-4.5",
            "claude-sonnet-4-5@20250929",
            "claude-sonnet-4-5-latest",
        ] {
            assert_eq!(price(name), Some(150_000), "{name}");
        }
        assert_eq!(price("models/gemini-2.5-flash"), Some(25_000));
        assert_eq!(price("gemini-2.5-flash-001"), Some(25_000));
    }

    #[test]
    fn another_model_with_the_same_beginning_is_not_taken_for_it() {
        for name in [
            "",
            "gpt-5-pro",
            "gpt-5.3",
            "gpt-5-mini-high",
            "claude-sonnet-4-7-20270101",
            "gpt-4.1-mini:free",
            "o3-deep-research",
            "my-gpt-5",
            "openai/",
        ] {
            assert_eq!(known(name), None, "{name}");
        }
    }

    #[test]
    fn the_price_of_a_model_many_hosts_run_is_only_its_makers() {
        let there = known("deepseek/deepseek-v4-pro").unwrap();
        assert_eq!((there.window, there.price_in), (1_000_000, 0));
        assert_eq!(known("deepseek-v4-pro").unwrap().price_in, 13_200);
    }

    #[test]
    fn the_longest_name_that_fits_wins() {
        for table in ["m 9000\nm-2024 5000", "m-2024 5000\nm 9000"] {
            assert_eq!(find(table, "m-2024-100").unwrap().window, 5_000);
            assert_eq!(find(table, "m-2025").unwrap().window, 9_000);
        }
    }
}
