//! The store in IndexedDB: the twin of the kernel's `MemoryStore`.
//!
//! Success is a transaction's `complete`, never a request's `success`, and
//! inside a transaction nothing but IndexedDB is awaited.

mod connection;
mod transaction;

use std::cell::RefCell;

use futures::FutureExt;
use futures::channel::oneshot;
use futures::future::{LocalBoxFuture, try_join_all};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;
use web_sys::{DomException, IdbKeyRange, IdbTransactionMode};

use self::connection::{Connection, connect};
use self::transaction::{Transaction, answer_of};
use super::clock::fill_random;
use super::{room, words_of};
use crate::kernel::store::{
    Batch, Change, Durability, Key, Part, Room, Store, StoreError, Table, Value,
};

/// The table that also has objects of the browser's own.
const VAULT: &str = Table::Vault.name();
/// What [`Store::flush`] writes to; a table of its own, so that nothing waits for it.
const FLUSHED: &str = "flushed";
/// Bytes of a piece that [`Store::renew`] writes, how many it writes, and at once.
const FILL_PIECE: usize = 30_000;
const FILL_PIECES: usize = 200;
const FILL_AT_ONCE: usize = 20;
/// Rows of one read.
const PAGE: u32 = 1_000;

/// A database of this page's origin.
pub struct IndexedDb {
    name: String,
    connection: RefCell<Option<Connection>>,
}

impl IndexedDb {
    /// Opens the database, and makes it on the first visit.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the browser has none for us.
    pub async fn open(name: &str) -> Result<Self, StoreError> {
        let connection = connect(name).await?;
        Ok(Self {
            name: name.to_owned(),
            connection: RefCell::new(Some(connection)),
        })
    }

    /// Reads an object of the vault: one of the browser's, no plain data. Its key is a text,
    /// where those of the store's rows are lists.
    ///
    /// # Errors
    /// As [`Store::get`].
    pub(super) async fn vault_get(&self, key: &str) -> Result<JsValue, StoreError> {
        let transaction = self
            .begin(&[VAULT], IdbTransactionMode::Readonly, Durability::Relaxed)
            .await?;
        transaction.get(VAULT, &key.into()).await
    }

    /// Keeps an object in the vault, unless there is one already; gives the one that is kept.
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub(super) async fn vault_keep(
        &self,
        key: &str,
        object: &JsValue,
    ) -> Result<JsValue, StoreError> {
        let transaction = self
            .begin(&[VAULT], IdbTransactionMode::Readwrite, Durability::Strict)
            .await?;
        let there = transaction.get(VAULT, &key.into()).await?;
        if there.is_truthy() {
            return Ok(there);
        }
        transaction.put(VAULT, &key.into(), object)?;
        transaction.done().await?;
        Ok(object.clone())
    }

    /// Forgets an object of the vault.
    ///
    /// # Errors
    /// As [`Store::apply`].
    pub(super) async fn vault_forget(&self, key: &str) -> Result<(), StoreError> {
        let transaction = self
            .begin(&[VAULT], IdbTransactionMode::Readwrite, Durability::Strict)
            .await?;
        transaction.delete(VAULT, &key.into())?;
        transaction.done().await
    }

    /// Begins a transaction; a connection that was closed under us is opened once more.
    async fn begin(
        &self,
        tables: &[&str],
        mode: IdbTransactionMode,
        durability: Durability,
    ) -> Result<Transaction, StoreError> {
        for _ in 0..2 {
            let begun = self.connection.borrow().as_ref().map(|connection| {
                Transaction::begin(&connection.database, tables, mode, durability)
            });
            match begun {
                Some(Ok(transaction)) => return Ok(transaction),
                Some(Err(StoreError::Closed)) | None => {
                    let connection = connect(&self.name).await?;
                    self.connection.replace(Some(connection));
                }
                Some(Err(error)) => return Err(error),
            }
        }
        Err(StoreError::Closed)
    }

    /// All keys under `prefix`, behind `after`, and, if wanted, their values, page by page.
    async fn read(
        &self,
        table: Table,
        prefix: Key,
        after: Option<Key>,
        what: Rows,
    ) -> Result<Vec<(Key, Option<Value>)>, StoreError> {
        let mut rows = Vec::new();
        let mut after = after.as_ref().map(key_to);
        loop {
            let range = range(&prefix, after.as_ref()).map_err(error_of)?;
            let transaction = self
                .begin(
                    &[table.name()],
                    IdbTransactionMode::Readonly,
                    Durability::Relaxed,
                )
                .await?;
            let store = transaction.store(table.name())?;
            let keys = store
                .get_all_keys_with_key_and_limit(&range, PAGE)
                .map_err(error_of)?;
            let values = match what {
                Rows::Keys => None,
                Rows::Values => Some(
                    store
                        .get_all_with_key_and_limit(&range, PAGE)
                        .map_err(error_of)?,
                ),
            };
            let keys: Array = answer_of(&keys).await?.unchecked_into();
            let values: Option<Array> = match &values {
                Some(request) => Some(answer_of(request).await?.unchecked_into()),
                None => None,
            };
            for (n, key) in keys.iter().enumerate() {
                let value = values
                    .as_ref()
                    .map(|values| value_from(&values.get(n as u32)))
                    .transpose()?;
                rows.push((key_from(&key)?, value));
            }
            if keys.length() < PAGE {
                return Ok(rows);
            }
            after = Some(keys.get(PAGE - 1));
        }
    }
}

