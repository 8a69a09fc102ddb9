//! Folders of the device that the user let the page have (File System Access). Their handles
//! are kept beside the keys of the vault, as objects of the browser's; the page asks for leave,
//! which takes a press, the worker reads and writes.

use std::rc::Rc;

use futures::FutureExt;
use futures::future::{LocalBoxFuture, join_all};
use js_sys::{Array, Function, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{DomException, File};

use super::indexed_db::IndexedDb;
use super::words_of;
use crate::kernel::link::{Disk, DiskError, Disks, Entry, Stat, What};

/// What the names of handles begin with.
const KEPT: &str = "folder ";

/// How Chromium names what is being written, until it takes the file's place.
const UNDER_WAY: &str = ".crswap";

type Done<T> = Result<T, DiskError>;

/// The folders of a database.
pub(super) struct Folders(pub Rc<IndexedDb>);

impl Disks for Folders {
    fn open(&self, id: &str) -> LocalBoxFuture<'_, Option<Rc<dyn Disk>>> {
        let key = format!("{KEPT}{id}");
        async move {
            let handle = self.0.vault_get(&key).await.ok()?;
            Some(disk(handle.is_object().then_some(handle)?))
        }
        .boxed_local()
    }

    fn forget(&self, id: &str) -> LocalBoxFuture<'_, ()> {
        let key = format!("{KEPT}{id}");
        // One that stays is of no use to anybody, and small.
        async move { drop(self.0.vault_forget(&key).await) }.boxed_local()
    }
}

/// Lets the user choose a folder, and keeps it under `id`; gives its name. `None`: the user
/// chose none, or it can't be kept. Must be called in a press.
pub(super) async fn pick(database: &str, id: &str) -> Option<String> {
    let options = Object::new();
    Reflect::set(&options, &"mode".into(), &"readwrite".into()).ok()?;
    let window = js_sys::global();
    let picking = call(&window, "showDirectoryPicker", &[options.into()]).ok()?;
    let handle = settled(picking).await.ok()?;
    let database = IndexedDb::open(database).await.ok()?;
    database
        .vault_keep(&format!("{KEPT}{id}"), &handle)
        .await
        .ok()?;
    Reflect::get(&handle, &"name".into()).ok()?.as_string()
}

/// Asks the user for leave to a folder once more. Must be called in a press.
pub(super) async fn ask(database: &str, id: &str) -> bool {
    let asked = async {
        let database = IndexedDb::open(database).await.ok()?;
        let handle = database.vault_get(&format!("{KEPT}{id}")).await.ok()?;
        permission(&handle, "requestPermission").await
    };
    asked.await.unwrap_or(false)
}

/// Whether leave is given. Handles that need none have no such method.
async fn permission(handle: &JsValue, method: &str) -> Option<bool> {
    let options = Object::new();
    Reflect::set(&options, &"mode".into(), &"readwrite".into()).ok()?;
    let state = settled(call(handle, method, &[options.into()]).ok()?).await;
    Some(state.ok()?.as_string().as_deref() == Some("granted"))
}

/// A folder of the device, by the browser's handle of it.
pub fn disk(handle: JsValue) -> Rc<dyn Disk> {
    Rc::new(Folder(handle))
}

/// A folder, by its handle.
struct Folder(JsValue);

impl Folder {
    /// The handle of a folder below; where it is missing it is made, if `options` say so.
    async fn folder(&self, path: &str, options: &Object) -> Done<JsValue> {
        let mut at = self.0.clone();
        for name in path.split('/').filter(|name| !name.is_empty()) {
            let with = [name.into(), options.into()];
            at = settled(call(&at, "getDirectoryHandle", &with)?).await?;
        }
        Ok(at)
    }

    async fn file(&self, path: &str, options: &Object) -> Done<JsValue> {
        let (above, name) = parted(path);
        let folder = self.folder(above, options).await?;
        settled(call(
            &folder,
            "getFileHandle",
            &[name.into(), options.into()],
        )?)
        .await
    }

