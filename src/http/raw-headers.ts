export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Node keeps the first of two `Authorization` headers, some proxies the last. Where two parties could
 * choose differently, nobody chooses.
 */
const SENT_ONCE: ReadonlySet<string> = new Set([
  'host',
  'authorization',
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
  'issuer',
  'tenant-id',
  'origin',
  'cookie',
  'client-cert',
]);

/**
 * One pass over Node's `rawHeaders` (name, value, name, value …).
 *
 * Answers the headers by lower-case name, in an object without prototype, so that a header called
 * `__proto__` or `constructor` is a header like any other; or the reason to refuse the request, a sentence
 * that names no value. Other headers that come twice are joined (RFC 9110 §5.3).
 */
export function readHeaders(rawHeaders: readonly string[], httpVersion: string): RequestHeaders | string {
  const headers: Record<string, string | undefined> = Object.create(null);
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = String(rawHeaders[index]).toLowerCase();
    const value = rawHeaders[index + 1];
    const earlier = headers[name];
    if (earlier === undefined) headers[name] = value;
    else if (SENT_ONCE.has(name)) return `The header ${name} was sent more than once.`;
    else headers[name] = `${earlier}, ${value}`;
  }
  return messageFault(headers, httpVersion) ?? headers;
}

/** What RFC 9112 makes the recipient refuse, and Node's parser lets through. */
function messageFault(headers: RequestHeaders, httpVersion: string): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'This version of HTTP is not spoken here.';
  if (httpVersion === '1.1' && !headers['host']) return 'The header host is missing.';
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  // RFC 9112 §6.1: "A server that receives a request message with a transfer coding it does not understand
  // SHOULD respond with 501"; only `chunked`, once, frames a body here, so anything else is a faulty frame.
  if (coding.toLowerCase() !== 'chunked') return 'This transfer coding is not understood.';
  // RFC 9112 §6.1: "A server … that receives an HTTP/1.0 message containing a Transfer-Encoding header field
  // MUST treat the message as if the framing is faulty".
  return httpVersion === '1.0' ? 'HTTP/1.0 has no transfer codings.' : undefined;
}
