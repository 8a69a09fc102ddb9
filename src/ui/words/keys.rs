//! Keys and passphrases in words.

use super::{Language, Words};
use crate::protocol::{NoVault, VaultProblem, VaultState};
use crate::ui::state::strength::{Look, Strength};

impl Words {
    /// Where the keys are, and for how long.
    pub fn keys_told(&self, vault: VaultState) -> &'static str {
        match vault {
            VaultState::Unavailable(NoVault::Cryptography) => self.keys_no_cryptography,
            VaultState::Unavailable(NoVault::Storage) => self.keys_no_storage,
            VaultState::None => self.keys_none,
            VaultState::Locked => self.keys_are_locked,
            VaultState::Open => self.keys_open,
            VaultState::Damaged => self.keys_damaged,
        }
    }

    /// Why a command about the keys was not carried out.
    pub fn vault_problem(&self, problem: &VaultProblem) -> &'static str {
        match problem {
            VaultProblem::WrongPassphrase => self.passphrase_wrong,
            VaultProblem::TooShort => self.passphrase_hint,
            VaultProblem::NoKey => self.passphrase_no_key,
            VaultProblem::NotSaved(_) => self.passphrase_not_saved,
        }
    }

    /// What is said about a new passphrase while it is typed.
    pub fn strength(&self, Look { strength, .. }: Look) -> String {
        match strength {
            Strength::Empty => self.passphrase_hint.to_owned(),
            Strength::Short(1) if self.language == Language::English => {
                "Too short: at least 1 more character.".to_owned()
            }
            Strength::Short(n) if self.language == Language::English => {
                format!("Too short: at least {n} more characters.")
            }
            Strength::Short(n) => format!("太短：至少还需 {n} 个字符。"),
            Strength::Weak => self.passphrase_weak.to_owned(),
            Strength::Fair => self.passphrase_fair.to_owned(),
            Strength::Strong => self.passphrase_strong.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::state::strength::look_at;

    #[test]
    fn what_is_short_is_told_by_how_much() {
        let told = |language: Language, typed| language.words().strength(look_at(typed));
        assert_eq!(
            told(Language::English, "abc"),
            "Too short: at least 5 more characters."
        );
        assert_eq!(
            told(Language::English, "abcdefg"),
            "Too short: at least 1 more character."
        );
        assert_eq!(told(Language::Chinese, "abc"), "太短：至少还需 5 个字符。");
        assert_eq!(
            told(Language::English, ""),
            Language::English.words().passphrase_hint
        );
    }
}
