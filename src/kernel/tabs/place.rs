//! How a tab comes to its place: as the one that writes, or as one that follows. Each step
//! may take long, and the tab may be on its way to another place by then.

use std::rc::Rc;

use super::{Channel, ClaimedStore};
use crate::kernel::store::{Batch, Change, Key, Store, StoreError, Table, Value};
use crate::protocol::Access;

/// How a tab comes to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It writes, since whoever did has ended.
    Inherits,
    /// It writes, whoever did.
    Takes,
    /// It follows.
    Follows(Access),
}

/// What a tab's kernel stands on.
pub struct Place<S> {
    /// The database.
    pub database: Rc<S>,
    /// What the kernel saves through, if it may.
    pub claimed: Option<Rc<ClaimedStore>>,
    /// Whether it may.
    pub access: Access,
    /// Why it may not though it was to: what is kept is there all the same, and followed.
    pub refused: Option<StoreError>,
}

impl<S: Store + 'static> Place<S> {
    /// The store as the kernel shall see it.
    pub fn store(&self) -> Rc<dyn Store> {
        match &self.claimed {
            Some(claimed) => Rc::clone(claimed) as Rc<dyn Store>,
            None => Rc::clone(&self.database) as Rc<dyn Store>,
        }
    }
}

/// Goes that way over the database that `open` gives. `None` once `is_wanted` says no, which
/// is asked behind every step: then no more of them is taken.
///
/// # Errors
/// What `open` says.
pub async fn come_to<S: Store + 'static>(
    way: Way,
    open: impl Future<Output = Result<Rc<S>, StoreError>>,
    channel: Rc<dyn Channel>,
    on_lost: Rc<dyn Fn()>,
    is_wanted: impl Fn() -> bool,
) -> Result<Option<Place<S>>, StoreError> {
    let database = open.await?;
    if !is_wanted() {
        return Ok(None);
    }
    let store = Rc::clone(&database) as Rc<dyn Store>;
    let claimed = match way {
        Way::Follows(access) => {
            return Ok(Some(Place {
                database,
                claimed: None,
                access,
                refused: None,
            }));
        }
        Way::Inherits => ClaimedStore::inherit(store, channel, on_lost).await,
        Way::Takes => ClaimedStore::take(store, channel, on_lost).await,
    };
    if !is_wanted() {
        return Ok(None);
    }
    Ok(Some(match claimed {
        Ok(claimed) => Place {
            database,
            claimed: Some(claimed),
            access: Access::Writer,
            refused: None,
        },
        Err(error) => Place {
            database,
            claimed: None,
            access: Access::Reader,
            refused: Some(error),
        },
    }))
}

/// Whether a claim could be taken at the moment. Nothing changes by it, so that whoever
/// writes is not stopped for the sake of a tab that then could not.
///
/// # Errors
/// What the store would say.
pub async fn could_take(store: &dyn Store) -> Result<(), StoreError> {
    let key = Key::new(["trial".into()]);
    let put = Change::Put(Table::Settings, key.clone(), Value::record(&0_u64));
    let delete = Change::Delete(Table::Settings, key);
    store.apply(Batch::of(vec![put, delete]).strict()).await
}
