//! The name of a model where there is little room. Servers that were started with a file
//! call the model by the file's whole path, whose beginning tells nothing.

/// The file's own name if `name` is a whole path, else `name`.
pub fn short(name: &str) -> &str {
    let is_path = name.starts_with('/') || name.get(1..3) == Some(":\\");
    let file = name.rsplit(['/', '\\']).next();
    let file = file.filter(|file| is_path && !file.is_empty());
    file.map_or(name, |file| file.strip_suffix(".gguf").unwrap_or(file))
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn only_whole_paths_are_shortened() {
        for (name, shown) in [
            ("/srv/models/Qwen3-8B-Q4_K_M.gguf", "Qwen3-8B-Q4_K_M"),
            ("C:\\models\\Qwen3-8B.gguf", "Qwen3-8B"),
            ("/srv/models/qwen3", "qwen3"),
            ("openai/gpt-4.1-mini", "openai/gpt-4.1-mini"),
            ("hf.co/unsloth/Qwen3.gguf", "hf.co/unsloth/Qwen3.gguf"),
            ("/srv/models/", "/srv/models/"),
            ("模型", "模型"),
            ("", ""),
        ] {
            assert_eq!(short(name), shown);
        }
    }
}
