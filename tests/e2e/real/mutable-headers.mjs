// The gateway adds headers to the answers that it fetched, which newer versions of Node forbid;
// with this loaded before it, it gets answers that it may change.
const { fetch } = globalThis;

globalThis.fetch = async (...args) => {
  const { body, status, statusText, headers } = await fetch(...args);
  return new Response(body, { status, statusText, headers: new Headers(headers) });
};
