// The endpoint of the benchmark, in a process of its own, so that neither the driver of
// the browser nor the checks on its figures get in the way of its clock.
//
// Takes `{ rounds }`: the next conversation has that many rounds with a call, then an
// answer in words. When that answer is out, sends `{ requests }`: when each arrived and
// was answered, how long it was, and the results it carried.

import { lastResults } from '../e2e/conversation.mjs';
import { call, calls, startEndpoint, text } from '../e2e/endpoint.mjs';

let rounds = 0;

const endpoint = await startEndpoint(({ body }) => {
  const round = body.messages.filter(({ role }) => role === 'assistant').length + 1;
  if (round > rounds) {
    // The record of this request is whole once the reply is out.
    setTimeout(report);
    return text('Done.');
  }
  // Each call differs from the last, so that no cache and no guard against standing still comes in.
  return calls(call('read_file', { path: 'tiny.txt', end_line: round }));
});

function report() {
  const requests = endpoint.requests.splice(0).map(({ body, raw, arrivedAt, endedAt }) => ({
    arrivedAt, endedAt, bytes: raw.length, results: lastResults(body),
  }));
  process.send({ requests, faults: endpoint.faults.splice(0) });
}

process.on('message', (message) => (rounds = message.rounds));
process.on('disconnect', () => process.exit());
process.send({ baseUrl: endpoint.baseUrl });
