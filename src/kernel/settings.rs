//! What the user has set, and the checks on it.

mod address;
mod facts;
mod lesson;
mod limits;
mod options;
mod profile;
mod prompts;

use super::approval::{ApprovalMode, Rule};
use super::store::{Change, Key, Store, StoreError, Table, Value};
use crate::plain::Plain;

pub use self::address::{BaseUrl, is_loopback, parse_key, parse_model};
pub use self::facts::{FactsSource, ModelFacts, Takes};
pub use self::lesson::{Lesson, Refused};
pub use self::limits::{DEFAULT_WINDOW, Limit, LimitSettings, MAX_ROUND_LIMIT};
pub use self::options::{Delivery, Images, OptionField, RequestOptions};
pub use self::profile::{Endpoint, ModelChoice, Profile, ProfileDraft, ProfileId};
pub use self::prompts::Prompt;

/// Everything that is kept between visits. No key is ever among it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Plain)]
pub struct Settings {
    /// The endpoints.
    #[plain(default)]
    pub profiles: Vec<Profile>,
    /// Who answers in new sessions; nobody yet on the first start.
    #[plain(default)]
    pub choice: Option<ModelChoice>,
    /// When runs end.
    #[plain(default)]
    pub limits: LimitSettings,
    /// What is asked about where no rule matches.
    #[plain(default)]
    pub approval: ApprovalMode,
    /// Rules for calls; the last one that matches counts.
    #[plain(default)]
    pub rules: Vec<Rule>,
    /// Prompts to be used again.
    #[plain(default)]
    pub prompts: Vec<Prompt>,
}

/// The profile made of the endpoint of versions up to 0.1.
const OLD_PROFILE: &str = "first";

/// What versions up to 0.1 kept.
#[derive(Plain)]
struct OldSettings {
    #[plain(default)]
    model: Option<OldChoice>,
}

#[derive(Plain)]
enum OldChoice {
    Demo,
    Endpoint(OldEndpoint),
}

#[derive(Plain)]
struct OldEndpoint {
    base_url: BaseUrl,
    model: String,
    uses_key: bool,
}

impl Settings {
    fn key() -> Key {
        Key::new(["settings".into()])
    }

    /// Reads the settings; what was never saved has its default.
    ///
    /// # Errors
    /// What the store says.
    pub async fn load(store: &dyn Store) -> Result<Self, StoreError> {
        let Some(value) = store.get(Table::Settings, Self::key()).await? else {
            return Ok(Self::default());
        };
        let settings: Self = value.parse()?;
        match settings.choice {
            Some(_) => Ok(settings),
            None => Ok(settings.with_old_choice(value.parse()?)),
        }
    }

    /// Takes over the one endpoint that versions up to 0.1 knew.
    fn with_old_choice(mut self, old: OldSettings) -> Self {
        match old.model {
            None => {}
            Some(OldChoice::Demo) => self.choice = Some(ModelChoice::Demo),
            Some(OldChoice::Endpoint(old)) => {
                let mut profile = Profile::new(OLD_PROFILE.to_owned(), old.base_url, old.model);
                profile.uses_key = old.uses_key;
                profile.second_model.clone_from(&self.limits.second_model);
                profile.set_facts(&profile.model.clone(), ModelFacts::of(&self.limits));
                self.choice = Some(profile.choice());
                self.profiles.push(profile);
            }
        }
        self
    }

    /// The profile named `id`.
    pub fn profile(&self, id: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.id == id)
    }

    /// The profile and the model that `choice` names, as far as they are there.
    pub fn chosen<'a>(&'a self, choice: &ModelChoice) -> Option<(&'a Profile, String)> {
        match choice {
            ModelChoice::Demo => None,
            ModelChoice::Profile { id, model } => {
                self.profile(id).map(|profile| (profile, model.clone()))
            }
        }
    }

    /// Who answers where `wish` is the session's own choice, if it has one that can
    /// still be met.
    pub fn choice_for(&self, wish: Option<&ModelChoice>) -> Option<ModelChoice> {
        let can_be_met = |choice: &&ModelChoice| match choice {
            ModelChoice::Demo => true,
            ModelChoice::Profile { id, .. } => self.profile(id).is_some(),
        };
        wish.filter(can_be_met)
            .or(self.choice.as_ref().filter(can_be_met))
            .cloned()
    }

    /// The limits of a run that `choice` answers: with its window, its prices and its
    /// second model.
    pub fn limits_for(&self, choice: Option<&ModelChoice>) -> LimitSettings {
        let mut limits = self.limits.clone();
        if let Some((profile, model)) = choice.and_then(|choice| self.chosen(choice)) {
            profile.facts(&model).put_into(&mut limits);
            limits.second_model.clone_from(&profile.second_model);
        }
        limits
    }

    /// Takes limits as they stand in the form: what is said about the model is kept with
    /// the model.
    pub fn set_limits(&mut self, mut limits: LimitSettings, choice: Option<&ModelChoice>) {
        if let Some(ModelChoice::Profile { id, model }) = choice
            && let Some(profile) = self.profiles.iter_mut().find(|profile| profile.id == *id)
        {
            profile.set_facts(model, ModelFacts::of(&limits));
            profile.second_model = std::mem::take(&mut limits.second_model);
            ModelFacts::of(&self.limits).put_into(&mut limits);
        }
        self.limits = limits;
    }

    /// The change that saves them.
    pub fn put(&self) -> Change {
        Change::Put(Table::Settings, Self::key(), Value::record(self))
    }
}

/// What is wrong with something the user typed.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub enum Problem {
    /// Nothing was given.
    Empty,
    /// Not an address at all.
    NotAnAddress,
    /// A host by its IPv6 address, which can't be named to the page's content policy.
    Ipv6Host,
    /// Neither `http://` nor `https://` stands in front; this would be it.
    SchemeMissing {
        /// The same address with a scheme.
        suggestion: String,
    },
    /// `http://` to another machine: browsers block it from a page like this.
    InsecureHost,
    /// A user name or password in the address.
    CredentialsInAddress,
    /// A key with characters that no header can carry.
    BadKey,
    /// A header that the browser or the endpoint's own settings send.
    ReservedHeader,
    /// A header's name or value that no header can have.
    BadHeader,
    /// Text that is not a JSON object.
    NotAnObject,
    /// A field of the request that Tabloop itself fills.
    ReservedField(String),
    /// Text that is no number, or one out of its range.
    NotANumber,
    /// A rule without a tool, or with a pattern that can't be read.
    BadRule,
    /// A number that is too small or too large.
    OutOfRange {
        /// Smallest.
        min: u32,
        /// Largest.
        max: u32,
    },
}
