/** Bare `Bun.serve`: reads the whole request body and sends the same bytes and headers, without any work. */
import type { BareOptions } from './bare-http.ts';

interface Bun {
  serve(options: {
    readonly port: number;
    readonly hostname: string;
    readonly fetch: (request: Request) => Promise<Response>;
  }): unknown;
}

const { port, status, headers, body } = JSON.parse(process.argv[2] ?? '') as BareOptions;
const lines = headers.map(([name, value]): [string, string] => [name, value]);

(globalThis as unknown as { readonly Bun: Bun }).Bun.serve({
  port,
  hostname: '127.0.0.1',
  async fetch(request) {
    await request.arrayBuffer();
    return new Response(body, { status, headers: lines });
  },
});
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
