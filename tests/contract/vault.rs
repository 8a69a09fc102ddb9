//! What every vault must do. Runs over the vault in memory natively, and over real
//! cryptography in a browser; included by both.

use std::rc::Rc;

use tabloop::kernel::vault::{Derivation, KeyVault, Passphrase, Sealer};

const KEY: &str = "sk-test-vault-4711";
const PASSPHRASE: &str = "correct horse 电池";

/// Runs all of it over vaults that `open` makes, each with a key of its own.
pub async fn check_all<V: KeyVault>(open: impl AsyncFn() -> V) {
    what_is_sealed_opens_again_and_shows_nothing(&open().await).await;
    texts_of_any_kind_come_back(&open().await).await;
    what_was_changed_does_not_open(&open().await).await;
    each_vault_has_its_own_key(&open().await, &open().await).await;
    a_renewed_vault_opens_nothing_old(&open().await).await;
    a_passphrase_gives_the_same_key_everywhere(&open().await, &open().await).await;
    another_passphrase_opens_nothing(&open().await).await;
    another_derivation_opens_nothing(&open().await).await;
}

/// Few rounds, so that the many derivations take no time.
fn derivation() -> Derivation {
    Derivation {
        salt: (0..16).collect(),
        iterations: 1_000,
    }
}

async fn derive(vault: &dyn KeyVault, typed: &str, derivation: &Derivation) -> Rc<dyn Sealer> {
    let passphrase = Passphrase::new(typed.into());
    vault.derive(&passphrase, derivation).await.unwrap()
}

async fn of_passphrase(vault: &dyn KeyVault) -> Rc<dyn Sealer> {
    derive(vault, PASSPHRASE, &derivation()).await
}

fn shows(sealed: &[u8], text: &str) -> bool {
    let parts: Vec<&[u8]> = text.as_bytes().windows(6).collect();
    sealed.windows(6).any(|part| parts.contains(&part))
}

async fn what_is_sealed_opens_again_and_shows_nothing(vault: &dyn KeyVault) {
    let derived = of_passphrase(vault).await;
    let own: &dyn Sealer = vault;
    for sealer in [own, &*derived] {
        let sealed = sealer.seal(KEY).await.unwrap();
        assert!(!shows(&sealed, KEY));
        assert_eq!(sealer.open(&sealed).await.as_deref(), Some(KEY));
        let again = sealer.seal(KEY).await.unwrap();
        assert_ne!(again, sealed, "sealed twice, it looks different");
    }
}

async fn texts_of_any_kind_come_back(vault: &dyn KeyVault) {
    let sealer = of_passphrase(vault).await;
    for text in ["", "钥匙\0\n", &"long ".repeat(20_000)] {
        let sealed = sealer.seal(text).await.unwrap();
        assert_eq!(sealer.open(&sealed).await.as_deref(), Some(text));
    }
}

async fn what_was_changed_does_not_open(vault: &dyn KeyVault) {
    let derived = of_passphrase(vault).await;
    let own: &dyn Sealer = vault;
    for sealer in [own, &*derived] {
        let sealed = sealer.seal(KEY).await.unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert_eq!(sealer.open(&changed).await, None, "byte {at}");
            assert_eq!(sealer.open(&sealed[..at]).await, None, "cut at {at}");
        }
        let longer = [sealed.as_slice(), &[0]].concat();
        assert_eq!(sealer.open(&longer).await, None);
    }
}

async fn each_vault_has_its_own_key(one: &dyn KeyVault, other: &dyn KeyVault) {
    // Two that have done the same so far.
    one.renew().await;
    let sealed = one.seal(KEY).await.unwrap();
    assert_eq!(other.open(&sealed).await, None);
    assert_eq!(one.open(&sealed).await.as_deref(), Some(KEY));
}

async fn a_renewed_vault_opens_nothing_old(vault: &dyn KeyVault) {
    let sealer = of_passphrase(vault).await;
    let (own, derived) = (vault.seal(KEY).await.unwrap(), sealer.seal(KEY).await);
    vault.renew().await;
    assert_eq!(vault.open(&own).await, None);
    let sealed = vault.seal(KEY).await.unwrap();
    assert_eq!(vault.open(&sealed).await.as_deref(), Some(KEY));
    // What lies under a passphrase has nothing to do with that.
    assert_eq!(sealer.open(&derived.unwrap()).await.as_deref(), Some(KEY));
}

async fn a_passphrase_gives_the_same_key_everywhere(one: &dyn KeyVault, other: &dyn KeyVault) {
    assert!(one.derives());
    let sealed = of_passphrase(one).await.seal(KEY).await.unwrap();
    let opened = of_passphrase(other).await.open(&sealed).await;
    assert_eq!(opened.as_deref(), Some(KEY));
    assert_eq!(one.open(&sealed).await, None);
}

async fn another_passphrase_opens_nothing(vault: &dyn KeyVault) {
    let sealed = of_passphrase(vault).await.seal(KEY).await.unwrap();
    for wrong in [
        "",
        "correct horse",
        "Correct horse 电池",
        "correct horse 电池 ",
        " correct horse 电池",
    ] {
        let sealer = derive(vault, wrong, &derivation()).await;
        assert_eq!(sealer.open(&sealed).await, None, "{wrong:?}");
    }
}

async fn another_derivation_opens_nothing(vault: &dyn KeyVault) {
    let sealed = of_passphrase(vault).await.seal(KEY).await.unwrap();
    let (mut salted, mut quicker) = (derivation(), derivation());
    salted.salt[0] ^= 1;
    quicker.iterations -= 1;
    for other in [salted, quicker] {
        let sealer = derive(vault, PASSPHRASE, &other).await;
        assert_eq!(sealer.open(&sealed).await, None, "{other:?}");
    }
}
