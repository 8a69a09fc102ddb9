// One personality a family of providers, as data: what its answers look like on the wire,
// what it refuses, and in which words. Each refuses what the real one was seen to refuse
// in public reports. `hosts.mjs` makes servers of them.
//
//   base          the address as a user pastes it, below the server's origin
//   chat          where chat requests are answered
//   preflight     the headers it lets a page send beside `authorization` and `content-type`
//   admits        whether a request's headers hold the right key
//   options       what has to be set in the form
//   systemless    has no role for the system
//   error         an error in its shape
//   against       what it says against a request: [status, message, parameter], or nothing
//   wire          how it writes a message, see `hosts.mjs`
//   refusals      how often it has to refuse something before it has its way

import { KEY } from './app.mjs';

// --- What is in a request ----------------------------------------------------------------

const FIELDS = [
  'model', 'messages', 'tools', 'stream', 'temperature', 'top_p', 'max_tokens', 'max_completion_tokens',
  'reasoning_effort', 'seed', 'parallel_tool_calls', 'stream_options',
];
const MESSAGE_FIELDS = ['role', 'content', 'tool_calls', 'tool_call_id', 'name'];

/** A top-level field that is none of those allowed. */
const strange = (body, refused = []) => Object.keys(body).find((name) => !FIELDS.includes(name) || refused.includes(name));

/** A field of a message that is none of those allowed, and where it stands. */
const strangeInMessage = ({ messages }, more = []) => {
  const known = [...MESSAGE_FIELDS, ...more];
  const found = messages.flatMap((message, at) =>
    Object.keys(message).filter((name) => !known.includes(name)).map((name) => `messages.${at}.${message.role}.${name}`));
  return found[0];
};

const answers = ({ messages }) => messages.filter(({ role }) => role === 'assistant');
const callsOf = (body) => answers(body).flatMap((message) => message.tool_calls ?? []);
const has = (body, name) => name in body;

/** Words of tools' schemas beyond the plainest. */
function strangeWord(schema) {
  const known = ['type', 'properties', 'required', 'description', 'items', 'enum'];
  const word = Object.keys(schema).find((name) => !known.includes(name));
  if (word) return word;
  const inner = [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])];
  return inner.map(strangeWord).find(Boolean);
}

// --- Errors ------------------------------------------------------------------------------

const openAiError = (message, status, param = null) =>
  ({ error: { message, type: 'invalid_request_error', param, code: param ? 'unsupported_parameter' : null } });
const flatError = (message, status) => ({ object: 'error', message, type: 'BadRequestError', param: null, code: status });

// --- The families --------------------------------------------------------------------------

const bearer = (headers) => headers.authorization === `Bearer ${KEY}`;
const usual = { base: '/v1', chat: '/v1/chat/completions', preflight: [], admits: bearer, error: openAiError, against: () => null, wire: {}, refusals: 0 };

