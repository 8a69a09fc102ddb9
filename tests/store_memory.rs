//! The contract of stores, over the store in memory.
#![cfg(not(target_arch = "wasm32"))]

#[path = "contract/store.rs"]
mod contract;
#[path = "contract/damage.rs"]
mod damage;
#[path = "contract/files.rs"]
mod files;

use futures::executor::block_on;
use tabloop::kernel::store::memory::MemoryStore;

#[test]
fn the_store_in_memory_keeps_the_contract() {
    block_on(contract::check_all(async || MemoryStore::default()));
}

#[test]
fn workspaces_in_memory_keep_the_contract() {
    block_on(files::check_all(async || MemoryStore::default()));
    block_on(damage::check_all(async || MemoryStore::default()));
}
