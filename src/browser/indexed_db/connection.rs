//! Opening the database, and making way for those who change or delete it.

use std::time::Duration;

use futures::future::{Either, select};
use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use web_sys::{IdbDatabase, IdbFactory};

use super::super::clock::BrowserClock;
use super::super::words_of;
use super::FLUSHED;
use super::transaction::answer_of;
use crate::kernel::clock::Clock;
use crate::kernel::store::{StoreError, Table};

/// Grows when tables are added, which the upgrade makes, and when an earlier build must
/// not write any more: the browser closes the database to it. What rows of earlier
/// versions hold is taken over by the workspace, which can be interrupted there.
const VERSION: u32 = 4;
/// How long the browser may take to open the database; some private modes never do.
const OPEN_LIMIT: Duration = Duration::from_secs(10);

/// An open database and the listeners that live as long as it does.
pub(super) struct Connection {
    pub(super) database: IdbDatabase,
    _on_version_change: Closure<dyn FnMut()>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.database.set_onversionchange(None);
        self.database.close();
    }
}

/// Opens the database, and makes the tables that are missing.
pub(super) async fn connect(name: &str) -> Result<Connection, StoreError> {
    let unavailable = |thrown: JsValue| StoreError::Unavailable(words_of(&thrown));
    let factory = Reflect::get(&js_sys::global(), &"indexedDB".into()).map_err(unavailable)?;
    if !factory.is_object() {
        return Err(StoreError::Unavailable("IndexedDB is switched off".into()));
    }
    let factory: IdbFactory = factory.unchecked_into();
    let request = factory.open_with_u32(name, VERSION).map_err(unavailable)?;

    let on_upgrade = {
        let request = request.clone();
        Closure::<dyn FnMut()>::new(move || {
            // A failure here aborts the upgrade, which the request then tells.
            if let Ok(database) = request.result().and_then(JsCast::dyn_into::<IdbDatabase>) {
                let there = database.object_store_names();
                let names = Table::ALL.into_iter().map(Table::name).chain([FLUSHED]);
                for name in names.filter(|name| !there.contains(name)) {
                    drop(database.create_object_store(name));
                }
            }
        })
    };
    request.set_onupgradeneeded(Some(on_upgrade.as_ref().unchecked_ref()));
    let opened = answer_of(&request);
    let limit = BrowserClock.sleep(OPEN_LIMIT);
    let database = match select(std::pin::pin!(opened), limit).await {
        Either::Left((Ok(database), _)) => database,
        Either::Left((Err(error), _)) => return Err(StoreError::Unavailable(error.to_string())),
        Either::Right(_) => {
            let reason = "it did not open within 10 seconds; another tab may hold an older version";
            return Err(StoreError::Unavailable(reason.into()));
        }
    };
    let database: IdbDatabase = database.dyn_into().map_err(unavailable)?;
    let on_version_change = {
        let database = database.clone();
        // A newer build in another tab, or a deletion: make way; the next use opens anew.
        Closure::<dyn FnMut()>::new(move || database.close())
    };
    database.set_onversionchange(Some(on_version_change.as_ref().unchecked_ref()));
    Ok(Connection {
        database,
        _on_version_change: on_version_change,
    })
}