const FAMILIES = {
  'strict OpenAI': {
    options: { temperature: '0.2', max_tokens: '900', effort: 'low' },
    against(body) {
      if (has(body, 'max_tokens')) {
        return [400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", 'max_tokens'];
      }
      if (has(body, 'temperature')) {
        return [400, "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.", 'temperature'];
      }
      if (strange(body)) return [400, `Unrecognized request argument supplied: ${strange(body)}`];
      const long = callsOf(body).find(({ id }) => id.length > 40);
      if (long) return [400, `Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length ${long.id.length} instead.`];
      const bad = strangeInMessage(body);
      return bad && [400, `Additional properties are not allowed ('${bad}' was unexpected)`];
    },
    refusals: 2,
  },

  'DeepSeek reasoner': {
    wire: { thought: 'reasoning_content', comment: ': keep-alive', id: (name, n) => `call_00_${n}` },
    against: (body) => answers(body).some((message) => typeof message.reasoning_content !== 'string')
      && [400, 'The reasoning_content in the thinking mode must be passed back to the API.'],
    // The last message came without a thought; asked again, all of them carry one.
    refusals: 1,
  },

  'Kimi thinking': {
    wire: { thought: 'reasoning_content', usage: 'choice', id: (name, n) => `functions.${name}:${n}` },
    against(body) {
      const at = body.messages.findIndex((message) => message.tool_calls && !message.reasoning_content);
      if (at > 0) return [400, `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${at}`];
      return callsOf(body).some(({ id, function: { name } }) => !id.startsWith(`functions.${name}:`)) && [400, 'tool_call_id is not found'];
    },
  },

  GLM: {
    base: '/api/paas/v4', chat: '/api/paas/v4/chat/completions',
    wire: { thought: 'reasoning_content', whole: true, id: (name, n) => `call_-${8_000_000_000 + n}`, done: true },
    error: (message) => ({ error: { code: '1214', message } }),
    against: (body) => body.messages.some(({ role }) => !['system', 'user', 'assistant', 'tool'].includes(role))
      && [400, 'messages 参数非法。请检查文档。'],
  },

  DashScope: {
    base: '/compatible-mode/v1/chat/completions', chat: '/compatible-mode/v1/chat/completions',
    options: { delivery: true },
    wire: { thought: 'reasoning_content', laterId: '', crlf: true },
    error: (message) => ({ error: { code: 'invalid_parameter_error', param: null, message, type: 'invalid_request_error' }, request_id: '0af1' }),
    against: (body) => body.stream !== true
      && [400, '<400> InternalError.Algo.InvalidParameter: This model only support stream mode, please enable the stream parameter to access the model. '],
    refusals: 1,
  },

  Mistral: {
    wire: { whole: true, id: (name, n) => `a1b2c${String(n).padStart(4, '0')}` },
    error: (message, status, param) => (status === 422
      ? { object: 'error', message: { detail: [{ type: 'extra_forbidden', loc: ['body', ...param.split('.')], msg: message, input: true }] }, type: 'invalid_request_error', param: null, code: null }
      : { object: 'error', message, type: 'invalid_request_message_order', param: null, code: '3230' }),
    against(body) {
      const field = strange(body, ['stream_options']) ?? strangeInMessage(body);
      if (field) return [422, 'Extra inputs are not permitted', field];
      const bad = callsOf(body).find(({ id }) => !/^[a-zA-Z0-9]{9}$/.test(id));
      if (bad) return [400, `Tool call id was ${bad.id} but must be a-z, A-Z, 0-9, with a length of 9.`];
      const wrong = body.messages.some(({ role }, at) => role === 'user' && body.messages[at - 1].role === 'tool');
      return wrong && [400, "Unexpected role 'user' after role 'tool'"];
    },
    refusals: 1,
  },

  'Gemini compat': {
    base: '/v1beta/openai/', chat: '/v1beta/openai/chat/completions',
    wire: {
      index: 'zero', whole: true, finish: 'stop', id: (name, n) => `function-call-${n}`,
      more: (n) => ({ extra_content: { google: { thought_signature: `U0lHLQ==${n}` } } }),
    },
    error: (message, status) => [{ error: { code: status, message, status: 'INVALID_ARGUMENT' } }],
    against(body) {
      const name = strange(body);
      if (name) return [400, `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`];
      const word = (body.tools ?? []).map((tool) => strangeWord(tool.function.parameters)).find(Boolean);
      if (word) return [400, `Invalid JSON payload received. Unknown name "${word}" at 'tools[0].function_declarations[0].parameters': Cannot find field.`];
      const at = body.messages.findIndex((message) => message.role === 'tool' && !message.name);
      if (at > 0) return [400, `* GenerateContentRequest.contents[${at}].parts[0].function_response.name: Name cannot be empty.\n`];
      const unsigned = callsOf(body).some((call) => call.extra_content?.google?.thought_signature !== `U0lHLQ==${call.id.split('-').at(-1)}`);
      return unsigned && [400, 'Function call is missing a thought_signature in functionCall parts.'];
    },
    refusals: 1,
  },

  'Anthropic compat': {
    preflight: ['anthropic-dangerous-direct-browser-access'],
    options: { headers: 'anthropic-dangerous-direct-browser-access: true' },
    admits: (headers) => bearer(headers) && headers['anthropic-dangerous-direct-browser-access'] === 'true',
    wire: { id: (name, n) => `toolu_${n}`, usage: 'none', done: false },
    error: (message) => ({ error: { code: 'invalid_request_error', message, type: 'invalid_request_error', param: null } }),
    against(body) {
      const bad = callsOf(body).find(({ id }) => !/^[a-zA-Z0-9_-]+$/.test(id));
      if (bad) return [400, "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"];
      const empty = body.messages.some(({ content }) => content === '');
      return empty && [400, 'messages: text content blocks must be non-empty'];
    },
  },

  OpenRouter: {
    base: '/api/v1', chat: '/api/v1/chat/completions',
    wire: { thought: 'reasoning', comment: ': OPENROUTER PROCESSING', details: true },
    error: (message, status) => ({ error: { message: 'Provider returned error', code: status, metadata: { raw: JSON.stringify({ error: { message } }), provider_name: 'Some' } } }),
    against: (body) => answers(body).some((message) => message.tool_calls && message.reasoning_details?.[0]?.signature !== 'S')
      && [400, 'Gemini models require the reasoning_details of each tool call to be preserved'],
  },

  Groq: {
    base: '/openai/v1', chat: '/openai/v1/chat/completions',
    options: { extra_body: '{"store": true}' },
    wire: { thought: 'reasoning', whole: true, usage: 'x_groq' },
    against(body) {
      const bad = strange(body);
      if (bad) return [400, `property '${bad}' is unsupported`];
      const field = strangeInMessage(body, ['reasoning']);
      return field && [400, `'${field}' : property '${field}' is unsupported`];
    },
    refusals: 1,
  },

  Cerebras: {
    // It thinks in one field and refuses it under that name.
    wire: { thought: 'reasoning_content', whole: true },
    error: (message) => ({ message, type: 'invalid_request_error', param: 'messages', code: 'wrong_api_format' }),
    against(body) {
      const field = strangeInMessage(body, ['reasoning']);
      return field && [400, `body.${field}: property '${field}' is unsupported`];
    },
    refusals: 1,
  },

  'Azure with api-version': {
    base: '/openai/deployments/mine?api-version=2024-06-01', chat: '/openai/deployments/mine/chat/completions?api-version=2024-06-01',
    preflight: ['api-key'],
    options: { key_header: 'api-key' },
    admits: (headers) => headers['api-key'] === KEY && !headers.authorization,
    wire: { filters: true },
    against: (body) => has(body, 'stream_options') && [400, 'Unknown parameter: \'stream_options\'.', 'stream_options'],
    refusals: 1,
  },

  'Ollama, old': {
    admits: () => true,
    wire: { index: 'zero', whole: true, finish: 'stop', usage: 'none' },
    error: (message) => ({ error: { message, type: 'api_error', param: null, code: null } }),
    against: (body) => body.messages.some(({ content }) => typeof content !== 'string')
      && [400, 'invalid message content type: <nil>'],
    refusals: 1,
  },

  'llama.cpp without --jinja': {
    options: { text_calls: true },
    wire: { inWords: true },
    error: (message, status) => ({ error: { code: status, message, type: 'server_error' } }),
    against(body) {
      if (body.tools) return [500, 'tools param requires --jinja flag'];
      const roles = body.messages.slice(1).map(({ role }) => role);
      const turns = roles.every((role, at) => role === (at % 2 ? 'assistant' : 'user'));
      return !turns && [500, 'Conversation roles must alternate user/assistant/user/assistant/...'];
    },
    refusals: 1,
  },

  vLLM: {
    wire: { laterId: null, id: (name, n) => `chatcmpl-tool-${String(n).padStart(32, '0')}` },
    error: flatError,
    options: { top_p: '0.9', extra_body: '{"thinking": {"type": "enabled"}}' },
    against(body) {
      const bad = strange(body);
      return bad && [400, `[{'type': 'extra_forbidden', 'loc': ('body', '${bad}'), 'msg': 'Extra inputs are not permitted', 'input': {}}]`];
    },
    refusals: 1,
  },

  'a Gemma template behind vLLM': {
    systemless: true,
    error: flatError,
    options: { text_calls: true },
    wire: { inWords: true },
    against(body) {
      if (body.tools) return [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'];
      if (body.messages[0].role === 'system') return [400, 'System role not supported'];
      const turns = body.messages.every(({ role }, at) => role === (at % 2 ? 'assistant' : 'user'));
      return !turns && [400, 'Conversation roles must alternate user/assistant/user/assistant/...'];
    },
    refusals: 2,
  },

  'LiteLLM over Bedrock': {
    options: { extra_body: '{"parallel_tool_calls": true}' },
    wire: { id: (name, n) => `tooluse_${n}`, index: 'number' },
    error: (message, status) => ({ error: { message: `litellm.BadRequestError: ${message}`, type: null, param: null, code: String(status) } }),
    against(body) {
      if (has(body, 'parallel_tool_calls')) {
        return [400, "litellm.UnsupportedParamsError: bedrock does not support parameters: ['parallel_tool_calls'], for model=some. To drop these, set `litellm.drop_params=True`"];
      }
      return !body.tools && callsOf(body).length > 0
        && [400, "Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param"];
    },
    refusals: 1,
  },

  'one-api without streaming': {
    // The address of its page, as users paste it: what is there is a web page.
    base: '/',
    wire: { wrapped: true },
    error: (message) => ({ error: { message: `${message} (request id: 20261130)`, type: 'one_api_error', param: '', code: null } }),
    against: (body) => body.stream === true && [400, 'this channel does not support streaming'],
    refusals: 1,
  },
};

/** All of them, each with all its fields. */
export const personalities = Object.entries(FAMILIES).map(([name, own]) => ({ ...usual, name, ...own }));
