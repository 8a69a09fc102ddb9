//! Making images smaller, which is the platform's to do: what hosts refuse as too large, or
//! would make smaller themselves, is sent smaller. The file stays as it is.

use futures::FutureExt;
use futures::future::LocalBoxFuture;

use super::session::Picture;

/// Largest image that is sent as it is, in bytes: hosts refuse more than about five million,
/// as text of four thirds the length.
pub const MAX_BYTES: u64 = 3 << 20;
/// Longest side of such an image, in dots: the least that a common host refuses where there
/// are many.
pub const MAX_SIDE: u32 = 2_000;

/// An image that was made smaller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shrunk {
    /// Its kind now, such as `image/jpeg`.
    pub media_type: &'static str,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// Makes an image of the named kind one that [`MAX_BYTES`] and [`MAX_SIDE`] allow; `None` if
/// it can't be read. The same image becomes the same bytes.
pub type Shrink = fn(Vec<u8>, &str) -> LocalBoxFuture<'static, Option<Shrunk>>;

/// Where nothing can make images smaller.
pub fn not_at_all(_: Vec<u8>, _: &str) -> LocalBoxFuture<'static, Option<Shrunk>> {
    async { None }.boxed_local()
}

/// Whether an image can't be sent as it is.
pub fn is_needed(picture: &Picture) -> bool {
    picture.size > MAX_BYTES || picture.width.max(picture.height) > MAX_SIDE
}
