//! Images that results tell of: their bytes are read from the workspace before a request
//! names them, and handed to whoever writes it. The transcript keeps only which they are.

use super::Agent;
use crate::kernel::model::layout;
use crate::kernel::session::{Entry, Picture, Record};
use crate::kernel::shrink;

/// Most bytes of images in one request: they go along each time.
pub(super) const MOST: u64 = 12 << 20;

impl Agent {
    /// Hands over the images of results that were not looked at yet. Which of them are
    /// shown follows from the records alone, so that it is the same in the next run.
    pub(super) async fn hand_over_pictures(&mut self) {
        let client = &self.parts.client;
        let takes = client.takes_pictures();
        self.context.weigh_pictures(takes);
        let transcript = &self.parts.transcript;
        let records = transcript.records();
        let new = &records[self.looked_at.min(records.len())..];
        if takes && new.iter().any(|record| !pictures(record).is_empty()) {
            let workspace = transcript.workspace();
            for picture in shown(records, layout::layout(records).pictures_before) {
                if self.given.contains(&picture.version) {
                    continue;
                }
                // One that is gone or can't be read is told of in the conversation.
                let read = workspace.content(&picture.version, picture.size).await;
                let Ok(Some(content)) = read else { continue };
                let address = match shrink::is_needed(picture) {
                    false => Some(data_address(&picture.media_type, &content)),
                    true => (self.parts.shrink)(content, &picture.media_type)
                        .await
                        .map(|small| data_address(small.media_type, &small.content)),
                };
                if let Some(address) = address {
                    client.take_picture(picture, address);
                    self.given.push(picture.version.clone());
                }
            }
        }
        self.looked_at = records.len();
    }
}

/// The images that are shown, as far as there is room for them: those before record
/// `from` are not.
fn shown(records: &[Record], from: u64) -> Vec<&Picture> {
    let mut left = MOST;
    let all = records.iter().filter(|record| record.seq >= from);
    let mut fits = |picture: &&Picture| {
        let is_room = bytes(picture) <= left;
        left -= if is_room { bytes(picture) } else { 0 };
        is_room
    };
    all.flat_map(pictures).filter(&mut fits).collect()
}

/// Where images have to be sent from, if those from record `from` on are more than go into
/// one request: half of them make room, but none of the last message's.
pub(super) fn crowded(records: &[Record], from: u64) -> Option<u64> {
    let is_message = |record: &Record| matches!(record.entry, Entry::Assistant(_));
    let last = records.iter().rposition(is_message)?;
    let last = records.get(last)?.seq;
    let (mut all, mut start) = (0, None);
    for record in records.iter().rev() {
        if record.seq < from {
            break;
        }
        all += pictures(record).iter().map(bytes).sum::<u64>();
        if all > MOST / 2 && start.is_none() {
            start = Some((record.seq + 1).min(last));
        }
    }
    start.filter(|start| all > MOST && *start > from)
}

/// Bytes of an image as it is sent, at most.
fn bytes(picture: &Picture) -> u64 {
    picture.size.min(shrink::MAX_BYTES)
}

fn pictures(record: &Record) -> &[Picture] {
    match &record.entry {
        Entry::ToolResult(result) => &result.pictures,
        _ => &[],
    }
}

/// The bytes as an address that holds them (<https://www.rfc-editor.org/rfc/rfc2397>).
fn data_address(media_type: &str, content: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut address = format!("data:{media_type};base64,");
    address.reserve(content.len().div_ceil(3) * 4);
    for group in content.chunks(3) {
        let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = (bits >> (18 - 6 * place)) & 63;
            address.push(match place <= group.len() {
                true => char::from(DIGITS[digit as usize]),
                false => '=',
            });
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::data_address;

    #[test]
    fn bytes_are_written_in_base64() {
        for (bytes, written) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (b"\xff\xfe\xfd", "//79"),
        ] {
            assert_eq!(
                data_address("a/b", bytes),
                format!("data:a/b;base64,{written}")
            );
        }
    }
}
