//! Each cause in two sentences: what is the matter, and what to do. `{host}` stands for the
//! host, `{named}` for what the cause names.

use crate::kernel::doctor::Cause;

pub(super) fn english(cause: &Cause, is_local: bool) -> [&'static str; 2] {
    match cause {
        Cause::Fine => [
            "{host} works: it answers, streams and has tools called.",
            "",
        ],
        Cause::BadAddress(_) => ["", ""],
        Cause::MixedContent => [
            "Browsers block http:// to another machine from a page like this.",
            "Use https:// there, or reach it through this machine, as http://localhost with its port.",
        ],
        Cause::BadKeyText => [
            "The key has characters that no key has, such as spaces or long dashes.",
            "Copy it again.",
        ],
        Cause::KeyLocked => [
            "The key for {host} is locked.",
            "Unlock the keys, then try again.",
        ],
        Cause::WrongPath(_) => [
            "The address is not quite right: the endpoint is at {named}.",
            "Take that address.",
        ],
        Cause::WebPage => [
            "There is a web page at this address, not an endpoint.",
            "Look up the base URL in the host's documentation; it mostly ends in /v1.",
        ],
        Cause::NoSuchAddress => [
            "{host} answers, but has no chat endpoint at this address.",
            "Look up the base URL in the host's documentation; it mostly ends in /v1.",
        ],
        Cause::NoCors if is_local => [
            "{host} is running, but does not let this page in (CORS).",
            "Start it so that it does, then try again.",
        ],
        Cause::NoCors => [
            "{host} is up, but does not let web pages in (CORS).",
            "Allow this page there if you can, or use a gateway that lets web pages in.",
        ],
        Cause::Preflight(_) => [
            "{host} lets web pages in, but not with the header {named}.",
            "Allow the header there, take it out if it is one of yours, or use a gateway that lets web pages in.",
        ],
        Cause::Unreachable if is_local => [
            "Nothing answers at {host}.",
            "Start the server, or mend the port. Some browsers, such as Safari, keep a secure page from servers on this machine.",
        ],
        Cause::Unreachable => [
            "Nothing answers at {host}.",
            "Check the address and the network; a firewall, a VPN or a blocker may stand in between.",
        ],
        Cause::Silent => [
            "{host} does not answer in time.",
            "It may be loading the model or be overloaded. Wait a little, then try again.",
        ],
        Cause::LocalNetwork => [
            "The browser keeps this page from your local network.",
            "Press Allow when it asks, or allow it in the browser's settings for this site; then try again.",
        ],
        Cause::NoKey => ["{host} wants a key.", "Enter yours."],
        Cause::BadKey => [
            "{host} does not accept the key.",
            "Enter it again, or another one.",
        ],
        Cause::KeyMayNot => [
            "{host} does not let this key do that.",
            "Check there what the key may do and which models it may use.",
        ],
        Cause::NoCredit => [
            "The account at {host} has no credit left.",
            "Top it up there, then try again.",
        ],
        Cause::UnknownModel(near) if near.is_empty() => [
            "{host} has no model of this name.",
            "Look up the model's name in the host's documentation.",
        ],
        Cause::UnknownModel(_) => ["{host} has no model of this name.", "Take one that it has:"],
        Cause::RateLimited(None) => [
            "{host} takes no more requests for the moment.",
            "Wait a little, then try again.",
        ],
        Cause::RateLimited(_) => [
            "{host} takes no more requests for the moment.",
            "Wait {named} s, then try again.",
        ],
        Cause::ServerError(_) => [
            "{host} fails (HTTP {named}).",
            "The trouble is on its side; try again later.",
        ],
        Cause::Refused => [
            "{host} refuses the request; its words stand below.",
            "Mostly the model or one of the endpoint's options is the reason.",
        ],
        Cause::NotAnAnswer => [
            "What {host} sends is not a model's answer.",
            "The address may be that of another service.",
        ],
        Cause::NoStreaming => [
            "{host} does not send answers piece by piece.",
            "Have them come whole: the endpoint's options have a choice for that.",
        ],
        Cause::NoTools => [
            "This model can't call tools, so it can't work on files.",
            "Choose another model.",
        ],
        Cause::ToolIgnored => [
            "The model was offered a tool and did not call it.",
            "It may be too small for work on files; another one may do better.",
        ],
        Cause::NoUsage => [
            "{host} does not count tokens.",
            "They are estimated instead.",
        ],
        Cause::NoOrigin => [
            "This page was opened from a file, so no host can let it in.",
            "Open Tabloop from a web address.",
        ],
    }
}

