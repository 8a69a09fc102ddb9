//! What endpoints were found to refuse, in words: how they are asked since then.

use super::{Language, Words};
use crate::kernel::settings::Refused;

impl Words {
    /// How an endpoint is asked that refuses this: one clause, without a full stop.
    pub fn lesson(&self, refused: &Refused) -> String {
        let english = self.language == Language::English;
        let told = match refused {
            Refused::Field(name) if english => return format!("“{name}” is left out"),
            Refused::Field(name) => return format!("不再发送“{name}”"),
            Refused::MaxTokens => [
                "the limit for answers is called “max_completion_tokens”",
                "回答长度上限改用“max_completion_tokens”",
            ],
            Refused::Streaming => [
                "answers come whole, not piece by piece",
                "回答整段返回，不再逐字返回",
            ],
            Refused::Whole => [
                "answers come piece by piece, not whole",
                "回答逐字返回，不再整段返回",
            ],
            Refused::NullText => [
                "calls without words carry an empty text",
                "没有文字的调用带上空文本",
            ],
            Refused::NamelessResults => {
                ["results carry the name of their tool", "结果带上工具的名称"]
            }
            Refused::Thoughts => ["thoughts are not sent back", "不再发回思考内容"],
            Refused::NoThoughts => [
                "every message carries a thought, be it an empty one",
                "每条消息都带上思考内容，没有时为空",
            ],
            Refused::Neighbours => ["messages in a row are joined", "相邻的消息合并发送"],
            Refused::UserAfterResult => [
                "a word stands between a result and what you say",
                "结果与你的消息之间加一句话",
            ],
            Refused::System => [
                "its instructions stand in front of your first message",
                "指令放在你的第一条消息之前",
            ],
            Refused::Ids => ["calls get short ids", "调用改用较短的编号"],
            Refused::Schemas => ["tools are described more plainly", "工具的描述更简单"],
            Refused::Tools => [
                "it is offered no tools, since it can't call any",
                "不再向它提供工具，因为它不能调用",
            ],
            Refused::Pictures => ["images are left out", "不再发送图片"],
            Refused::Picture(_) => [
                "an image that it refused is left out",
                "不再发送它拒绝的一张图片",
            ],
            Refused::CallsWithoutTools => [
                "earlier calls are told in words where no tools are offered",
                "不提供工具时，以文字说明之前的调用",
            ],
        };
        told[usize::from(!english)].to_owned()
    }
}