#[derive(Clone, Copy)]
enum Rows {
    Keys,
    Values,
}

fn with_values(rows: Vec<(Key, Option<Value>)>) -> Vec<(Key, Value)> {
    let with_value = |(key, value): (Key, Option<Value>)| Some((key, value?));
    rows.into_iter().filter_map(with_value).collect()
}

impl Store for IndexedDb {
    fn get(&self, table: Table, key: Key) -> LocalBoxFuture<'_, Result<Option<Value>, StoreError>> {
        async move {
            let transaction = self
                .begin(
                    &[table.name()],
                    IdbTransactionMode::Readonly,
                    Durability::Relaxed,
                )
                .await?;
            found(&transaction.get(table.name(), &key_to(&key)).await?)
        }
        .boxed_local()
    }

    fn get_all(
        &self,
        table: Table,
        keys: Vec<Key>,
    ) -> LocalBoxFuture<'_, Result<Vec<Option<Value>>, StoreError>> {
        async move {
            let name = table.name();
            let transaction = self
                .begin(&[name], IdbTransactionMode::Readonly, Durability::Relaxed)
                .await?;
            let ask = |key: &Key| transaction.ask(name, &key_to(key));
            let asked = keys.iter().map(ask).collect::<Result<Vec<_>, _>>()?;
            let answers = try_join_all(asked.iter().map(answer_of)).await?;
            answers.iter().map(found).collect()
        }
        .boxed_local()
    }

    fn list(
        &self,
        table: Table,
        prefix: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>> {
        async move {
            let rows = self.read(table, prefix, None, Rows::Values).await?;
            Ok(with_values(rows))
        }
        .boxed_local()
    }

    fn list_after(
        &self,
        table: Table,
        prefix: Key,
        after: Key,
    ) -> LocalBoxFuture<'_, Result<Vec<(Key, Value)>, StoreError>> {
        async move {
            let rows = self.read(table, prefix, Some(after), Rows::Values).await?;
            Ok(with_values(rows))
        }
        .boxed_local()
    }

    fn keys(&self, table: Table, prefix: Key) -> LocalBoxFuture<'_, Result<Vec<Key>, StoreError>> {
        async move {
            let rows = self.read(table, prefix, None, Rows::Keys).await?;
            Ok(rows.into_iter().map(|(key, _)| key).collect())
        }
        .boxed_local()
    }

    fn room(&self) -> LocalBoxFuture<'_, Option<Room>> {
        room::room().boxed_local()
    }

    fn flush(&self) {
        let begun = self.connection.borrow().as_ref().map(|connection| {
            let mode = IdbTransactionMode::Readwrite;
            Transaction::begin(&connection.database, &[FLUSHED], mode, Durability::Strict)
        });
        // The database has one log: flushing any write flushes all before it.
        if let Some(Ok(transaction)) = begun
            && transaction
                .put(FLUSHED, &FLUSHED.into(), &JsValue::TRUE)
                .is_ok()
        {
            spawn_local(async move {
                let _ = transaction.done().await;
            });
        }
    }

    fn renew(&self) -> LocalBoxFuture<'_, ()> {
        async move {
            // Chromium's database goes on in a new log once some megabytes were written.
            // Random bytes, since others would be packed; small pieces, since large ones
            // are kept elsewhere. A failure changes nothing: the old log goes on.
            let mut bytes = vec![0; FILL_PIECE];
            for _ in 0..FILL_PIECES / FILL_AT_ONCE {
                let mode = IdbTransactionMode::Readwrite;
                let Ok(transaction) = self.begin(&[FLUSHED], mode, Durability::Relaxed).await
                else {
                    return;
                };
                for n in 0..FILL_AT_ONCE {
                    fill_random(&mut bytes);
                    let piece = Uint8Array::from(bytes.as_slice());
                    let key = JsValue::from(format!("fill {n}"));
                    if transaction.put(FLUSHED, &key, &piece).is_err() {
                        return;
                    }
                }
                let _ = transaction.done().await;
            }
            let mode = IdbTransactionMode::Readwrite;
            if let Ok(transaction) = self.begin(&[FLUSHED], mode, Durability::Relaxed).await {
                for n in 0..FILL_AT_ONCE {
                    let key = JsValue::from(format!("fill {n}"));
                    let _ = transaction.delete(FLUSHED, &key);
                }
                let _ = transaction.done().await;
            }
        }
        .boxed_local()
    }

    fn apply(&self, batch: Batch) -> LocalBoxFuture<'_, Result<(), StoreError>> {
        async move {
            let tables: Vec<&str> = batch.tables().into_iter().map(Table::name).collect();
            if tables.is_empty() {
                return Ok(());
            }
            let transaction = self
                .begin(&tables, IdbTransactionMode::Readwrite, batch.durability)
                .await?;
            // What is required is asked for first and all else right behind it, so that the
            // browser has it at hand; nothing is committed before the answers are here.
            // Where nothing may be and something is put, the browser itself sees to it.
            let added: Vec<(Table, &Key)> = batch.added().collect();
            // It does so too where something is put and taken away again, which spares the
            // wait for an answer.
            let (absent, required): (Vec<_>, Vec<_>) = batch
                .require
                .iter()
                .filter(|(table, key, _)| !added.contains(&(*table, key)))
                .partition(|(.., wanted)| wanted.is_none());
            let mut asked = Vec::new();
            for (table, key, _) in &required {
                asked.push(transaction.ask(table.name(), &key_to(key))?);
            }
            for (table, key, _) in absent {
                let key = key_to(key);
                transaction.add(table.name(), &key, &JsValue::from_str(""))?;
                transaction.delete(table.name(), &key)?;
            }
            for change in &batch.changes {
                match change {
                    Change::Put(table, key, value) if added.contains(&(*table, key)) => {
                        transaction.add(table.name(), &key_to(key), &value_to(value))?
                    }
                    Change::Put(table, key, value) => {
                        transaction.put(table.name(), &key_to(key), &value_to(value))?
                    }
                    Change::Delete(table, key) => transaction.delete(table.name(), &key_to(key))?,
                }
            }
            let answers = try_join_all(asked.iter().map(answer_of)).await?;
            for ((.., wanted), answer) in required.into_iter().zip(answers) {
                if found(&answer)? != *wanted {
                    // Dropping the transaction aborts it.
                    return Err(StoreError::Conflict);
                }
            }
            transaction.done().await
        }
        .boxed_local()
    }
}

