//! Where links lead.

use std::sync::Arc;

use super::bidi::in_order;

/// A longer address is followed by nobody, and would come again with each link to it.
const MAX_ADDRESS: usize = 4_096;

/// Where a link leads, and what is told of that.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    address: Arc<str>,
    title: Option<Arc<str>>,
    /// It stands in what leads somewhere else.
    is_within: bool,
}

impl Target {
    /// What leads to `address`.
    pub fn new(address: &str, title: Option<&str>) -> Self {
        Self {
            address: address.into(),
            title: title.map(|title| in_order(title).into()),
            is_within: false,
        }
    }

    /// The same for what stands in a link, and leads nowhere itself.
    pub fn within_link(self) -> Self {
        Self {
            is_within: true,
            ..self
        }
    }

    /// The address as a model wrote it, to be shown and not to be followed.
    pub fn written(&self) -> &str {
        &self.address
    }

    /// What was written beside it.
    pub fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }

    /// The address if following it can do no more than open a page or a letter.
    pub fn safe(&self) -> Option<&str> {
        let (scheme, rest) = self.address.split_once(':')?;
        let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        let is_safe = (is_web && rest.starts_with("//")) || scheme.eq_ignore_ascii_case("mailto");
        let is_link = is_safe && !self.is_within && self.address.len() <= MAX_ADDRESS;
        is_link.then_some(&*self.address)
    }
}
