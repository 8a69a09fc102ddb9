//! A profile: an endpoint with its models, what is sent to it and what is known of it.

use super::{
    BaseUrl, FactsSource, Images, Lesson, ModelFacts, Problem, RequestOptions, Takes, parse_model,
};
use crate::plain::Plain;

/// Names a profile.
pub type ProfileId = String;

/// Who answers.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum ModelChoice {
    /// The scripted model that needs no network.
    Demo,
    /// A model at an endpoint.
    Profile {
        /// The endpoint.
        id: ProfileId,
        /// The model's name there.
        model: String,
    },
}

/// An OpenAI-compatible endpoint as the user set it up. Its key is not among it.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Profile {
    /// Its id.
    pub id: ProfileId,
    /// What the user calls it; empty: its host says enough.
    #[plain(default)]
    pub name: String,
    /// The address below which `/chat/completions` lives.
    pub base_url: BaseUrl,
    /// The model that is asked where none was chosen.
    pub model: String,
    /// A second, cheap model for summaries, titles and sub-agents; empty: none.
    #[plain(default)]
    pub second_model: String,
    /// Whether it was given a key. Then it is not asked without one.
    pub uses_key: bool,
    /// What is sent beside the conversation.
    #[plain(default)]
    pub options: RequestOptions,
    /// What the user said about single models.
    #[plain(default)]
    pub facts: Vec<ModelFacts>,
    /// What it was found to refuse.
    #[plain(default)]
    pub lessons: Vec<Lesson>,
    /// What its host told of models that were chosen.
    #[plain(default)]
    pub told: Vec<ModelFacts>,
}

/// Where one request goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// See [`Profile::base_url`].
    pub base_url: BaseUrl,
    /// The model's name there.
    pub model: String,
    /// See [`Profile::options`].
    pub options: RequestOptions,
    /// See [`Profile::told`].
    pub told: Vec<ModelFacts>,
}

impl Endpoint {
    /// Whether its model is sent images: as the user says, or unless it is known to take
    /// text alone.
    pub fn takes_images(&self) -> bool {
        match self.options.images {
            Images::Always => true,
            Images::Never => false,
            Images::Auto => {
                let (mut facts, _) = ModelFacts::known(&self.model);
                let told = self.told.iter().find(|told| told.model == self.model);
                told.into_iter().for_each(|told| facts.learn(told));
                facts.takes != Takes::Text
            }
        }
    }
}

/// A profile as it stands in a form.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct ProfileDraft {
    /// As typed.
    pub name: String,
    /// As typed.
    pub base_url: String,
    /// As typed; `None` keeps the one there is.
    pub key: Option<String>,
    /// As typed.
    pub model: String,
    /// What is sent beside the conversation; `None` keeps what was set.
    pub options: Option<RequestOptions>,
}

impl Profile {
    /// One with nothing set but its address and its model.
    pub fn new(id: ProfileId, base_url: BaseUrl, model: String) -> Self {
        Self {
            id,
            name: String::new(),
            base_url,
            model,
            second_model: String::new(),
            uses_key: false,
            options: RequestOptions::default(),
            facts: Vec::new(),
            lessons: Vec::new(),
            told: Vec::new(),
        }
    }

    /// Its name, or its host.
    pub fn label(&self) -> &str {
        match self.name.as_str() {
            "" => self.base_url.host(),
            name => name,
        }
    }

    /// The choice of its first model.
    pub fn choice(&self) -> ModelChoice {
        ModelChoice::Profile {
            id: self.id.clone(),
            model: self.model.clone(),
        }
    }

    /// Where a request to `model` goes.
    pub fn endpoint(&self, model: String) -> Endpoint {
        Endpoint {
            base_url: self.base_url.clone(),
            model,
            options: self.options.clone(),
            told: self.told.clone(),
        }
    }

    /// What the user said about `model`, or what else is known.
    pub fn facts(&self, model: &str) -> ModelFacts {
        let said = self.facts.iter().find(|facts| facts.model == model);
        said.cloned().unwrap_or_else(|| self.without_user(model).0)
    }

