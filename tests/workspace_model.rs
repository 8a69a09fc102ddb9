//! Workspaces against a plain tree, over the store in memory: see `contract/model.rs`.
//!
//! `SEEDS=n` runs that many seeds.
#![cfg(not(target_arch = "wasm32"))]

#[path = "contract/model.rs"]
mod model;

use std::rc::Rc;

use futures::executor::block_on;
use model::{FAULTS, Model, some_operation, step, walk};
use tabloop::kernel::clock::SeededRandom;
use tabloop::kernel::store::Store;
use tabloop::kernel::store::memory::MemoryStore;

fn seeds(usual: u64) -> std::ops::Range<u64> {
    let given = std::env::var("SEEDS").ok();
    0..given.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

#[test]
fn whatever_goes_wrong_the_store_is_the_tree_before_or_after() {
    for seed in seeds(200) {
        block_on(walk(Rc::new(MemoryStore::default()), seed, 60));
    }
}

#[test]
fn every_fault_at_every_step_of_every_operation() {
    for seed in seeds(12) {
        let random = SeededRandom::new(seed);
        let store = Rc::new(MemoryStore::default());
        let mut model = Model::default();
        for _ in 0..40 {
            let operation = some_operation(&random, &model);
            for fault in FAULTS {
                for at in 0.. {
                    let copy: Rc<dyn Store> = Rc::new(store.snapshot());
                    let (_, happened) =
                        block_on(step(&copy, &model, &operation, Some((at, fault))));
                    if !happened {
                        break;
                    }
                }
            }
            let store: Rc<dyn Store> = Rc::clone(&store) as Rc<dyn Store>;
            (model, _) = block_on(step(&store, &model, &operation, None));
        }
    }
}
