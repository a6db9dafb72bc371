import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest } from 'node:https';

/** A request of a relying party or of a browser. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  /** A body of another type, which `headers` names. */
  readonly text?: string;
  /** Shown to a server that asks for one. */
  readonly certificate?: ClientCertificate | undefined;
}

/** A client's certificate with its private key, as PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface Reply {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

export type Send = (url: string, sent?: Sent) => Promise<Reply>;

/** A slow machine under load still answers within this time. */
const TIMEOUT_MS = 60_000;

/**
 * Returns a function that sends requests over connections that stay open. It follows no redirection.
 * @param ca PEM of an authority that the provider's certificate comes from, beside those of Node
 */
export function sender(ca?: string): Send {
  const secure = new Agent({ keepAlive: true, maxSockets: 32, ...(ca === undefined ? {} : { ca }) });
  const plain = new HttpAgent({ keepAlive: true, maxSockets: 32 });
  return async (url, sent = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const body = bodyOf(sent);
    const method = sent.method ?? (body === undefined ? 'GET' : 'POST');
    const headers = { ...body?.headers, ...sent.headers };
    const https = url.startsWith('https:');
    const send = https ? httpsRequest : httpRequest;
    const request = send(
      url,
      { agent: https ? secure : plain, method, headers, timeout: TIMEOUT_MS, ...sent.certificate },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject).on('end', () => {
          resolve({ url, status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    request.on('timeout', () => request.destroy(new Error(`no answer from ${url}`)));
    request.on('error', reject).end(body?.text);
    return await promise;
  };
}

function bodyOf({
  form,
  json,
  text: own,
}: Sent): { text: string; headers: Record<string, string> } | undefined {
  if (own !== undefined) return { text: own, headers: { 'content-length': String(Buffer.byteLength(own)) } };
  if (form === undefined && json === undefined) return undefined;
  const text = form === undefined ? JSON.stringify(json) : new URLSearchParams(form).toString();
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  return { text, headers: { 'content-type': type, 'content-length': String(Buffer.byteLength(text)) } };
}

/** Returns a header of a reply; the first one where it is repeated, and empty where there is none. */
export function header({ headers }: Pick<Reply, 'headers'>, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

/** Returns the JSON object of a reply, empty where it is none. */
export function objectOf({ text }: Pick<Reply, 'text'>): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}
