import { request as httpsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';

export interface HttpsCall
  extends Pick<ConnectionOptions, 'cert' | 'key' | 'ciphers' | 'minVersion' | 'maxVersion'> {
  readonly port: number;
  /** The address that the connection comes from, if not 127.0.0.1. */
  readonly localAddress?: string;
  /** PEM of the authority that the server's certificate comes from. */
  readonly ca: string;
  readonly servername: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** Empty where there is no JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
}

/** One request over a TLS connection of its own to the loopback interface. Rejects where there is no connection. */
export async function callHttps(call: HttpsCall): Promise<HttpsAnswer> {
  const { form, path, port, method = form === undefined ? 'GET' : 'POST', ...tls } = call;
  const body = form === undefined ? call.body : new URLSearchParams(form).toString();
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const { promise, resolve, reject } = Promise.withResolvers<HttpsAnswer>();
  const sent = httpsRequest(
    { ...tls, host: '127.0.0.1', port, method, path, headers: { ...type, ...call.headers }, agent: false },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject).on('end', () => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: jsonIn(text),
        });
      });
    },
  );
  sent.on('error', reject).end(body);
  return await promise;
}

function jsonIn(text: string): Readonly<Record<string, unknown>> {
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
}
