//! How files get from the user's hands into the page's: chosen, dropped with whole
//! folders, or pasted.

use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, File, FileList};

/// A file or, without one, a folder, whose path ends with `/`.
pub struct Picked {
    /// The name, or the path inside what was chosen.
    pub path: String,
    /// The file; its bytes are read where they are needed.
    pub file: Option<File>,
}

/// Folders that are opened at the most, one in the other.
const DEEPEST: usize = 64;

#[wasm_bindgen]
extern "C" {
    /// What is dropped, where folders can be opened
    /// (<https://wicg.github.io/entries-api/>).
    type Item;
    #[wasm_bindgen(method, catch, js_name = webkitGetAsEntry)]
    fn entry(this: &Item) -> Result<Option<Entry>, JsValue>;

    type Entry;
    #[wasm_bindgen(method, getter, js_name = isDirectory)]
    fn is_folder(this: &Entry) -> bool;
    #[wasm_bindgen(method, getter, js_name = fullPath)]
    fn full_path(this: &Entry) -> String;
    #[wasm_bindgen(method)]
    fn file(this: &Entry, done: &Function, failed: &Function);
    #[wasm_bindgen(method, js_name = createReader)]
    fn reader(this: &Entry) -> Reader;

    type Reader;
    #[wasm_bindgen(method, js_name = readEntries)]
    fn read(this: &Reader, done: &Function, failed: &Function);

    type Chosen;
    #[wasm_bindgen(method, getter, js_name = webkitRelativePath)]
    fn relative_path(this: &Chosen) -> Option<String>;

    #[wasm_bindgen(extends = DataTransfer)]
    type Dropped;
    #[wasm_bindgen(method, getter)]
    fn items(this: &Dropped) -> JsValue;
}

/// Files that were chosen, with their paths where a folder was.
pub fn chosen(files: &FileList) -> Vec<Picked> {
    let files = (0..files.length()).filter_map(|at| files.get(at));
    let picked = |file: File| {
        let path = file.unchecked_ref::<Chosen>().relative_path();
        let path = path.filter(|path| !path.is_empty());
        Picked {
            path: path.unwrap_or_else(|| file.name()),
            file: Some(file),
        }
    };
    files.map(picked).collect()
}

/// What was dropped, folders opened. What can't be read any more is left out.
pub async fn dropped(data: &DataTransfer) -> Vec<Picked> {
    // What is dropped can be asked only as long as the event lasts: not behind an await.
    let items = Array::from(&data.unchecked_ref::<Dropped>().items());
    let entries: Vec<Entry> = items
        .iter()
        .filter_map(|item| item.unchecked_ref::<Item>().entry().ok().flatten())
        .collect();
    if entries.is_empty() {
        return data.files().map_or(Vec::new(), |files| chosen(&files));
    }
    let mut picked = Vec::new();
    let mut waiting: Vec<(Entry, usize)> = entries.into_iter().map(|entry| (entry, 0)).collect();
    waiting.reverse();
    while let Some((entry, depth)) = waiting.pop() {
        let path = entry.full_path().trim_start_matches('/').to_owned();
        if !entry.is_folder() {
            let file = asked(|done, failed| entry.file(done, failed)).await;
            let file = file.ok().map(JsCast::unchecked_into);
            if file.is_some() {
                picked.push(Picked { path, file });
            }
            continue;
        }
        let path = format!("{path}/");
        picked.push(Picked { path, file: None });
        if depth < DEEPEST {
            let children = children(&entry).await;
            waiting.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
        }
    }
    picked
}

/// What is in a folder. The browser tells it in parts, the last of which is empty.
async fn children(folder: &Entry) -> Vec<Entry> {
    let reader = folder.reader();
    let mut all = Vec::new();
    loop {
        let Ok(part) = asked(|done, failed| reader.read(done, failed)).await else {
            return all;
        };
        let part: Array = part.unchecked_into();
        if part.length() == 0 {
            return all;
        }
        all.extend(part.iter().map(JsCast::unchecked_into::<Entry>));
    }
}

/// The answer of a call that takes two functions.
async fn asked(call: impl Fn(&Function, &Function)) -> Result<JsValue, JsValue> {
    let mut executor = |done: Function, failed: Function| call(&done, &failed);
    JsFuture::from(Promise::new(&mut executor)).await
}
