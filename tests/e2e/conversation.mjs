// The rules that every request to an endpoint keeps, whatever happened before:
// a host that finds one broken answers 400, and goes on doing so for ever.

const ROLES = ['system', 'user', 'assistant', 'tool'];

/**
 * Says in sentences what is wrong with a request's body.
 * `earlier` holds the bodies of the requests before it, oldest first. `shortens`: the
 * history may be shortened, as long as it begins as before. `joins`: a conversation may have
 * begun at another endpoint.
 */
export function faults(body, earlier = [], { shortens = false, joins = false } = {}) {
  if (!Array.isArray(body?.messages)) return ['the body has no list of messages'];
  const { messages } = body;
  return [
    ...requestFaults(body),
    ...messages.flatMap((message, at) => messageFaults(message, at)),
    ...pairingFaults(messages),
    ...historyFaults(messages, earlier, shortens, joins),
  ];
}

/** The task of a conversation: the first message behind the system prompt. */
export function task(messages) {
  return messages[1]?.role === 'user' ? plain(messages[1].content) : '';
}

/** A message's text, whether it was sent as a string or as parts. */
export function plain(content) {
  if (Array.isArray(content)) return content.map((part) => part.text ?? '').join('');
  return content ?? '';
}

/** The results behind the last message of the model, as the model reads them. */
export function lastResults({ messages }) {
  const from = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(from + 1).filter(({ role }) => role === 'tool').map(({ content }) => content);
}

function requestFaults(body) {
  const found = [];
  if (body.stream !== true) found.push('stream is not true');
  if (typeof body.model !== 'string' || body.model === '') found.push('no model is named');
  if ('tools' in body && !(Array.isArray(body.tools) && body.tools.length > 0)) {
    found.push('tools is there but holds none');
  }
  if (!('tools' in body) && 'tool_choice' in body) found.push('tool_choice without tools');
  if (body.messages[0]?.role !== 'system') found.push('the first message is not the system prompt');
  if (task(body.messages).trim() === '') found.push('the task is not right behind the system prompt');
  return found;
}

function messageFaults(message, at) {
  const found = [];
  const tell = (what) => found.push(`message ${at} (${message.role}): ${what}`);
  if (!ROLES.includes(message.role)) tell('unknown role');
  if (message.role === 'system' && at > 0) tell('a system message that is not the first');
  if (message.role === 'user' && plain(message.content).trim() === '') tell('empty');
  if (message.role === 'tool' && typeof message.content !== 'string') tell('the result is not text');
  if (message.role !== 'assistant') return found;

  const calls = message.tool_calls ?? [];
  if ('tool_calls' in message && calls.length === 0) tell('an empty list of tool calls');
  if (calls.length === 0 && plain(message.content).trim() === '') tell('neither text nor tool calls');
  for (const call of calls) {
    if (!call.id) tell('a tool call without an id');
    if (call.type !== 'function') tell('a tool call that is not of type function');
    if (!call.function?.name) tell('a tool call without a name');
    if (typeof call.function?.arguments !== 'string') tell('arguments that are not text');
  }
  return found;
}

// Results stand directly behind the message that asked for them, one a call, in
// the order of the calls, and nowhere else.
function pairingFaults(messages) {
  const found = [];
  const seen = new Set();
  let wanted = [];
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      const id = wanted.shift();
      if (id === undefined) found.push(`message ${at}: a result (${message.tool_call_id}) that no call waits for`);
      else if (id !== message.tool_call_id) {
        found.push(`message ${at}: a result for ${message.tool_call_id} where the one for ${id} belongs`);
      }
      return;
    }
    if (wanted.length > 0) found.push(`message ${at}: the calls ${wanted.join(', ')} have no result before it`);
    wanted = (message.tool_calls ?? []).map((call) => call.id);
    for (const id of wanted) {
      if (seen.has(id)) found.push(`message ${at}: the id ${id} is used twice`);
      seen.add(id);
    }
  });
  if (wanted.length > 0) found.push(`the calls ${wanted.join(', ')} have no result at the end`);
  return found;
}

// What was sent once is sent again word for word: providers' prompt caches rest on
// it, and so does the user's trust that nothing said is forgotten.
function historyFaults(messages, earlier, shortens, joins) {
  const begins = messages.length <= 2;
  if (begins) return [];
  const before = earlier.findLast((body) => task(messages).startsWith(task(body.messages)));
  // A note to the model may stand behind the task from the start.
  if (!before && !messages.some(({ role }) => role === 'assistant')) return [];
  if (!before && joins) return [];
  if (!before) return ['a conversation that goes on, though no earlier request began it'];
  const found = [];
  const kept = shortens ? before.messages.slice(0, 2) : before.messages;
  kept.forEach((message, at) => {
    if (!repeats(messages[at], message, at === before.messages.length - 1)) {
      found.push(`message ${at} (${message.role}) is not the one sent before`);
    }
  });
  return found;
}

// A user's message that got no answer may be joined with the next one, because some
// hosts refuse two in a row.
function repeats(now, before, isLast) {
  if (JSON.stringify(now) === JSON.stringify(before)) return true;
  return isLast && before.role === 'user' && now?.role === 'user'
    && plain(now.content).startsWith(plain(before.content));
}
