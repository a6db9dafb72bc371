import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import { initialAccessToken } from './initial-access-token.ts';

const HEAD = 'POST /clients HTTP/1.1\r\nHost: op.example.com\r\n';

/** The states in which clients hang. */
const HANGING: Readonly<Record<string, (program: Program) => string>> = {
  'before a request': () => '',
  'in a header': () => HEAD,
  'in a body': ({ masterToken }) =>
    `${HEAD}Authorization: Bearer ${masterToken}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
};

test('clients that hang do not keep a server from stopping: stop.deadline cuts them, and it ends with 0 (F25)', async () => {
  const program = await startProgram({
    environment: {
      CHANCERY_STOP_DEADLINE: '1',
      // They would be sent away before.
      CHANCERY_LISTEN_HEADERS_TIMEOUT: '600',
      CHANCERY_LISTEN_REQUEST_TIMEOUT: '600',
    },
  });
  try {
    const closed = Object.values(HANGING).map((begin) => hang(program, begin(program)));
    // The server has what they sent once it has answered a request that was sent later.
    await initialAccessToken(program, ['client-reg']);
    program.signal('SIGTERM');
    await Promise.all(closed);
    assert.equal(await program.exited, 0, program.output());
    assert.match(program.output(), /their connections are cut/u);
  } finally {
    await program.stop();
  }
});

/** Resolves when the server has closed the connection. */
async function hang({ host, port }: Program, begin: string): Promise<void> {
  const socket: Socket = connect(port, host);
  socket.on('error', () => undefined).resume();
  const closed = once(socket, 'close');
  socket.write(begin);
  await closed;
}
