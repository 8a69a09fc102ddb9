//! Contents that were read or written of late, so that reading a file again does
//! not wait for the store. A content belongs to its hash, so it is never stale.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Version;

/// Bytes that are kept at the most.
const MAX_BYTES: usize = 8 << 20;
/// Largest content that is kept, in bytes.
const MAX_ENTRY: usize = 1 << 20;

/// The contents, and the order in which they were used last.
#[derive(Default)]
pub(super) struct Cache {
    entries: BTreeMap<Version, (u64, Rc<[u8]>)>,
    order: BTreeMap<u64, Version>,
    uses: u64,
    bytes: usize,
}

impl Cache {
    /// The content with this hash, if it is here.
    pub(super) fn get(&mut self, version: &Version) -> Option<Rc<[u8]>> {
        let (used, content) = self.entries.get_mut(version)?;
        self.uses += 1;
        if let Some(version) = self.order.remove(used) {
            self.order.insert(self.uses, version);
        }
        *used = self.uses;
        Some(Rc::clone(content))
    }

    /// Whether a content is here.
    pub(super) fn has(&self, version: &Version) -> bool {
        self.entries.contains_key(version)
    }

    /// Keeps a content, in the place of those not used for longest.
    pub(super) fn put(&mut self, version: &Version, content: Rc<[u8]>) {
        if content.len() > MAX_ENTRY || self.has(version) {
            return;
        }
        self.uses += 1;
        self.bytes += content.len();
        self.order.insert(self.uses, version.clone());
        self.entries.insert(version.clone(), (self.uses, content));
        while self.bytes > MAX_BYTES {
            let Some((_, oldest)) = self.order.pop_first() else {
                break;
            };
            if let Some((_, content)) = self.entries.remove(&oldest) {
                self.bytes -= content.len();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_stays_and_large_contents_are_not_kept() {
        let mut cache = Cache::default();
        let content = |n: u8| Rc::<[u8]>::from(vec![n; MAX_ENTRY]);
        for n in 0..8 {
            cache.put(&Version::of(&[n]), content(n));
        }
        assert_eq!(cache.get(&Version::of(&[0])), Some(content(0)));
        cache.put(&Version::of(&[8]), content(8));
        assert_eq!(cache.get(&Version::of(&[1])), None);
        assert_eq!(cache.get(&Version::of(&[0])), Some(content(0)));
        assert_eq!(cache.get(&Version::of(&[8])), Some(content(8)));
        cache.put(&Version::of(&[9]), vec![9; MAX_ENTRY + 1].into());
        assert_eq!(cache.get(&Version::of(&[9])), None);
    }
}