    /// Where [`Profile::facts`] come from.
    pub fn source(&self, model: &str) -> FactsSource {
        match self.facts.iter().any(|facts| facts.model == model) {
            true => FactsSource::User,
            false => self.without_user(model).1,
        }
    }

    /// What is known of `model` without the user's word. Its own host knows best.
    fn without_user(&self, model: &str) -> (ModelFacts, FactsSource) {
        let (mut facts, source) = ModelFacts::known(model);
        match self.told.iter().find(|facts| facts.model == model) {
            Some(told) => {
                facts.learn(told);
                (facts, FactsSource::Host)
            }
            None => (facts, source),
        }
    }

    /// Sets what the user says about `model`; what is known anyway is not kept.
    pub fn set_facts(&mut self, model: &str, facts: ModelFacts) {
        let (known, _) = self.without_user(model);
        let facts = ModelFacts {
            model: model.to_owned(),
            // That is a setting of its own.
            takes: known.takes,
            ..facts
        };
        let said = (facts != known).then_some(facts);
        keep_one(&mut self.facts, model, said);
    }

    /// Keeps what the host told of `model`; nothing is told by zeros.
    pub fn hear(&mut self, model: &str, told: Option<&ModelFacts>) {
        let nothing = ModelFacts::nothing(model);
        let tells = |facts: &&ModelFacts| **facts != nothing;
        keep_one(&mut self.told, model, told.filter(tells).cloned());
    }
}

fn keep_one(all: &mut Vec<ModelFacts>, model: &str, now: Option<ModelFacts>) {
    all.retain(|facts| facts.model != model);
    all.extend(now);
}

impl ProfileDraft {
    /// The address and the model's name.
    ///
    /// # Errors
    /// What is wrong with each.
    pub fn parse(&self) -> (Result<BaseUrl, Problem>, Result<String, Problem>) {
        (BaseUrl::parse(&self.base_url), parse_model(&self.model))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::settings::DEFAULT_WINDOW;

    #[test]
    fn what_is_known_anyway_is_not_kept() {
        let base_url = BaseUrl::parse("https://x.example/v1").unwrap();
        let mut profile = Profile::new("p".into(), base_url, "m".into());
        let small = ModelFacts {
            window: 8_000,
            ..ModelFacts::known("m").0
        };
        profile.set_facts("m", small.clone());
        assert_eq!(profile.facts("m"), small);
        assert_eq!(profile.source("m"), FactsSource::User);
        assert_eq!(profile.facts("other").window, DEFAULT_WINDOW);
        assert_eq!(profile.source("other"), FactsSource::Unknown);
        profile.set_facts("m", ModelFacts::known("m").0);
        assert_eq!(profile.facts, []);
    }
    #[test]
    fn the_host_knows_its_models_better_than_a_list_and_the_user_better_than_the_host() {
        let base_url = BaseUrl::parse("https://x.example/v1").unwrap();
        let model = "gpt-4.1-mini";
        let mut profile = Profile::new("p".into(), base_url, model.into());
        let (listed, _) = ModelFacts::known(model);
        assert_eq!(profile.source(model), FactsSource::Published);
        let told = ModelFacts {
            window: 32_000,
            ..ModelFacts::nothing(model)
        };
        profile.hear(model, Some(&told));
        let heard = ModelFacts {
            window: 32_000,
            ..listed
        };
        assert_eq!(profile.facts(model), heard);
        assert_eq!(profile.source(model), FactsSource::Host);
        let said = ModelFacts {
            price_out: 1,
            ..heard.clone()
        };
        profile.set_facts(model, said.clone());
        assert_eq!(profile.facts(model), said);
        profile.set_facts(model, heard);
        assert_eq!(profile.facts, []);
        profile.hear(model, Some(&ModelFacts::nothing(model)));
        assert_eq!(profile.told, []);
    }
}
