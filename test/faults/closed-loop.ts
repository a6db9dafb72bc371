import { connect, type Socket } from 'node:net';

/** Counts the answers of a server that stopped under its clients, and the connections that it cut. */
export interface Seen {
  answered: number;
  /** Answers that announced the end of their connection. */
  announced: number;
  /** Connections that ended without an announcement and without a request under way. */
  quiet: number;
  /** Requests whose connection ended before their answer was whole, in words. */
  readonly cut: string[];
}

export interface Clients {
  readonly clients: number;
  /** Returns the request of the client with this number, from 0. */
  readonly request: (client: number) => string;
  readonly onAnswer: (seen: Seen) => void;
}

export interface ClosedLoop {
  readonly seen: Seen;
  /** Resolves when every client was refused a connection. */
  readonly ended: Promise<void>;
}

/**
 * Starts clients that send a request, read its whole answer and send the next one: on the same connection while the
 * server keeps it, on a new one where the server announced its end. A client ends when it is refused a connection.
 */
export function closedLoop(
  { host, port }: { readonly host: string; readonly port: number },
  { clients, request, onAnswer }: Clients,
): ClosedLoop {
  const seen: Seen = { answered: 0, announced: 0, quiet: 0, cut: [] };
  const all = Array.from({ length: clients }, async (_, client) => {
    const one = { request: request(client), seen, onAnswer };
    while ((await useConnection(connect({ host, port }), one)) === 'ended');
  });
  return { seen, ended: Promise.all(all).then(() => undefined) };
}

/** Sends requests over one connection until it ends. */
async function useConnection(
  socket: Socket,
  {
    request,
    seen,
    onAnswer,
  }: { readonly request: string; readonly seen: Seen; readonly onAnswer: Clients['onAnswer'] },
): Promise<'ended' | 'refused'> {
  let text = '';
  let asked = 0;
  let announced = false;
  let connected = false;
  let how = 'closed';
  const { promise, resolve } = Promise.withResolvers<'ended' | 'refused'>();
  const ask = (): void => {
    asked += 1;
    socket.write(request);
  };
  socket.on('connect', () => {
    connected = true;
    ask();
  });
  socket.on('error', ({ message }) => {
    how = message;
  });
  socket.setEncoding('latin1').on('data', (piece: string) => {
    text += piece;
    const answer = wholeAnswer(text);
    if (answer === undefined) return;
    text = '';
    asked -= 1;
    seen.answered += 1;
    onAnswer(seen);
    announced = answer.last;
    if (!answer.last) return ask();
    seen.announced += 1;
    socket.destroy();
  });
  socket.on('close', () => {
    if (!connected) return resolve('refused');
    if (asked > 0) seen.cut.push(`${how} after ${text.length} characters of the answer`);
    else if (!announced) seen.quiet += 1;
    resolve('ended');
  });
  return await promise;
}

/** Returns undefined while a part of the answer is missing. */
function wholeAnswer(text: string): { readonly last: boolean } | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const length = Number(/\r\ncontent-length: (\d+)/iu.exec(head)?.[1] ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error(`an answer without a length: ${head}`);
  if (text.length < end + 4 + length) return undefined;
  return { last: /\r\nconnection: close/iu.test(head) };
}
