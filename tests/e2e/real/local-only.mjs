// The gateway listens on all of the machine's addresses; with this loaded before it, on one that
// nobody else reaches.
import { Server } from 'node:net';

const { listen } = Server.prototype;

Server.prototype.listen = function listenHere(port, ...rest) {
  const ready = rest.find((one) => typeof one === 'function');
  return listen.call(this, { port, host: '127.0.0.1' }, ready);
};
