import { freePort } from '../test/program/free-port.ts';
import type { RawAnswer } from '../test/program/raw-socket.ts';
import type { Server } from './http-subject.ts';
import type { BareOptions } from './processes/bare-http.ts';
import { startScript, stopChild } from './processes/measured-process.ts';

export const BARE = 'bare node:http';

/** Node adds these headers. */
const HOP_HEADERS = new Set(['date', 'connection', 'keep-alive', 'content-length']);

/** Starts a bare server that gives the same answer as ours. */
export async function startBare(
  answer: RawAnswer,
  environment?: Readonly<Record<string, string>>,
): Promise<Server & { readonly port: number }> {
  const options: BareOptions = {
    port: await freePort(),
    status: answer.status,
    headers: Object.entries(answer.headers).filter(([name]) => !HOP_HEADERS.has(name)),
    body: answer.body,
  };
  const child = startScript('bare-http.ts', options, environment);
  return { name: BARE, pid: child.pid ?? 0, port: options.port, close: async () => await stopChild(child) };
}