    async fn list_now(&self, folder: &str) -> Done<Vec<Entry>> {
        let folder = self.folder(folder, &Object::new()).await?;
        let iterator = call(&folder, "values", &[])?;
        let mut handles = Vec::new();
        loop {
            let next = settled(call(&iterator, "next", &[])?).await?;
            if get(&next, "done").is_truthy() {
                break;
            }
            let handle = get(&next, "value");
            let name = get(&handle, "name").as_string().unwrap_or_default();
            if !name.ends_with(UNDER_WAY) {
                handles.push(handle);
            }
        }
        let entries = handles.iter().map(|handle| async move {
            let name = get(handle, "name").as_string().unwrap_or_default();
            let what = match get(handle, "kind").as_string().as_deref() {
                Some("file") => match opened(handle).await {
                    Ok(file) => What::File(stat_of(&file)),
                    Err(error) => What::Unreadable(error),
                },
                _ => What::Folder,
            };
            Entry { name, what }
        });
        let mut entries = join_all(entries).await;
        // What went away meanwhile is not there.
        entries.retain(|entry| entry.what != What::Unreadable(DiskError::Gone));
        Ok(entries)
    }

    async fn write_now(&self, path: &str, content: Vec<u8>) -> Done<Stat> {
        let is_new = match self.file(path, &Object::new()).await {
            Ok(_) => false,
            Err(DiskError::Gone) => true,
            Err(error) => return Err(error),
        };
        let options = Object::new();
        set(&options, "create", &JsValue::TRUE);
        let (above, name) = parted(path);
        let folder = self.folder(above, &options).await?;
        let mut begun = Begun {
            disk: Self(self.0.clone()),
            new: is_new.then(|| path.to_owned()),
            stream: None,
        };
        let written = async {
            let named = [name.into(), options.into()];
            let handle = settled(call(&folder, "getFileHandle", &named)?).await?;
            let stream = settled(call(&handle, "createWritable", &[])?).await?;
            begun.stream = Some(stream.clone());
            let bytes = Uint8Array::from(content.as_slice());
            settled(call(&stream, "write", &[bytes.into()])?).await?;
            // Only now it stands in the file's place, whole.
            settled(call(&stream, "close", &[])?).await?;
            Ok(handle)
        };
        match written.await {
            Ok(handle) => {
                begun.forget();
                Ok(stat_of(&opened(&handle).await?))
            }
            Err(error) => {
                begun.take_back().await;
                Err(error)
            }
        }
    }

    async fn remove_now(&self, path: &str) -> Done<()> {
        let (above, name) = parted(path);
        let folder = self.folder(above, &Object::new()).await?;
        // Removing takes an empty folder too: what stands there must be a file.
        let named = [name.into()];
        settled(call(&folder, "getFileHandle", &named)?).await?;
        settled(call(&folder, "removeEntry", &named)?).await?;
        self.remove_empty(above).await;
        Ok(())
    }

    /// Removes a folder and those above it, as far as nothing is in them.
    async fn remove_empty(&self, folder: &str) {
        let mut at = folder;
        while !at.is_empty() {
            let (above, name) = parted(at);
            let Ok(folder) = self.folder(above, &Object::new()).await else {
                return;
            };
            // Refused where something is left in it.
            let removed = async { settled(call(&folder, "removeEntry", &[name.into()])?).await };
            if removed.await.is_err() {
                return;
            }
            at = above;
        }
    }
}

/// A write that has begun: whatever ends it early, nothing of it is left behind.
struct Begun {
    disk: Folder,
    /// The file, if it was not there before.
    new: Option<String>,
    stream: Option<JsValue>,
}

impl Begun {
    /// It is done.
    fn forget(&mut self) {
        self.new = None;
        self.stream = None;
    }

    /// Gives up what was written, and removes a new file in which nothing is.
    async fn take_back(&mut self) {
        let (stream, new) = (self.stream.take(), self.new.take());
        if let Some(Ok(aborting)) = stream.map(|stream| call(&stream, "abort", &[])) {
            drop(settled(aborting).await);
        }
        let Some(path) = new else {
            return;
        };
        match self.disk.stat(&path).await {
            Ok(Some(stat)) if stat.size == 0 => drop(self.disk.remove_now(&path).await),
            // The folders above may be new too.
            Ok(None) => self.disk.remove_empty(parted(&path).0).await,
            _ => {}
        }
    }
}