pub(super) fn chinese(cause: &Cause, is_local: bool) -> [&'static str; 2] {
    match cause {
        Cause::Fine => ["{host} 一切正常：能作答、能流式返回、能调用工具。", ""],
        Cause::BadAddress(_) => ["", ""],
        Cause::MixedContent => [
            "浏览器不允许这样的网页用 http:// 访问其他机器。",
            "请改用 https://，或经由本机访问，如 http://localhost 加端口。",
        ],
        Cause::BadKeyText => ["密钥中有不该出现的字符，如空格或长横线。", "请重新复制。"],
        Cause::KeyLocked => ["{host} 的密钥已锁定。", "请先解锁密钥，然后重试。"],
        Cause::WrongPath(_) => ["地址有偏差：端点在 {named}。", "请采用该地址。"],
        Cause::WebPage => [
            "这个地址是网页，不是端点。",
            "请在主机的文档中查找 Base URL，通常以 /v1 结尾。",
        ],
        Cause::NoSuchAddress => [
            "{host} 有回应，但这个地址上没有聊天端点。",
            "请在主机的文档中查找 Base URL，通常以 /v1 结尾。",
        ],
        Cause::NoCors if is_local => [
            "{host} 在运行，但不允许本页访问（CORS）。",
            "请按下面的方式启动它，然后重试。",
        ],
        Cause::NoCors => [
            "{host} 在线，但不允许网页访问（CORS）。",
            "如有权限请在那里允许本页，或使用允许网页访问的网关。",
        ],
        Cause::Preflight(_) => [
            "{host} 允许网页访问，但不接受请求头 {named}。",
            "请在那里允许该请求头；若是你添加的就去掉它；或使用允许网页访问的网关。",
        ],
        Cause::Unreachable if is_local => [
            "{host} 没有回应。",
            "请启动服务，或更正端口。有些浏览器（如 Safari）不让安全网页访问本机服务。",
        ],
        Cause::Unreachable => [
            "{host} 没有回应。",
            "请检查地址和网络；防火墙、VPN 或拦截插件也可能挡在中间。",
        ],
        Cause::Silent => [
            "{host} 没有及时回应。",
            "它可能正在加载模型或负载过高。请稍候重试。",
        ],
        Cause::LocalNetwork => [
            "浏览器不让本页访问你的本地网络。",
            "请在浏览器询问时点“允许”，或在浏览器的网站设置中允许，然后重试。",
        ],
        Cause::NoKey => ["{host} 需要密钥。", "请填写你的密钥。"],
        Cause::BadKey => ["{host} 不接受这个密钥。", "请重新填写，或换一个。"],
        Cause::KeyMayNot => [
            "{host} 不允许这个密钥这样做。",
            "请在那里检查密钥的权限和可用的模型。",
        ],
        Cause::NoCredit => ["{host} 的账户余额不足。", "请在那里充值后重试。"],
        Cause::UnknownModel(near) if near.is_empty() => [
            "{host} 没有这个名称的模型。",
            "请在主机的文档中查找模型名称。",
        ],
        Cause::UnknownModel(_) => ["{host} 没有这个名称的模型。", "请选用它有的模型："],
        Cause::RateLimited(None) => ["{host} 暂时不再接受请求。", "请稍候重试。"],
        Cause::RateLimited(_) => ["{host} 暂时不再接受请求。", "请等待 {named} 秒后重试。"],
        Cause::ServerError(_) => ["{host} 出错（HTTP {named}）。", "问题在对方，请稍后重试。"],
        Cause::Refused => [
            "{host} 拒绝了请求，原话见下。",
            "原因多半是模型，或端点选项中的某一项。",
        ],
        Cause::NotAnAnswer => [
            "{host} 返回的不是模型的回答。",
            "这个地址可能属于其他服务。",
        ],
        Cause::NoStreaming => [
            "{host} 不会逐段返回回答。",
            "请改为整段返回：端点选项中可以选择。",
        ],
        Cause::NoTools => ["这个模型不能调用工具，无法处理文件。", "请换一个模型。"],
        Cause::ToolIgnored => [
            "给了模型一个工具，它没有调用。",
            "它可能太小，不适合处理文件；换一个可能更好。",
        ],
        Cause::NoUsage => ["{host} 不统计 token。", "将改用估算值。"],
        Cause::NoOrigin => [
            "本页是从文件打开的，任何主机都无法允许它访问。",
            "请从网址打开 Tabloop。",
        ],
    }
}
