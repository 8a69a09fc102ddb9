//! The contract of vaults, over the vault in memory.
#![cfg(not(target_arch = "wasm32"))]

#[path = "contract/vault.rs"]
mod contract;

use futures::executor::block_on;
use tabloop::kernel::vault::memory::MemoryVault;

#[test]
fn the_vault_in_memory_keeps_the_contract() {
    block_on(contract::check_all(async || MemoryVault::default()));
}
