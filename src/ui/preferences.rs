//! What the user likes to see: language, theme, widths. Kept in the browser,
//! known to the page alone.

use super::dom;
use super::element::follow_later;
use super::signal::RwSignal;
use super::words::{Language, Words};

const LANGUAGE: &str = "tabloop.language";
const THEME: &str = "tabloop.theme";
const WORKSPACE_WIDTH: &str = "tabloop.workspace-width";

/// Narrowest and widest the files pane may be, in pixels.
pub const WORKSPACE_WIDTHS: (u32, u32) = (280, 720);
const USUAL_WIDTH: u32 = 380;

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All there are, in the order of the list.
    pub const ALL: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

    /// Its name in storage and in the document.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme called `name`.
    pub fn named(name: &str) -> Self {
        let found = Self::ALL.into_iter().find(|theme| theme.name() == name);
        found.unwrap_or(Theme::System)
    }
}

/// The preferences; clones are the same ones.
#[derive(Debug, Clone, Copy)]
pub struct Preferences {
    /// The language the user asked for; `None`: the browser's.
    pub language: RwSignal<Option<Language>>,
    /// Light or dark.
    pub theme: RwSignal<Theme>,
    /// Width of the files pane, in pixels.
    pub workspace_width: RwSignal<u32>,
    of_browser: Language,
}

/// The language called `tag`.
pub fn language_of(tag: &str) -> Option<Language> {
    [Language::English, Language::Chinese]
        .into_iter()
        .find(|language| language.tag() == tag)
}

impl Preferences {
    /// Reads what was kept, and keeps what changes.
    pub fn load() -> Self {
        let language = RwSignal::new(dom::kept(LANGUAGE).and_then(|tag| language_of(&tag)));
        let theme = RwSignal::new(Theme::named(&dom::kept(THEME).unwrap_or_default()));
        let width = dom::kept(WORKSPACE_WIDTH).and_then(|width| width.parse().ok());
        let workspace_width = RwSignal::new(clamp_width(width.unwrap_or(USUAL_WIDTH)));
        let preferences = Self {
            language,
            theme,
            workspace_width,
            of_browser: Language::preferred(dom::languages()),
        };
        preferences.keep_changes();
        preferences
    }

    fn keep_changes(self) {
        follow_later(Box::new(move || {
            dom::keep(LANGUAGE, self.language.get().map(Language::tag));
            dom::set_root("lang", Some(self.language_in_use().tag()));
        }));
        follow_later(Box::new(move || {
            let theme = self.theme.get();
            let chosen = (theme != Theme::System).then(|| theme.name());
            dom::keep(THEME, chosen);
            dom::set_root("data-theme", chosen);
        }));
        follow_later(Box::new(move || {
            dom::keep(
                WORKSPACE_WIDTH,
                Some(&self.workspace_width.get().to_string()),
            );
        }));
    }

    /// The texts in the language in use.
    pub fn words(self) -> &'static Words {
        self.language_in_use().words()
    }

    /// The language in use.
    pub fn language_in_use(self) -> Language {
        self.language.get().unwrap_or(self.of_browser)
    }

    /// Speaks `language` from now on; `None`: the browser's.
    pub fn choose_language(self, language: Option<Language>) {
        self.language.set(language);
    }

    /// Makes the files pane wider, or narrower with a negative number.
    pub fn widen_workspace(self, by: i32) {
        self.workspace_width
            .update(|width| *width = clamp_width(width.saturating_add_signed(by)));
    }
}

fn clamp_width(width: u32) -> u32 {
    width.clamp(WORKSPACE_WIDTHS.0, WORKSPACE_WIDTHS.1)
}
