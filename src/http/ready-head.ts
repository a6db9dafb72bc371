import { STATUS_CODES, validateHeaderName, validateHeaderValue } from 'node:http';

interface ReadyHead {
  readonly status: number;
  readonly lines: readonly string[];
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

const ready = new WeakMap<Headers, ReadyHead>();

/**
 * Status line and header lines as text. An endpoint that answers with one frozen object of headers again and again has
 * them checked and joined once; undefined for all others, which go the way that Node checks.
 * @param lines further names and values, in turn; the text is kept while they are the same array
 */
export function readyHead(status: number, headers: Headers, lines: readonly string[]): string | undefined {
  const known = ready.get(headers);
  if (known?.status === status && known.lines === lines) return known.text;
  if (status < 200 || status === 204 || status === 304 || !Object.isFrozen(headers)) return undefined;
  let text = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`;
  for (const name in headers) text += headerLine(name, String(headers[name]));
  for (let index = 0; index + 1 < lines.length; index += 2) {
    text += headerLine(String(lines[index]), String(lines[index + 1]));
  }
  ready.set(headers, { status, lines, text });
  return text;
}

function headerLine(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return `${name}: ${value}\r\n`;
}

let second = 0;
let date = '';

/** RFC 9110 §6.6.1: "An origin server with a clock … MUST generate a Date header field in all 2xx (Successful), 3xx (Redirection), and 4xx (Client Error) responses". */
export function dateLine(): string {
  const now = Math.floor(Date.now() / 1_000);
  if (now !== second) {
    second = now;
    date = `date: ${new Date(now * 1_000).toUTCString()}\r\n`;
  }
  return date;
}
