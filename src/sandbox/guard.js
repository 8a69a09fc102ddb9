// What a page may not do though no content policy forbids it, and what it gets in the place of what
// would only throw in a frame without an origin.

/** Keeps the page from ways out that the content policy does not cover, as far as they are known. */
function guard() {
  const clean = (html) => {
    if (!/<(?:link|i?frame)/i.test(html)) return html;
    const page = Reflect.apply(fragmentOf, document.createRange(), [`<template>${html}</template>`]).firstChild;
    page.content.querySelectorAll('iframe, frame').forEach((each) => each.remove());
    [...page.content.querySelectorAll('link')].filter((each) => HINT.test(each.rel)).forEach((each) => each.remove());
    return page.innerHTML;
  };
  const refuses = (element, name, value) => (
    (element instanceof HTMLLinkElement && /^rel$/i.test(name) && HINT.test(value)) || (element instanceof HTMLIFrameElement && /^srcdoc$/i.test(name))
  );
  wrapSetter(Element.prototype, ['innerHTML', 'outerHTML'], clean);
  wrapSetter(ShadowRoot.prototype, ['innerHTML'], clean);
  wrapSetter(HTMLLinkElement.prototype, ['rel'], (value) => (HINT.test(value) ? '' : value));
  wrapSetter(HTMLIFrameElement.prototype, ['srcdoc'], () => '');
  wrap(Element.prototype, 'insertAdjacentHTML', (where, html) => [where, clean(String(html))]);
  wrap(Range.prototype, 'createContextualFragment', (html) => [clean(String(html))]);
  for (const name of ['write', 'writeln']) wrap(Document.prototype, name, (...html) => html.map((each) => clean(String(each))));
  for (const name of ['setAttribute', 'setAttributeNS']) {
    const before = Element.prototype[name];
    Element.prototype[name] = function set(...values) {
      if (!refuses(this, values.at(-2), String(values.at(-1)))) Reflect.apply(before, this, values);
    };
  }
  const list = Object.getOwnPropertyDescriptor(HTMLLinkElement.prototype, 'relList');
  if (list) Object.defineProperty(HTMLLinkElement.prototype, 'relList', { get: () => document.createElement('i').classList });
  for (const name of ['setHTMLUnsafe', 'setAttributeNode', 'setAttributeNodeNS', 'setNamedItem']) {
    for (const owner of [Element.prototype, ShadowRoot.prototype, NamedNodeMap.prototype]) if (name in owner) owner[name] = () => undefined;
  }
  for (const name of ['back', 'forward', 'go']) History.prototype[name] = () => undefined;
  soften();
}

function wrap(owner, name, change) {
  const before = owner[name];
  owner[name] = function wrapped(...values) {
    return Reflect.apply(before, this, change(...values));
  };
}

function wrapSetter(owner, names, change) {
  for (const name of names) {
    const before = Object.getOwnPropertyDescriptor(owner, name);
    if (!before?.set) continue;
    Object.defineProperty(owner, name, { ...before, set(value) { before.set.call(this, change(String(value ?? ''))); } });
  }
}

/** Gives pages a stand-in for what would only throw here. */
function soften() {
  for (const name of ['localStorage', 'sessionStorage']) {
    const kept = new Map();
    const storage = {
      getItem: (key) => kept.get(String(key)) ?? null,
      setItem: (key, value) => void kept.set(String(key), String(value)),
      removeItem: (key) => void kept.delete(String(key)),
      clear: () => kept.clear(),
      key: (n) => [...kept.keys()][n] ?? null,
      get length() { return kept.size; },
    };
    Object.defineProperty(self, name, { value: storage });
  }
  self.alert = (text) => report(`alert: ${text}`);
  self.confirm = (text) => (report(`confirm: ${text}`), false);
  self.prompt = (text) => (report(`prompt: ${text}`), null);
  const before = self.fetch;
  self.fetch = async (input, init) => {
    const path = typeof input === 'string' || input instanceof URL ? pathOf(String(input)) : null;
    if (!path) return before(input, init);
    const bytes = await bytesOf(path);
    if (!bytes) return new Response('', { status: 404 });
    return new Response(bytes, { headers: { 'content-type': mimeOf(path) } });
  };
}
