//! The ways in which models write calls as text.

use serde_json::{Map, Value as Json};

use super::{Offered, Read, Tool};

/// Closing marks that are tried before a block is given up.
const MAX_ENDS: usize = 16;

/// The calls of the block that `text` begins with, and its length. Nothing unless it is
/// whole and every call is of a tool on offer.
pub(super) fn block(text: &str, offered: &Offered) -> Option<(Vec<Read>, usize)> {
    if text.starts_with("<｜DSML｜") {
        return dsml(text, offered);
    }
    if text.starts_with("<|tool_call") {
        return section(text, &KIMI, offered);
    }
    if text.starts_with("<｜tool") {
        return section(text, &DEEPSEEK, offered);
    }
    if let Some(inside) = text.strip_prefix("<tool_call>") {
        let (call, length) = tagged(inside, offered)?;
        return Some((vec![call], "<tool_call>".len() + length));
    }
    if text.starts_with("<function=") {
        let (call, length) = function(text, offered)?;
        return Some((vec![call], length));
    }
    invocations(text, offered)
}

/// `{"name": …, "arguments": …}</tool_call>`, or another way of writing within the same tags.
fn tagged(inside: &str, offered: &Offered) -> Option<(Read, usize)> {
    const END: &str = "</tool_call>";
    // The closing mark may stand in an argument too.
    let ends = inside.match_indices(END).take(MAX_ENDS);
    ends.into_iter().find_map(|(end, _)| {
        let body = inside[..end].trim();
        let call = if body.starts_with('{') {
            of_json(serde_json::from_str(body).ok()?, offered)
        } else if body.starts_with("<function=") {
            let (call, length) = function(body, offered)?;
            (length == body.len()).then_some(call)
        } else {
            pairs(body, offered)
        };
        Some((call?, end + END.len()))
    })
}

fn of_json(json: Json, offered: &Offered) -> Option<Read> {
    let name = json["name"].as_str()?;
    let arguments = json.get("arguments").or(json.get("parameters"));
    let arguments = match arguments {
        None | Some(Json::Null) => Map::new(),
        Some(Json::Object(fields)) => fields.clone(),
        Some(Json::String(text)) => serde_json::from_str(text).ok()?,
        Some(_) => return None,
    };
    call(name, arguments, offered)
}

fn call(name: &str, arguments: Map<String, Json>, offered: &Offered) -> Option<Read> {
    let name = offered.find(name.trim())?.name.clone();
    Some(Read { name, arguments })
}

/// `<function=NAME><parameter=KEY>VALUE</parameter></function>`, or JSON inside.
fn function(text: &str, offered: &Offered) -> Option<(Read, usize)> {
    let (name, body) = cut(text.strip_prefix("<function=")?, ">")?;
    let (body, _) = cut(body, "</function>")?;
    let length = "<function=>".len() + name.len() + body.len() + "</function>".len();
    let tool = offered.find(name.trim())?;
    let body = body.trim();
    if body.starts_with('{') {
        let arguments = serde_json::from_str(body).ok()?;
        return Some((call(name, arguments, offered)?, length));
    }
    let mut arguments = Map::new();
    let mut rest = body;
    while let Some((_, inside)) = cut(rest, "<parameter=") {
        let (key, value) = cut(inside, ">")?;
        let (value, behind) = cut(value, "</parameter>")?;
        arguments.insert(key.trim().to_owned(), value_of(tool, key.trim(), value));
        rest = behind;
    }
    Some((call(name, arguments, offered)?, length))
}

/// `NAME<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>`, as GLM writes.
fn pairs(body: &str, offered: &Offered) -> Option<Read> {
    let (name, _) = cut(body, "<arg_key>").unwrap_or((body, ""));
    let tool = offered.find(name.trim())?;
    let mut arguments = Map::new();
    let mut rest = &body[name.len()..];
    while let Some((_, at_key)) = cut(rest, "<arg_key>") {
        let (key, behind) = cut(at_key, "</arg_key>")?;
        let value = behind.trim_start().strip_prefix("<arg_value>")?;
        let (value, behind) = cut(value, "</arg_value>")?;
        arguments.insert(key.trim().to_owned(), value_of(tool, key.trim(), value));
        rest = behind;
    }
    call(&tool.name, arguments, offered)
}

