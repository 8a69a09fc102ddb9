//! An image that a call looked at: the transcript names it, its bytes stay in the workspace.

use crate::kernel::workspace::Version;
use crate::plain::Plain;

/// The longest side that models look at; what is larger is made smaller for them.
const SIDE: u64 = 1_568;
/// Dots to a token, and the least that an image counts: about what common hosts tell.
const DOTS: u64 = 750;
const LEAST: u64 = 85;

/// An image as a result tells of it.
#[derive(Debug, Clone, PartialEq, Eq, Plain)]
pub struct Picture {
    /// The file.
    pub path: String,
    /// Its content, which is looked up when a request is made.
    pub version: Version,
    /// Bytes.
    pub size: u64,
    /// Such as `image/png`.
    pub media_type: String,
    /// Dots.
    pub width: u32,
    /// Dots.
    pub height: u32,
}

impl Picture {
    /// Tokens that it is likely counted as.
    pub fn tokens(&self) -> u64 {
        let (width, height) = (u64::from(self.width), u64::from(self.height));
        let longest = width.max(height).max(SIDE);
        let dots = width * SIDE / longest * (height * SIDE / longest);
        (dots / DOTS).max(LEAST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_grow_with_the_dots_up_to_a_bound() {
        let tokens = |width, height| {
            let picture = Picture {
                path: String::new(),
                version: Version::of(b""),
                size: 0,
                media_type: String::new(),
                width,
                height,
            };
            picture.tokens()
        };
        assert_eq!(tokens(1, 1), LEAST);
        assert_eq!(tokens(1_000, 750), 1_000);
        assert_eq!(tokens(1_568, 1_568), 3_278);
        assert_eq!(tokens(60_000, 60_000), 3_278);
        assert_eq!(tokens(u32::MAX, 1), LEAST);
    }
}
