// What runs first in a frame for foreign code: takes away what the content policy does not
// cover, and joins the frame to the page by the port that the page sends. `build` puts the text
// of worker.js in the place of WORKER.

for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'mozRTCPeerConnection', 'RTCIceTransport', 'RTCDataChannel']) {
  if (name in self) Object.defineProperty(self, name, { value: undefined });
}

/** Bytes that a script may send, files and all, and messages. */
const MAX_SAID = 60 << 20;
const MAX_MESSAGES = 20_000;

let port;
let asked = 0;
const waiting = new Map();

/** Says something to the kernel. */
function say(line, bytes) {
  port.postMessage([JSON.stringify(line), bytes]);
}

/** Asks the kernel for a file. */
function ask(path) {
  asked += 1;
  say({ Read: { n: asked, path } });
  return new Promise((resolve) => waiting.set(asked, resolve));
}

function hear({ data: [kind, text, bytes] }) {
  if (kind === 'ping') port.postMessage(['']);
  else if (kind === 'run') run(text);
  else if (kind === 'show') show(text);
  else if (kind === 'answer') answered(text, bytes);
}

let answered = (text, bytes) => {
  const { n, problem } = JSON.parse(text);
  waiting.get(n)?.({ problem, bytes });
  waiting.delete(n);
};

addEventListener('message', function begin({ source, ports }) {
  if (source !== parent || !ports[0]) return;
  removeEventListener('message', begin);
  port = ports[0];
  port.onmessage = hear;
});

/** Runs a script in a worker, which this frame takes with it when it is taken away. */
function run(code) {
  const worker = new Worker(URL.createObjectURL(new Blob([WORKER])));
  let said = 0;
  let messages = 0;
  const end = (problem) => {
    worker.terminate();
    say({ Threw: { problem } });
  };
  worker.onmessage = ({ data }) => {
    const [text, bytes] = Array.isArray(data) ? data : [];
    if (typeof text !== 'string') return;
    messages += 1;
    said += text.length + (bytes instanceof Uint8Array ? bytes.length : 0);
    if (said > MAX_SAID || messages > MAX_MESSAGES) end(`the script said more than ${MAX_SAID >> 20} MB, or in too many pieces, and was ended; print and write less`);
    else if (text.startsWith('{"Malformed"')) tellWhere(code, JSON.parse(text).Malformed, end);
    else port.postMessage([text, bytes instanceof Uint8Array ? bytes : undefined]);
  };
  worker.onerror = (event) => {
    event.preventDefault();
    end(`the script was ended: ${event.message}`);
  };
  answered = (text, bytes) => worker.postMessage([text, bytes]);
  worker.postMessage([code]);
}

/** Code that can't be read is read once more as a file of its own, which tells the line. */
function tellWhere(code, problem, end) {
  const worker = new Worker(URL.createObjectURL(new Blob([`async () => {\n${code}\n}`])));
  const done = setTimeout(() => end(problem), 2_000);
  worker.onerror = (event) => {
    event.preventDefault();
    clearTimeout(done);
    worker.terminate();
    end(event.lineno > 1 ? `${problem} (line ${event.lineno - 1})` : problem);
  };
}
