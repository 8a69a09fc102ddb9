//! Bounds the shell's memory: what asks for more fails in the shell and not in the tab.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        // 768 MB; and 4 MB of stack, for what a shell nests.
        println!("cargo:rustc-link-arg-bins=--max-memory=805306368");
        println!("cargo:rustc-link-arg-bins=-zstack-size=4194304");
    }
}
