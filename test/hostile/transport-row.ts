import type { Address, Conversation, Expectation, Part } from '../program/raw-socket.ts';

/** The server that receives the rows. */
export interface TransportTarget extends Address {
  /** An `Authorization` value that may read `GET /clients`. */
  readonly authorization: string;
  /** Answers 200 while the process is well. */
  readonly health: { readonly host: string; readonly port: number; readonly path: string };
  readonly limits: { readonly body_bytes: number; readonly header_bytes: number };
  readonly times: { readonly headers_ms: number; readonly request_ms: number; readonly check_ms: number };
  readonly maxConnections: number;
}

/** One row of docs/contract/hostile/transport.md. */
export interface Row extends Expectation {
  /** Its number and what is sent. */
  readonly name: string;
  readonly send: readonly Part[] | ((target: TransportTarget) => readonly Part[]);
  /** The final statuses allowed for the first answer; 0 stands for a connection closed without one. */
  readonly status: readonly number[];
  /** The server ends the connection. */
  readonly closes?: boolean;
  readonly check?: (conversation: Conversation, target: TransportTarget) => void;
}

export const HOST = 'Host: h.test\r\n';

export function get(path: string, headers = ''): string {
  return `GET ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`;
}

export function post(path: string, headers: string, body = ''): string {
  return `POST ${path} HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
}

export function form(headers: string, body = ''): string {
  return post('/token/introspect', `Content-Type: application/x-www-form-urlencoded\r\n${headers}`, body);
}

export function closing(name: string, send: string | Buffer, status: readonly number[] = [400]): Row {
  return { name, send: [send], status, closes: true, until: 'closed' };
}

export function assertPresent(text: string, expected: string): void {
  if (!text.includes(expected)) throw new Error(`${JSON.stringify(expected)} is missing in ${text}`);
}

export function assertAbsent(text: string, unwanted: string): void {
  if (text.includes(unwanted)) throw new Error(`${JSON.stringify(unwanted)} stands in ${text}`);
}

export function assertEmpty({ answers }: Conversation): void {
  if (answers[0]?.body !== '') throw new Error(`an unknown path has a body: ${answers[0]?.body}`);
}
