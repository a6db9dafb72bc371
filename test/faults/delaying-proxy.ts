import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listeningPort } from '../../src/testing/listening-port.ts';

/** Stands between a server and its database, in this process. */
export interface DelayingProxy {
  readonly port: number;
  /** How long each answer of the database is held back; of what comes from now on. */
  delay_ms: number;
  close(): Promise<void>;
}

export async function startDelayingProxy(to: number): Promise<DelayingProxy> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.on('data', (chunk) => far.write(chunk)).on('close', () => far.destroy());
    far.on('data', (chunk) => {
      setTimeout(() => near.write(chunk), proxy.delay_ms);
    });
    far.on('close', () => setTimeout(() => near.destroy(), proxy.delay_ms));
  });
  const proxy: DelayingProxy = {
    port: await listeningPort(server.listen(0, '127.0.0.1')),
    delay_ms: 0,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return proxy;
}
