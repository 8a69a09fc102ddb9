//! What is learnt of images.

use super::*;

/// Hosts of models without sight, and hosts that could not read one image.
#[test]
fn images_at_all_and_a_single_one_are_told_apart() {
    let version = Version::of(b"an image");
    let with_picture = || Sent {
        picture: Some(version.clone()),
        ..sent()
    };
    let one = Refused::Picture(version.as_str().to_owned());
    for (status, body, expected) in [
        (
            400,
            r#"{"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error","param":"messages.[3].content.[1].type","code":null}}"#,
            Refused::Pictures,
        ),
        (
            404,
            r#"{"error":{"message":"No endpoints found that support image input","code":404}}"#,
            Refused::Pictures,
        ),
        (
            400,
            r#"{"error":"this model does not support image input"}"#,
            Refused::Pictures,
        ),
        (
            500,
            r#"{"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}"#,
            Refused::Pictures,
        ),
        (
            400,
            r#"{"object":"error","message":"model is not a multimodal model","type":"BadRequestError"}"#,
            Refused::Pictures,
        ),
        (
            422,
            "Failed to deserialize the JSON body into the target type: messages[3]: unknown variant `image_url`, expected `text` at line 1 column 900",
            Refused::Pictures,
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Could not process image"}}"#,
            one.clone(),
        ),
        (
            400,
            r#"{"error":{"message":"You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].","code":"invalid_image_format"}}"#,
            one.clone(),
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"Unable to process input image. Please retry or report","status":"INVALID_ARGUMENT"}}]"#,
            one.clone(),
        ),
        (
            400,
            r#"{"error":{"message":"This model does not support images. Please use a model that does."}}"#,
            Refused::Pictures,
        ),
        (
            400,
            r#"{"error":{"message":"The provided model is not a vision model. Please provide a vision model."}}"#,
            Refused::Pictures,
        ),
        (
            400,
            r#"[{"error":{"code":400,"message":"Image input modality is not enabled for models/gemma-3-1b-it","status":"INVALID_ARGUMENT"}}]"#,
            Refused::Pictures,
        ),
        (
            400,
            r#"{"object":"error","message":"At most 0 image(s) may be provided in one prompt.","type":"BadRequestError"}"#,
            Refused::Pictures,
        ),
        (
            400,
            r#"{"error":{"message":"messages.3.content must be a string","param":"messages.3.content"}}"#,
            Refused::Pictures,
        ),
        // One that is too much, of a kind that is not taken, broken, or not wanted for what
        // it shows: others are taken.
        (
            400,
            r#"{"object":"error","message":"At most 1 image(s) may be provided in one request.","type":"BadRequestError"}"#,
            one.clone(),
        ),
        (
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.1.image.source.base64: image exceeds 5 MB maximum: 5819200 bytes > 5242880 bytes"}}"#,
            one.clone(),
        ),
        (
            400,
            r#"{"error":{"message":"This model does not support images larger than 8000 pixels on a side."}}"#,
            one.clone(),
        ),
        (
            400,
            r#"{"error":{"message":"The decoder prompt contains a(n) image item with length 4200, which exceeds the pre-allocated encoder cache size 3721.","type":"BadRequestError"}}"#,
            one.clone(),
        ),
        (
            400,
            r#"{"error":{"message":"image/svg+xml is not supported","type":"invalid_request_error"}}"#,
            one.clone(),
        ),
        (
            400,
            r#"{"error":{"message":"Your request was rejected by the safety system. The image you sent may show content that our policies do not allow.","code":"content_policy_violation"}}"#,
            one.clone(),
        ),
        (
            400,
            r#"{"error":{"message":"Cannot preprocess the image, please provide a valid one","type":"invalid_request_error"}}"#,
            one.clone(),
        ),
        (
            413,
            r#"{"error":{"message":"image too large","type":"request_too_large"}}"#,
            one,
        ),
    ] {
        let learnt = learn(&with_picture(), status, body);
        assert_eq!(learnt.as_ref(), Some(&expected), "{body}");
        // Without one in the request nothing of the kind is learnt.
        let without = learn(&sent(), status, body);
        assert!(
            !matches!(without, Some(Refused::Pictures | Refused::Picture(_))),
            "{body}"
        );
        let known = Sent {
            refused: vec![expected],
            ..with_picture()
        };
        assert_eq!(learn(&known, status, body), None, "{body}");
    }
}
