import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Program } from '../program/start.ts';
import { ENGINE_VARIABLE } from '../program/storage-place.ts';
import type { Registration } from './ledger.ts';
import { basic, bearer, call, isWithoutOutcome, type Request } from './registry-calls.ts';
import { openStand } from './stand.ts';

const engine = process.env[ENGINE_VARIABLE] === 'postgres' ? 'postgres' : 'sqlite';
const CLIENT = {
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: ['https://rp.example/callback'],
  scope: 'read',
};

test('a node is stopped (SIGSTOP) in the midst of requests that use something up: another node uses it, and this one refuses when it wakes (F26)', async (context) => {
  const stand = await openStand(engine, { shared: true });
  try {
    const awake = await stand.start();
    const stalled = await stand.start();
    const invited = await direct(awake, { scope: ['client-reg'] });
    const client = (await asked(awake, registration(bearer(awake.masterToken)))) as unknown as Registration;
    const granted = await direct(awake, {
      client_id: client.client_id,
      sub: 'alice',
      scope: ['read'],
      refresh_token: { issue: true, rotate: true },
    });
    const requests: Readonly<Record<string, Request>> = {
      'an initial access token': registration(bearer(String(invited['access_token']))),
      'a refresh token': {
        method: 'POST',
        path: '/token',
        authorization: basic(client),
        form: { grant_type: 'refresh_token', refresh_token: String(granted['refresh_token']) },
      },
    };
    const halves = Object.values(requests).map((request) => halfSent(stalled, request));
    // They have arrived, and nothing else is being written there, once it has written what was sent later.
    await direct(stalled, { scope: ['client-reg'] });
    stalled.signal('SIGSTOP');
    for (const half of halves) half.finish();
    for (const request of Object.values(requests)) {
      const used = await call(awake, request);
      if (isWithoutOutcome(used)) return context.skip('it was stopped with a lock of the database in hand');
      assert.equal(used.status, 200);
    }
    stalled.signal('SIGCONT');
    const late = await Promise.all(halves.map(async ({ status }) => await status));
    assert.deepEqual(late, [401, 400]);
  } finally {
    await stand.close();
  }
});

const registration = (authorization: string): Request => ({
  method: 'POST',
  path: '/clients',
  authorization,
  json: CLIENT,
});

async function asked(program: Program, request: Request): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await call(program, request);
  assert.equal(status, 200, JSON.stringify(body));
  return body as Readonly<Record<string, unknown>>;
}

async function direct(program: Program, json: object): Promise<Readonly<Record<string, unknown>>> {
  const path = '/direct-authz/rest/v2';
  return await asked(program, { method: 'POST', path, authorization: bearer(program.directToken), json });
}

interface Half {
  /** The status of the answer. */
  readonly status: Promise<number>;
  /** Sends the rest. */
  finish(): void;
}

/** Sends a request without the last byte of its body. */
function halfSent({ host, port }: Program, { method, path, authorization, json, form }: Request): Half {
  const body = json === undefined ? new URLSearchParams(form).toString() : JSON.stringify(json);
  const type = json === undefined ? 'application/x-www-form-urlencoded' : 'application/json';
  const socket = connect(port, host);
  const head = [
    `${method} ${path} HTTP/1.1`,
    'Host: op.example.com',
    `Authorization: ${authorization}`,
    `Content-Type: ${type}`,
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, -1)}`);
  const answer = text(socket);
  return {
    status: answer.then((whole) => Number(whole.split(' ')[1])),
    finish: () => void socket.write(body.slice(-1)),
  };
}