/// `<invoke name="NAME"><parameter name="KEY">VALUE</parameter></invoke>`, several of
/// them inside a mark of their own.
fn invocations(text: &str, offered: &Offered) -> Option<(Vec<Read>, usize)> {
    let wrappers = ["<function_calls>", "<minimax:tool_call>"];
    let wrapper = wrappers.iter().find(|mark| text.starts_with(**mark));
    let mut rest = &text[wrapper.map_or(0, |mark| mark.len())..];
    let mut calls = Vec::new();
    loop {
        let next = rest.trim_start();
        let Some(inside) = next.strip_prefix("<invoke ") else {
            break;
        };
        let (head, body) = cut(inside, ">")?;
        let (body, behind) = cut(body, "</invoke>")?;
        calls.push(invocation(attribute(head, "name")?, body, offered)?);
        rest = behind;
        if wrapper.is_none() {
            break;
        }
    }
    if let Some(mark) = wrapper {
        let end = mark.replacen('<', "</", 1);
        rest = rest.trim_start().strip_prefix(end.as_str())?;
    }
    (!calls.is_empty()).then_some((calls, text.len() - rest.len()))
}

fn invocation(name: &str, body: &str, offered: &Offered) -> Option<Read> {
    let tool = offered.find(name)?;
    let mut arguments = Map::new();
    let mut rest = body;
    while let Some((_, inside)) = cut(rest, "<parameter ") {
        let (head, value) = cut(inside, ">")?;
        let (value, behind) = cut(value, "</parameter>")?;
        let key = attribute(head, "name")?;
        let value = match attribute(head, "string") {
            Some("true") => value.into(),
            Some(_) => serde_json::from_str(value).ok()?,
            None => value_of(tool, key, value),
        };
        arguments.insert(key.to_owned(), value);
        rest = behind;
    }
    call(name, arguments, offered)
}

fn attribute<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = cut(head, name)?;
    let (value, _) = cut(value.strip_prefix("=\"")?, "\"")?;
    Some(value)
}

/// The same in DeepSeek's marks.
fn dsml(text: &str, offered: &Offered) -> Option<(Vec<Read>, usize)> {
    const END: &str = "</｜DSML｜function_calls>";
    let length = cut(text, END)?.0.len() + END.len();
    let plain = text[..length].replace("｜DSML｜", "");
    let (calls, read) = invocations(&plain, offered)?;
    (read == plain.len()).then_some((calls, length))
}

