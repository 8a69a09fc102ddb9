//! Words for calls that touch no file: reckoning, and asking the web.

use super::{Language, Words};
use crate::ui::state::calls::Act;

impl Words {
    /// What such a call did, does, or could not do.
    pub(super) fn reckoned_or_fetched(&self, act: Act) -> [&'static str; 3] {
        match (act, self.language) {
            (Act::Calculate, Language::English) => {
                ["Calculated", "Calculating", "Couldn't calculate"]
            }
            (Act::Calculate, Language::Chinese) => ["已计算", "正在计算", "未能计算"],
            (_, Language::English) => ["Fetched", "Fetching", "Couldn't fetch"],
            (_, Language::Chinese) => ["已获取", "正在获取", "未能获取"],
        }
    }
}
