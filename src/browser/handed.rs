//! Files that the page hands over: read in slices, where they are needed.

use std::rc::Rc;

use futures::FutureExt;
use futures::future::LocalBoxFuture;
use js_sys::{Array, Object, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::File;

use super::words_of;
use crate::kernel::archive::{Source, Unreadable};

/// Under which a message has the files that go with it.
const HANDED: &str = "handed";

#[wasm_bindgen]
extern "C" {
    type TextDecoder;
    #[wasm_bindgen(constructor, catch)]
    fn new(label: &str, options: &Object) -> Result<TextDecoder, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn decode(this: &TextDecoder, bytes: &[u8]) -> Result<String, JsValue>;
}

/// A file of the browser's.
struct Handed(File);

impl Source for Handed {
    fn size(&self) -> u64 {
        self.0.size() as u64
    }

    fn modified_ms(&self) -> Option<u64> {
        Some(self.0.last_modified() as u64)
    }

    fn read(&self, at: u64, length: usize) -> LocalBoxFuture<'_, Result<Vec<u8>, Unreadable>> {
        async move {
            let failed = |thrown: JsValue| Unreadable(words_of(&thrown));
            let reading = match at == 0 && length as u64 == self.size() {
                true => self.0.array_buffer(),
                false => {
                    let end = at as f64 + length as f64;
                    let slice = self.0.slice_with_f64_and_f64(at as f64, end);
                    slice.map_err(failed)?.array_buffer()
                }
            };
            let buffer = JsFuture::from(reading).await.map_err(failed)?;
            Ok(Uint8Array::new(&buffer).to_vec())
        }
        .boxed_local()
    }

    fn decode(&self, encoding: &str, bytes: &[u8]) -> Option<String> {
        let options = Object::new();
        Reflect::set(&options, &"fatal".into(), &JsValue::TRUE).ok()?;
        TextDecoder::new(encoding, &options)
            .and_then(|decoder| decoder.decode(bytes))
            .ok()
    }
}

/// Puts files beside a message.
pub(super) fn put(message: &JsValue, files: impl Iterator<Item = (u64, File)>) {
    let pair = |(id, file): (u64, File)| Array::of2(&JsValue::from_f64(id as f64), &file);
    let files: Array = files.map(pair).collect();
    // Refused only for what is no object.
    let _ = Reflect::set(message, &HANDED.into(), &files);
}

/// The files beside a message.
pub fn take(message: &JsValue) -> Vec<(u64, Rc<dyn Source>)> {
    let files = Reflect::get(message, &HANDED.into()).unwrap_or_default();
    let Ok(files) = files.dyn_into::<Array>() else {
        return Vec::new();
    };
    let pair = |pair: JsValue| {
        let pair: Array = pair.dyn_into().ok()?;
        let file: File = pair.get(1).dyn_into().ok()?;
        let source: Rc<dyn Source> = Rc::new(Handed(file));
        Some((pair.get(0).as_f64()? as u64, source))
    };
    files.iter().filter_map(pair).collect()
}
