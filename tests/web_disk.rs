//! The contract of folders of a device, over real handles: those of the origin's private
//! file system, which have the interface of a folder that the user picked.
#![cfg(target_arch = "wasm32")]

#[path = "contract/disk.rs"]
mod contract;

use std::cell::Cell;
use std::rc::Rc;

use futures::FutureExt;
use js_sys::{Function, Promise};
use tabloop::browser::folders;
use tabloop::kernel::link::{Disk, DiskError};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

/// Runs a piece of script, and waits for what it promises.
async fn script(text: &str, with: &str) -> JsValue {
    let body = format!("return (async () => {{ {text} }})();");
    let promise = Function::new_with_args("name", &body)
        .call1(&JsValue::NULL, &with.into())
        .unwrap();
    JsFuture::from(Promise::from(promise)).await.unwrap()
}

/// An empty folder.
async fn disk() -> Rc<dyn Disk> {
    thread_local!(static COUNT: Cell<u32> = const { Cell::new(0) });
    let count = COUNT.replace(COUNT.get() + 1);
    let name = format!("test-{count}-{}", js_sys::Math::random());
    let open = "return (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true });";
    folders::disk(script(open, &name).await)
}

#[wasm_bindgen_test]
async fn the_browser_s_folders_keep_the_contract() {
    contract::check_all(disk).await;
}

/// Has the next streams fail at a step, or do as they should again.
async fn break_streams(step: &str) {
    let patch = "\
        const of = FileSystemWritableFileStream.prototype; \
        globalThis.kept ??= { write: of.write, close: of.close }; \
        Object.assign(of, globalThis.kept); \
        if (name === 'hang') of.close = () => new Promise(() => {}); \
        else if (name) of[name] = () => Promise.reject(new DOMException('no room', 'QuotaExceededError'));";
    script(patch, step).await;
}

#[wasm_bindgen_test]
async fn a_write_that_fails_leaves_what_was_there() {
    let disk = disk().await;
    disk.write("old", b"old".to_vec()).await.unwrap();
    for step in ["write", "close"] {
        break_streams(step).await;
        for path in ["new", "deep/er/new", "old"] {
            let written = disk.write(path, b"content".to_vec()).await;
            assert_eq!(written, Err(DiskError::Full), "{step} {path}");
        }
        break_streams("").await;
        let left: Vec<String> = disk
            .list("")
            .await
            .unwrap()
            .into_iter()
            .map(|one| one.name)
            .collect();
        assert_eq!(left, ["old"], "{step}");
        assert_eq!(disk.read("old").await.unwrap().0, b"old", "{step}");
    }
}

#[wasm_bindgen_test]
async fn a_write_that_is_given_up_leaves_nothing() {
    let disk = disk().await;
    break_streams("hang").await;
    {
        let mut written = disk.write("dir/new", b"content".to_vec());
        // As far as it gets.
        for _ in 0..20 {
            assert!((&mut written).now_or_never().is_none());
            script("await new Promise((done) => setTimeout(done, 10));", "").await;
        }
        assert_eq!(disk.stat("dir/new").await.unwrap().unwrap().size, 0);
    }
    break_streams("").await;
    for _ in 0..50 {
        script("await new Promise((done) => setTimeout(done, 20));", "").await;
        if disk.list("").await.unwrap().is_empty() {
            return;
        }
    }
    panic!("{:?}", disk.list("").await);
}
