//! Contents that were read or written of late, so that reading a file again does
//! not wait for the store. A content belongs to its hash, so it is never stale.

use std::collections::VecDeque;

use super::Version;

/// Bytes that are kept at the most.
const MAX_BYTES: usize = 8 << 20;
/// Largest content that is kept, in bytes.
const MAX_ENTRY: usize = 1 << 20;

/// The contents, the one used last at the end.
#[derive(Default)]
pub(super) struct Cache {
    entries: VecDeque<(Version, Vec<u8>)>,
    bytes: usize,
}

impl Cache {
    /// The content with this hash, if it is here.
    pub(super) fn get(&mut self, version: &Version) -> Option<Vec<u8>> {
        let at = self
            .entries
            .iter()
            .position(|(known, _)| known == version)?;
        let entry = self.entries.remove(at)?;
        let content = entry.1.clone();
        self.entries.push_back(entry);
        Some(content)
    }

    /// Keeps a content, in the place of those not used for longest.
    pub(super) fn put(&mut self, version: &Version, content: &[u8]) {
        let is_known = self.entries.iter().any(|(known, _)| known == version);
        if content.len() > MAX_ENTRY || is_known {
            return;
        }
        self.bytes += content.len();
        self.entries.push_back((version.clone(), content.to_vec()));
        while self.bytes > MAX_BYTES {
            let Some((_, oldest)) = self.entries.pop_front() else {
                break;
            };
            self.bytes -= oldest.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_stays_and_large_contents_are_not_kept() {
        let mut cache = Cache::default();
        let content = |n: u8| vec![n; MAX_ENTRY];
        for n in 0..8 {
            cache.put(&Version::of(&[n]), &content(n));
        }
        assert_eq!(cache.get(&Version::of(&[0])), Some(content(0)));
        cache.put(&Version::of(&[8]), &content(8));
        assert_eq!(cache.get(&Version::of(&[1])), None);
        assert_eq!(cache.get(&Version::of(&[0])), Some(content(0)));
        assert_eq!(cache.get(&Version::of(&[8])), Some(content(8)));
        cache.put(&Version::of(&[9]), &vec![9; MAX_ENTRY + 1]);
        assert_eq!(cache.get(&Version::of(&[9])), None);
    }
}
