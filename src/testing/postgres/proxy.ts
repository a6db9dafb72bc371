import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { listeningPort } from '../listening-port.ts';

/** A network between the program and its database that fails when it is told to. */
export interface TestProxy {
  readonly port: number;
  /** Answers are held back from now on, or let through again. */
  hold(held: boolean): void;
  /** Once, breaks the connection on which the server has said this, instead of passing that on. */
  breakAt(said: string): void;
  close(): Promise<void>;
}

/** In front of a server that has said all that it is going to: it waits for the next message. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5]);

/** Stands in front of the server at `target`. */
export async function startProxy(target: number): Promise<TestProxy> {
  let held = false;
  let breaking: string | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const database = connect(target, '127.0.0.1');
    let said = Buffer.alloc(0);
    for (const socket of [client, database]) {
      sockets.add(socket.on('error', () => undefined));
      socket.on('close', () => {
        sockets.delete(socket);
        for (const other of [client, database]) other.destroy();
      });
    }
    client.on('data', (bytes) => database.write(bytes));
    database.on('data', (bytes: Buffer) => {
      // A message may arrive in pieces. The proxy passes it on when the server is ready for more.
      said = Buffer.concat([said, bytes]);
      if (breaking !== undefined && !said.includes(READY_FOR_QUERY)) return;
      if (breaking !== undefined && said.includes(breaking)) {
        breaking = undefined;
        client.destroy();
        return;
      }
      if (!held) client.write(said);
      said = Buffer.alloc(0);
    });
  }).listen(0, '127.0.0.1');
  return {
    port: await listeningPort(server),
    hold(now) {
      held = now;
    },
    breakAt(wanted) {
      breaking = wanted;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