impl Drop for Begun {
    fn drop(&mut self) {
        if self.new.is_none() && self.stream.is_none() {
            return;
        }
        let mut begun = Begun {
            disk: Folder(self.disk.0.clone()),
            new: self.new.take(),
            stream: self.stream.take(),
        };
        spawn_local(async move { begun.take_back().await });
    }
}

impl Disk for Folder {
    fn may(&self) -> LocalBoxFuture<'_, bool> {
        async move { permission(&self.0, "queryPermission").await.unwrap_or(true) }.boxed_local()
    }

    fn list(&self, folder: &str) -> LocalBoxFuture<'_, Done<Vec<Entry>>> {
        let folder = folder.to_owned();
        async move { self.list_now(&folder).await }.boxed_local()
    }

    fn read(&self, path: &str) -> LocalBoxFuture<'_, Done<(Vec<u8>, Stat)>> {
        let path = path.to_owned();
        async move {
            let handle = self.file(&path, &Object::new()).await?;
            let file = opened(&handle).await?;
            let buffer = settled(file.array_buffer().into()).await?;
            Ok((Uint8Array::new(&buffer).to_vec(), stat_of(&file)))
        }
        .boxed_local()
    }

    fn stat(&self, path: &str) -> LocalBoxFuture<'_, Done<Option<Stat>>> {
        let path = path.to_owned();
        async move {
            let opened = async { opened(&self.file(&path, &Object::new()).await?).await };
            match opened.await {
                Ok(file) => Ok(Some(stat_of(&file))),
                Err(DiskError::Gone) => Ok(None),
                Err(error) => Err(error),
            }
        }
        .boxed_local()
    }

    fn write(&self, path: &str, content: Vec<u8>) -> LocalBoxFuture<'_, Done<Stat>> {
        let path = path.to_owned();
        async move { self.write_now(&path, content).await }.boxed_local()
    }

    fn remove(&self, path: &str) -> LocalBoxFuture<'_, Done<()>> {
        let path = path.to_owned();
        async move { self.remove_now(&path).await }.boxed_local()
    }
}

/// The folder above and the name.
fn parted(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// The file of a handle, as it is now.
async fn opened(handle: &JsValue) -> Done<File> {
    let file = settled(call(handle, "getFile", &[])?).await?;
    file.dyn_into().map_err(|_| DiskError::Refused)
}

fn stat_of(file: &File) -> Stat {
    Stat {
        size: file.size() as u64,
        modified_ms: file.last_modified() as u64,
    }
}

fn get(of: &JsValue, name: &str) -> JsValue {
    Reflect::get(of, &name.into()).unwrap_or_default()
}

fn set(of: &Object, name: &str, value: &JsValue) {
    // Refused only for what is no object.
    let _ = Reflect::set(of, &name.into(), value);
}

/// Calls a method.
fn call(of: &JsValue, method: &str, with: &[JsValue]) -> Done<JsValue> {
    let method: Function = get(of, method)
        .dyn_into()
        .map_err(|_| DiskError::Other(format!("this browser has no {method}")))?;
    let with: Array = with.iter().collect();
    method.apply(of, &with).map_err(|thrown| error_of(&thrown))
}

/// Waits for what was promised.
async fn settled(promise: JsValue) -> Done<JsValue> {
    let promise: Promise = promise.unchecked_into();
    JsFuture::from(promise)
        .await
        .map_err(|thrown| error_of(&thrown))
}

/// What the names of errors mean here (<https://fs.spec.whatwg.org>).
fn error_of(thrown: &JsValue) -> DiskError {
    let name = match thrown.dyn_ref::<DomException>() {
        Some(exception) => exception.name(),
        None => get(thrown, "name").as_string().unwrap_or_default(),
    };
    match name.as_str() {
        "NotAllowedError" | "SecurityError" => DiskError::Denied,
        "NotFoundError" => DiskError::Gone,
        "TypeError" => DiskError::Refused,
        "TypeMismatchError" | "InvalidModificationError" => DiskError::Kind,
        "QuotaExceededError" => DiskError::Full,
        _ => DiskError::Other(words_of(thrown)),
    }
}