/// The marks around a section of calls: its start and end, a call's start, what stands
/// before its arguments, its end.
type Marks = [&'static str; 5];

/// Kimi's: `functions.NAME:0` before the arguments.
const KIMI: Marks = [
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
];
/// DeepSeek's: the name before the arguments.
const DEEPSEEK: Marks = [
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool▁call▁end｜>",
];

fn section(text: &str, marks: &Marks, offered: &Offered) -> Option<(Vec<Read>, usize)> {
    let [start, end, begin, middle, last] = *marks;
    let mut rest = text.strip_prefix(start).unwrap_or(text);
    let mut calls = Vec::new();
    while let Some(inside) = rest.trim_start().strip_prefix(begin) {
        let (name, arguments) = cut(inside, middle)?;
        let (arguments, behind) = cut(arguments, last)?;
        let name = name.trim();
        let name = name.strip_prefix("functions.").unwrap_or(name);
        let (name, _) = cut(name, ":").unwrap_or((name, ""));
        calls.push(call(name, serde_json::from_str(arguments).ok()?, offered)?);
        rest = behind;
    }
    let rest = rest.trim_start().strip_prefix(end).unwrap_or(rest);
    (!calls.is_empty()).then_some((calls, text.len() - rest.len()))
}

/// An argument as its type wants it. Where the type is not known, what can be no mere
/// text is read as JSON.
fn value_of(tool: &Tool, key: &str, raw: &str) -> Json {
    let value = raw.strip_prefix('\n').unwrap_or(raw);
    let value = value.strip_suffix('\n').unwrap_or(value);
    let known = tool.arguments.iter().find(|(name, _)| name == key);
    match known.map(|(_, kind)| kind.as_str()) {
        Some("string") => value.into(),
        _ => serde_json::from_str(value.trim()).unwrap_or_else(|_| value.into()),
    }
}

/// What stands before a mark and behind it.
#[inline(never)]
fn cut<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    text.split_once(mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(text: &str, expected: &[(&str, Json)]) {
        let tool = |name: &str| Tool {
            name: name.into(),
            arguments: vec![("content".into(), "string".into())],
        };
        let offered = Offered {
            tools: vec![tool("write_file"), tool("now")],
        };
        let behind = " and more";
        let (calls, length) = block(&format!("{text}{behind}"), &offered).expect(text);
        let calls: Vec<(&str, Json)> = calls
            .iter()
            .map(|call| (call.name.as_str(), Json::Object(call.arguments.clone())))
            .collect();
        assert_eq!((calls.as_slice(), length), (expected, text.len()), "{text}");
    }

    #[test]
    fn every_way_of_writing_is_read() {
        let wanted = json!({"path": "a.md", "content": "12", "n": 3});
        let written = [("write_file", wanted)];
        check(
            r#"<tool_call>{"name":"write_file","arguments":{"path":"a.md","content":"12","n":3}}</tool_call>"#,
            &written,
        );
        check(
            "<tool_call>\n<function=write_file>\n<parameter=path>\na.md\n</parameter>\n<parameter=content>\n12\n</parameter>\n<parameter=n>3</parameter>\n</function>\n</tool_call>",
            &written,
        );
        check(
            "<function=write_file><parameter=path>a.md</parameter><parameter=content>12</parameter><parameter=n>3</parameter></function>",
            &written,
        );
        check(
            r#"<function=write_file>{"path":"a.md","content":"12","n":3}</function>"#,
            &written,
        );
        check(
            "<tool_call>write_file\n<arg_key>path</arg_key>\n<arg_value>a.md</arg_value>\n<arg_key>content</arg_key><arg_value>12</arg_value><arg_key>n</arg_key><arg_value>3</arg_value></tool_call>",
            &written,
        );
        check(
            r#"<invoke name="write_file"><parameter name="path">a.md</parameter><parameter name="content">12</parameter><parameter name="n">3</parameter></invoke>"#,
            &written,
        );
        check(
            r#"<｜DSML｜function_calls>
<｜DSML｜invoke name="write_file">
<｜DSML｜parameter name="path" string="true">a.md</｜DSML｜parameter>
<｜DSML｜parameter name="content" string="true">12</｜DSML｜parameter>
<｜DSML｜parameter name="n" string="false">3</｜DSML｜parameter>
</｜DSML｜invoke>
</｜DSML｜function_calls>"#,
            &written,
        );
        check(
            r#"<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>{"path":"a.md","content":"12","n":3}<|tool_call_end|><|tool_calls_section_end|>"#,
            &written,
        );
        check(
            r#"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>write_file<｜tool▁sep｜>{"path":"a.md","content":"12","n":3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>"#,
            &written,
        );
    }

    #[test]
    fn several_calls_of_one_block_and_marks_in_arguments() {
        check(
            r#"<function_calls><invoke name="now"></invoke>
<invoke name="now"></invoke></function_calls>"#,
            &[("now", json!({})), ("now", json!({}))],
        );
        check(
            r#"<tool_call>{"name":"write_file","arguments":{"content":"</tool_call>"}}</tool_call>"#,
            &[("write_file", json!({"content": "</tool_call>"}))],
        );
    }
}