/// Everything that begins with `prefix`, behind `after`. Arrays sort above
/// texts and numbers, so an empty one in the last place is the upper end.
fn range(prefix: &Key, after: Option<&JsValue>) -> Result<IdbKeyRange, JsValue> {
    let upper: Array = key_to(prefix).unchecked_into();
    upper.push(&Array::new());
    match after {
        Some(after) => IdbKeyRange::bound_with_lower_open(after, &upper, true),
        None => IdbKeyRange::bound(&key_to(prefix), &upper),
    }
}

fn key_to(key: &Key) -> JsValue {
    let parts = key.0.iter().map(|part| match part {
        Part::Number(number) => JsValue::from_f64(*number as f64),
        Part::Text(text) => JsValue::from_str(text),
    });
    parts.collect::<Array>().into()
}

fn key_from(key: &JsValue) -> Result<Key, StoreError> {
    let corrupt = || StoreError::Corrupt("a key of another kind".into());
    let parts = key.dyn_ref::<Array>().ok_or_else(corrupt)?;
    let part = |part: JsValue| match (part.as_string(), part.as_f64()) {
        (Some(text), _) => Ok(Part::Text(text)),
        (_, Some(number)) => Ok(Part::Number(number as u64)),
        _ => Err(corrupt()),
    };
    parts.iter().map(part).collect::<Result<_, _>>().map(Key)
}

fn value_to(value: &Value) -> JsValue {
    match value {
        Value::Json(text) => JsValue::from_str(text),
        // A copy: wasm memory may move while the browser still writes.
        Value::Bytes(bytes) => Uint8Array::from(bytes.as_slice()).into(),
    }
}

/// A row that was asked for, if there is one.
fn found(answer: &JsValue) -> Result<Option<Value>, StoreError> {
    match answer.is_undefined() {
        true => Ok(None),
        false => value_from(answer).map(Some),
    }
}

fn value_from(value: &JsValue) -> Result<Value, StoreError> {
    if let Some(text) = value.as_string() {
        return Ok(Value::Json(text));
    }
    match value.dyn_ref::<Uint8Array>() {
        Some(bytes) => Ok(Value::Bytes(bytes.to_vec())),
        None => Err(StoreError::Corrupt("a value of another kind".into())),
    }
}

/// What a thrown value or an abort means for the store.
fn error_of(thrown: JsValue) -> StoreError {
    let name = thrown
        .dyn_ref::<DomException>()
        .map(DomException::name)
        .unwrap_or_default();
    match name.as_str() {
        "QuotaExceededError" => StoreError::Full,
        "ConstraintError" => StoreError::Conflict,
        "InvalidStateError" | "NotFoundError" => StoreError::Closed,
        _ => StoreError::Aborted(words_of(&thrown)),
    }
}

/// Resolves with the first message, or with `Closed` if nobody is left to send one.
async fn told<T>(receiver: oneshot::Receiver<Result<T, StoreError>>) -> Result<T, StoreError> {
    receiver.await.unwrap_or(Err(StoreError::Closed))
}
