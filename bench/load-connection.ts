import { connect, type Socket } from 'node:net';
import type { LoadOrder, LoadRequest } from './load.ts';

/** Makes the requests of an order beforehand. */
export function requestBytes({ head = '', requests }: LoadOrder): readonly Buffer[] {
  return requests.map((request) => bytesOf(head, request));
}

function bytesOf(common: string, { head, body }: LoadRequest): Buffer {
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`${common}${head}${length}\r\n${body}`, 'latin1');
}

const RECEIVE_BYTES = 65_536;

export interface AnswerListener {
  /** Takes the status and the length of the body of an answer, as soon as its head is there. */
  answered(status: string, bodyBytes: number): void;
  /** The whole answer has come. Its body is given if it came in one piece, and is empty otherwise. */
  complete(body: string): void;
  fail(reason: Error): void;
}

/** Opens a connection that reads only status and length of each answer: a client as expensive as a server would hide it. */
export function openAnswers(port: number, listener: AnswerListener): Socket {
  const buffer = Buffer.allocUnsafe(RECEIVE_BYTES);
  /** Missing bytes of the current answer; 0 before its header. */
  let missing = 0;
  let partial = '';
  const receive = (bytes: number): boolean => {
    if (missing > 0) {
      missing -= bytes;
      if (missing <= 0) listener.complete('');
      return true;
    }
    const text = partial + buffer.toString('latin1', 0, bytes);
    const end = text.indexOf('\r\n\r\n');
    partial = end === -1 ? text : '';
    if (end === -1) return true;
    const length = contentLength(text);
    if (length === undefined) {
      listener.fail(new Error(`an answer without Content-Length: ${text.slice(0, end)}`));
      return false;
    }
    listener.answered(text.slice(9, 12), length);
    missing = end + 4 + length - text.length;
    if (missing <= 0) listener.complete(text.slice(end + 4));
    return true;
  };
  const socket = connect({
    host: '127.0.0.1',
    port,
    noDelay: true,
    onread: { buffer, callback: receive },
  });
  socket.on('error', (cause) => listener.fail(cause));
  socket.on('close', () => listener.fail(new Error(`the server on port ${port} closed a connection`)));
  return socket;
}

function contentLength(text: string): number | undefined {
  let at = text.indexOf('ontent-length: ');
  if (at === -1) at = text.indexOf('ontent-Length: ');
  return at === -1 ? undefined : Number.parseInt(text.slice(at + 15, at + 25), 10);
}
