import { request } from 'node:http';
import type { Sent } from './steps.ts';
import type { World } from './world.ts';

export interface Answered {
  readonly status: number;
  readonly body: string;
}

/** Sends one request of the table over a connection of its own. A stream without an end is left after its first event. */
export async function ask({ program, external }: World, sent: Sent): Promise<Answered> {
  const asked = sent.external === true ? external : program;
  return await new Promise((resolve, reject) => {
    const { method, path, headers = {}, body } = sent;
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = {
      host: asked.host,
      port: asked.port,
      method,
      path,
      headers: { ...headers, ...length },
      agent: false,
    };
    const call = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (
          text.includes('\ndata:') &&
          response.headers['content-type']?.startsWith('text/event-stream') === true
        ) {
          resolve({ status: response.statusCode ?? 0, body: text });
          response.destroy();
        }
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    call.on('error', reject);
    call.end(body);
  });
}
