//! The words with which public servers refuse, in small letters.

/// Names under which thoughts go back.
pub const THOUGHTS: [&str; 4] = [
    "reasoning_content",
    "reasoning_details",
    "reasoning_text",
    "reasoning",
];

/// Words that say that something can't be sent.
pub const REFUSALS: [&str; 22] = [
    "unsupported",
    "not supported",
    "not support",
    "n't support",
    "only supported",
    "unknown",
    "unrecognized",
    "unrecognised",
    "unexpected",
    "extra inputs",
    "extra_forbidden",
    "extra fields",
    "not permitted",
    "not allowed",
    "n't allowed",
    "not accept",
    "not available",
    "not enabled",
    "cannot find field",
    "deprecated",
    "incompatible",
    "additional properties",
];

/// Words that say that a model takes no images at all, or that only text is read where one
/// can stand.
pub const NO_PICTURES: [&str; 26] = [
    "image_url is only supported",
    "image_url is not supported",
    "'image_url' is not supported",
    "unknown variant `image_url`",
    "support image_url",
    "support image input",
    "support images",
    "support vision",
    "support multimodal",
    "support multi-modal",
    "image input is not",
    "image inputs are not",
    "image input not",
    "image input modality is not",
    "images are not supported",
    "images not supported",
    "required for image input",
    "at most 0 image",
    "not a multimodal",
    "not a vision model",
    "not a vlm",
    "mmproj",
    "only support text",
    "only supports text",
    "must be a string",
    "expected a string",
];

/// Words with which it is said which images are not taken: others are.
pub const SOME_PICTURES: [&str; 17] = [
    "larger",
    "exceed",
    "too large",
    "too many",
    "more than",
    "up to",
    "maximum",
    "format",
    "media type",
    "media_type",
    "animated",
    "resolution",
    "dimension",
    "pixel",
    "policy",
    "policies",
    "safety",
];

/// Words for an image. Where one is refused in words that nobody knows, it is thought to be
/// that one alone: that costs one request more where it is all of them, and the other way
/// round the model would be blind for good.
pub const PICTURE: [&str; 3] = ["image", "picture", "base64"];

/// Words that say that something is wanting.
pub const WANTS: [&str; 6] = [
    "passed back",
    "missing",
    "required",
    "must be provided",
    "cannot be empty",
    "must not be empty",
];

/// Words that say that a model can call no tools, or a server reads no calls.
pub const NO_TOOLS: [&str; 12] = [
    "not support tool",
    "n't support tool",
    "support tool use",
    "support tool calling",
    "tools are not supported",
    "tool use is not",
    "tool calling is not",
    "tool choice requires",
    "tools param requires",
    "not support function",
    "n't support function",
    "function calling is not",
];

/// Words that say that answers can only come whole.
pub const NO_STREAM: [&str; 6] = [
    "not support stream",
    "n't support stream",
    "streaming is not",
    "streaming not supported",
    "stream mode is not",
    "stream is not supported",
];

/// Words that say that answers can only come piece by piece.
pub const ONLY_STREAM: [&str; 5] = [
    "only support stream",
    "only supports stream",
    "stream must be true",
    "stream must be set to true",
    "requires stream",
];

/// Words that say that there is no role for the system. Where templates name the roles
/// there are, it is none of them.
pub const NO_SYSTEM: [&str; 14] = [
    "system role not supported",
    "system role is not supported",
    "system roles are not supported",
    "system message not supported",
    "system message is not supported",
    "system messages are not supported",
    "system prompt is not supported",
    "support system",
    "support the system",
    "support a system",
    "support 'system'",
    "system instruction is not enabled",
    "developer instruction is not enabled",
    "only user and assistant roles are supported",
];
