import { availableParallelism } from 'node:os';
import type { RawAnswer } from '../test/program/raw-socket.ts';
import type { LoadOrder, LoadRequest } from './load.ts';
import { cpuSeconds, familyCpuSeconds, firstAnswer, pin, SERVER_CPU } from './processes/measured-process.ts';
import type { Bench, Figure, Subject } from './subject.ts';

export interface Server {
  readonly name: string;
  readonly pid: number;
  /** Another process that gives the same answers to half of the connections. */
  readonly second?: { readonly pid: number; readonly port: number };
  /** Returns its process and those that it has started. They share its port. */
  readonly family?: () => readonly number[];
  /** Whether a round without any answer is a rate of 0. Otherwise it ends the run. */
  readonly slow?: boolean;
  /** Returns the CPU seconds that its database server has used so far. */
  readonly databaseCpu?: () => number | undefined;
  readonly close: () => Promise<void>;
}

/** The load has the CPU between them. */
const SECOND_SERVER_CPU = availableParallelism() > 2 ? 2 : SERVER_CPU;
/** Bodies of right answers differ by a few bytes at most. */
const SHORTER_BYTES_MAX = 8;

/**
 * Opens a server under load. Its first answer must pass `verify`. Later answers must have status 200 or 201 and be as long
 * as the first: any other answer ends the run.
 */
export async function httpSubject(
  { load, scale }: Bench,
  { name, pid, second, family, slow, databaseCpu, close }: Server,
  order: LoadOrder,
  verify: (answer: RawAnswer) => void,
  beside?: LoadOrder,
): Promise<{ readonly subject: Subject; readonly verified: RawAnswer }> {
  const verified = await firstAnswer(order.port, firstRequest(order));
  verify(verified);
  for (const each of family?.() ?? [pid]) pin(each, SERVER_CPU);
  if (second !== undefined) pin(second.pid, SECOND_SERVER_CPU);
  const pids = second === undefined ? [pid] : [pid, second.pid];
  const cpu = (): number | undefined =>
    family === undefined ? cpuSecondsOf(pids) : familyCpuSeconds(family());
  const number = await load.prepare(second === undefined ? order : { ...order, secondPort: second.port });
  const besideNumber = beside === undefined ? {} : { beside: await load.prepare(beside) };
  const measure = async (): Promise<Figure> => {
    const before = cpu();
    const databaseBefore = databaseCpu?.();
    const result = await load.run({ order: number, milliseconds: scale.round_ms, ...besideNumber });
    if (result.refused > 0) throw new Error(`${name}: ${result.refused} answers were neither 200 nor 201`);
    if (result.answered === 0 && slow !== true) {
      throw new Error(`${name}: no answer within ${scale.round_ms} ms`);
    }
    if (result.answered > 0 && result.bodyBytesMin < verified.body.length - SHORTER_BYTES_MAX) {
      throw new Error(`${name}: an answer had ${result.bodyBytesMin} bytes, not ${verified.body.length}`);
    }
    const seconds = result.seconds + LEAD_S;
    return {
      value: result.answered / result.seconds,
      p99_ms: result.p99_ms,
      loadBusy: result.busyShare,
      ...share('serverCpu', before, cpu(), seconds),
      ...share('databaseCpu', databaseBefore, databaseCpu?.(), seconds),
    };
  };
  return { subject: { name, measure, close }, verified };
}

export function share(
  name: 'serverCpu' | 'databaseCpu',
  before: number | undefined,
  after: number | undefined,
  seconds: number,
): Partial<Figure> {
  return before === undefined || after === undefined ? {} : { [name]: (after - before) / seconds };
}

function cpuSecondsOf(pids: readonly number[]): number | undefined {
  const each = pids.map(cpuSeconds);
  return each.every((seconds) => seconds !== undefined) ? each.reduce((sum, one) => sum + one, 0) : undefined;
}

/** The beginning of a load, which is not counted. The process's CPU time includes it. */
const LEAD_S = 0.3;

/** Makes requests that differ only in their bodies. */
export const requests = (head: string, bodies: readonly string[]): readonly LoadRequest[] =>
  bodies.map((body) => ({ head, body }));

export function firstRequest({ head: common = '', requests: [request] }: LoadOrder): string {
  const { head, body } = request ?? { head: '', body: '' };
  return `${common}${head}${body === '' ? '' : `content-length: ${body.length}\r\n`}\r\n${body}`;
}

/** Returns the head of a request without Content-Length. */
export function requestHead(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${lines.join('')}`;
}

export function basic(client_id: string, client_secret: string): string {
  return `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
}
