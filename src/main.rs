//! The app binary.
fn main() {}
