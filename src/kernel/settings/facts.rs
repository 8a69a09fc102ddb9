//! What is known of a model: its window, what it costs, whether it takes images.

use super::LimitSettings;
use super::limits::DEFAULT_WINDOW;
use crate::kernel::presets;
use crate::plain::Plain;

/// What is known of a model, or was set by the user.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct ModelFacts {
    /// The model's name.
    pub model: String,
    /// See [`LimitSettings::window`].
    pub window: u32,
    /// See [`LimitSettings::price_in`].
    pub price_in: u32,
    /// See [`LimitSettings::price_cached`].
    pub price_cached: u32,
    /// See [`LimitSettings::price_out`].
    pub price_out: u32,
    /// What it takes beside text.
    #[plain(default)]
    pub takes: Takes,
}

/// What a model takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Plain)]
#[plain(lowercase)]
pub enum Takes {
    /// Nothing is told of that.
    #[default]
    Unknown,
    /// Text and images.
    Images,
    /// Text alone.
    Text,
}

/// Where what is known of a model comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactsSource {
    /// The user set it.
    User,
    /// The endpoint's list of models told it.
    Host,
    /// It is published, as of [`presets::AS_OF`].
    Published,
    /// Nothing is known: the window is a guess, prices there are none.
    Unknown,
}

impl ModelFacts {
    /// What is published of the model, and whether anything is.
    pub fn known(model: &str) -> (Self, FactsSource) {
        match presets::known(model) {
            Some(facts) => (facts, FactsSource::Published),
            None => {
                let facts = Self {
                    window: DEFAULT_WINDOW,
                    ..Self::nothing(model)
                };
                (facts, FactsSource::Unknown)
            }
        }
    }

    /// Nothing but the name: zeros all over.
    pub fn nothing(model: &str) -> Self {
        Self {
            model: model.to_owned(),
            window: 0,
            price_in: 0,
            price_cached: 0,
            price_out: 0,
            takes: Takes::Unknown,
        }
    }

    /// Takes over what `other` tells: the window, the prices together, what it takes.
    pub fn learn(&mut self, other: &Self) {
        if other.takes != Takes::Unknown {
            self.takes = other.takes;
        }
        if other.window > 0 {
            self.window = other.window;
        }
        if other.price_out > 0 {
            self.price_in = other.price_in;
            self.price_cached = other.price_cached;
            self.price_out = other.price_out;
        }
    }

    /// What limits say about their model.
    pub fn of(limits: &LimitSettings) -> Self {
        Self {
            model: String::new(),
            window: limits.window,
            price_in: limits.price_in,
            price_cached: limits.price_cached,
            price_out: limits.price_out,
            takes: Takes::Unknown,
        }
    }

    /// Lets limits say so.
    pub fn put_into(&self, limits: &mut LimitSettings) {
        limits.window = self.window;
        limits.price_in = self.price_in;
        limits.price_cached = self.price_cached;
        limits.price_out = self.price_out;
    }
}
