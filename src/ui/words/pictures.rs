//! Texts on images that models are shown.

use super::Words;

texts! {
    all_of_pictures;
    /// The setting.
    images_setting: "Images", "图片";
    /// What it is about.
    images_hint: "Whether the model is shown images that it reads", "模型读取图片时是否发送给它";
    /// One of its values.
    images_auto: "If the model takes them", "模型支持时发送";
    /// One of its values.
    images_always: "Always", "始终发送";
    /// One of its values.
    images_never: "Never", "从不发送";
    /// In place of an image in the conversation.
    picture_gone: "This image is no longer kept.", "这张图片已不再保留。";
}
