export type RequestHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Headers that a request may send once. Node keeps the first of two `Authorization` headers and some proxies keep the last,
 * so a request that repeats one is refused.
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
 * Reads Node's `rawHeaders` (name, value, name, value …) in one pass.
 *
 * Returns the headers by lower-case name, in an object without a prototype: a header called `__proto__` or `constructor`
 * is a header like any other. Joins the values of other repeated headers (RFC 9110 §5.3). Returns a string with the reason
 * if the request must be refused; it quotes no value.
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

/** Returns the fault for which RFC 9112 makes a recipient refuse a message, if Node's parser does not find it. */
function messageFault(headers: RequestHeaders, httpVersion: string): string | undefined {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return 'This version of HTTP is not supported.';
  if (httpVersion === '1.1' && !headers['host']) return 'The header host is missing.';
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  // RFC 9112 §6.1: "A server that receives a request message with a transfer coding it does not understand
  // SHOULD respond with 501"; only `chunked`, once, frames a body here, so anything else is a faulty frame.
  if (coding.toLowerCase() !== 'chunked') return 'This transfer coding is not supported.';
  // RFC 9112 §6.1: "A server … that receives an HTTP/1.0 message containing a Transfer-Encoding header field
  // MUST treat the message as if the framing is faulty".
  return httpVersion === '1.0' ? 'HTTP/1.0 has no transfer codings.' : undefined;
}
