/** Bare `node:http` on the same runtime: reads the whole request body and sends the same bytes and headers, without any work. */
import { createServer } from 'node:http';

export interface BareOptions {
  readonly port: number;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

const { port, status, headers, body } = JSON.parse(process.argv[2] ?? '') as BareOptions;
const lines = [...headers.flat(), 'content-length', String(Buffer.byteLength(body))];

const server = createServer((request, response) => {
  const received: Buffer[] = [];
  request.on('data', (chunk: Buffer) => received.push(chunk));
  request.on('end', () => {
    response.writeHead(status, lines);
    response.end(body);
  });
});
server.listen(port, '127.0.0.1');
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
