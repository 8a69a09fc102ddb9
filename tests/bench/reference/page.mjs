// A chat page as pages with React are: each delta goes into the state, which draws the message.
import { createElement, useLayoutEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { END } from '../answer.mjs';

/** Draws what streams by `window.run(address)`, each text as `view(text)` gives it. */
export function begin(view) {
  const main = document.querySelector('main');
  let setText;
  function Message() {
    const [text, set] = useState('');
    setText = set;
    useLayoutEffect(() => {
      main.scrollTop = main.scrollHeight;
    });
    return view(text);
  }
  createRoot(main).render(createElement(Message));

  window.run = async (url) => {
    setText('');
    const body = JSON.stringify({ messages: [], stream: true });
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    let rest = '';
    for await (const bytes of response.body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + bytes).split('\n');
      rest = lines.pop();
      for (const line of lines) {
        if (!line.startsWith('data: {')) continue;
        const delta = JSON.parse(line.slice(6)).choices[0].delta.content ?? '';
        setText((text) => text + delta);
      }
    }
    while (!main.textContent.trimEnd().endsWith(END)) await new Promise((done) => setTimeout(done, 50));
  };
}
