import { HOST } from '../hostile/transport-row.ts';
import type { Program } from '../program/start.ts';
import { closedLoop, type Seen } from './closed-loop.ts';

const CLIENTS = 64;
/** Each client is in its loop by then. */
export const ANSWERS_BEFORE = 10 * CLIENTS;

export interface Stop extends Seen {
  /** The exit code or the signal's name. */
  readonly exit: number | string;
  /** From the signal to the end of the process. */
  readonly stopped_ms: number;
}

/**
 * Stops the program under 64 clients in a closed loop. A third reads, a third reads over a new connection each time, and a
 * third writes. Resolves when each client is refused a connection and the process has ended.
 */
export async function stopUnderLoad(program: Program): Promise<Stop> {
  const metadata = JSON.stringify({ redirect_uris: ['https://rp.example/'] });
  const requests = [
    `GET /jwks.json HTTP/1.1\r\n${HOST}\r\n`,
    `GET /jwks.json HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
    `POST /clients HTTP/1.1\r\n${HOST}Authorization: Bearer ${program.masterToken}\r\nContent-Type: application/json\r\nContent-Length: ${metadata.length}\r\n\r\n${metadata}`,
  ] as const;
  const { promise: warm, resolve } = Promise.withResolvers<void>();
  const loop = closedLoop(program, {
    clients: CLIENTS,
    request: (client) => requests[client % requests.length] ?? requests[0],
    onAnswer: ({ answered }) => {
      if (answered === ANSWERS_BEFORE) resolve();
    },
  });
  await warm;
  const started = performance.now();
  program.signal('SIGTERM');
  await loop.ended;
  const exit = await program.exited;
  return { ...loop.seen, exit, stopped_ms: performance.now() - started };
}
