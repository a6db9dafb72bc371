import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** Where a server listens. */
export interface ListeningPlace {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  /** Whether other processes may listen at the same port; each gets a share of the connections. */
  readonly reusePort?: boolean;
  /** How many connections one turn of the event loop can accept. More than one takes SO_REUSEPORT, and Linux. Default 1. */
  readonly acceptors?: number;
}

/**
 * Listens with a server that others may help. libuv accepts one connection from a socket in each turn of the event loop.
 * On a full core a turn answers hundreds of connections, so fifty new ones would wait for fifty such turns. Therefore
 * further sockets at the same port accept for the same server (ADR 112).
 *
 * Rejects with Node's error, for example `EADDRINUSE`, if the address cannot be bound.
 * @returns a function that closes the further sockets. Call it when the server closes
 */
export async function startListening(server: Server, place: ListeningPlace): Promise<() => void> {
  const { host, port, reusePort = false, acceptors = 1 } = place;
  const isHelped = acceptors > 1 && process.platform === 'linux';
  // With SO_REUSEPORT two servers of one user could listen at one port, and none would notice.
  if (isHelped && !reusePort && port !== 0) await requireFree(host, port);
  await listening(server, { host, port, reusePort: reusePort || isHelped });
  const { address, port: bound } = server.address() as AddressInfo;
  const helpers: Server[] = [];
  const close = (): void => helpers.forEach((helper) => void helper.close());
  if (!isHelped) return close;
  try {
    for (let count = 1; count < acceptors; count += 1) {
      const helper = createServer();
      await listening(helper, { host: address, port: bound, reusePort: true });
      helpers.push(helper);
      if (!acceptFor(helper, server)) break;
    }
  } catch (failure) {
    close();
    server.close();
    throw failure;
  }
  return close;
}

async function requireFree(host: string, port: number): Promise<void> {
  const probe = createServer();
  await listening(probe, { host, port, reusePort: false });
  const closed = once(probe, 'close');
  probe.close();
  await closed;
}

async function listening(
  server: Server,
  place: { readonly host: string; readonly port: number; readonly reusePort: boolean },
): Promise<void> {
  server.listen(place);
  // Rejects if the server emits `error` first.
  await once(server, 'listening');
}

type Handle = Record<symbol, unknown>;

/**
 * Lets the connections that a listening socket accepts belong to another server. Node keeps the server of a socket under a symbol that
 * it does not document.
 * @returns false if this Node keeps it elsewhere; then the helper closes
 */
function acceptFor(helper: Server, server: Server): boolean {
  const handle = (helper as unknown as { readonly _handle?: Handle | null })._handle ?? {};
  const owner = Object.getOwnPropertySymbols(handle).find((symbol) => handle[symbol] === helper);
  if (owner === undefined) {
    helper.close();
    return false;
  }
  handle[owner] = server;
  return true;
}
