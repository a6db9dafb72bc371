import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const CONNECTIONS = 64;
const RECEIVE_BYTES = 65_536;

/** The answers to a load. */
export interface EachOnce {
  readonly answered: number;
  /** Answers with another status than 200. */
  readonly refused: number;
  /** Requests without an answer: the server closed their connection. */
  readonly lost: number;
  readonly seconds: number;
}

export interface EachOnceLoad {
  readonly port: number;
  /** Whole requests, with `Content-Length`. */
  readonly requests: readonly string[];
  /** Requests a second; as fast as 64 connections go where it is not given. */
  readonly rate?: number;
}

/** Sends each request once over 64 connections that stay open. Ends early where the server closes one. */
export async function eachOnce({ port, requests, rate }: EachOnceLoad): Promise<EachOnce> {
  const counts = { sent: 0, answered: 0, refused: 0, lost: 0 };
  const started = performance.now();
  const next = async (): Promise<string | undefined> => {
    const index = counts.sent;
    counts.sent += 1;
    const due_ms = rate === undefined ? 0 : started + (index / rate) * 1000 - performance.now();
    if (due_ms > 1) await sleep(due_ms);
    return requests[index];
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => await converse(port, next, counts)));
  const { answered, refused, lost } = counts;
  return { answered, refused, lost, seconds: (performance.now() - started) / 1000 };
}

async function converse(
  port: number,
  next: () => Promise<string | undefined>,
  counts: { answered: number; refused: number; lost: number },
): Promise<void> {
  const connection = await open(port);
  for (let request = await next(); request !== undefined; request = await next()) {
    const status = await connection.ask(request);
    if (status === undefined) {
      counts.lost += 1;
      return;
    }
    if (status === '200') counts.answered += 1;
    else counts.refused += 1;
  }
  connection.socket.destroy();
}

interface Connection {
  readonly socket: Socket;
  /** Resolves with the status when the answer is complete; undefined when the connection is closed. */
  ask(request: string): Promise<string | undefined>;
}

async function open(port: number): Promise<Connection> {
  const buffer = Buffer.allocUnsafe(RECEIVE_BYTES);
  let answered: (status: string | undefined) => void = () => undefined;
  let text = '';
  let closed = false;
  const receive = (bytes: number): boolean => {
    text += buffer.toString('latin1', 0, bytes);
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) return true;
    const length = Number(/^content-length: (\d+)/imu.exec(text)?.[1] ?? 0);
    if (text.length < end + 4 + length) return true;
    const status = text.slice(9, 12);
    text = '';
    answered(status);
    return true;
  };
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer, callback: receive } });
  const over = (): void => {
    closed = true;
    answered(undefined);
  };
  socket.on('error', over);
  socket.on('close', over);
  await new Promise<void>((resolve) => {
    socket.on('connect', () => resolve());
    socket.on('close', () => resolve());
  });
  return {
    socket,
    ask: async (request) =>
      await new Promise((resolve) => {
        answered = resolve;
        if (closed) resolve(undefined);
        else socket.write(request);
      }),
  };
}
