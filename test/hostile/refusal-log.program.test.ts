import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Program, startProgram } from '../program/start.ts';
import { KEY } from './client-assertions.ts';
import {
  CALLBACK,
  type Expected,
  REFUSAL_ROWS,
  type Registered,
  SECRET,
  type Sent,
} from './refusal-log-rows.ts';

/**
 * Every refusal is one line of the log: client, address, reason, methods and the value that failed, and never a secret
 * (decision 46). Goes through the endpoints and reasons of the started program.
 */
const PAGE = readFileSync(new URL('../../docs/reference/refusals.md', import.meta.url), 'utf8');

let program: Program;
let basic: Registered;
let jwt: Registered;
let publicClient: Registered;

before(async () => {
  program = await startProgram({
    environment: { CHANCERY_REGISTRATION_OPEN_RATE_PER_NETWORK: '1', CHANCERY_FEDERATION_ENABLED: 'false' },
  });
  basic = await registered({ scope: 'read', grant_types: ['client_credentials'], redirect_uris: [] });
  jwt = await registered({
    grant_types: ['client_credentials'],
    redirect_uris: [],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [KEY.jwk] },
  });
  publicClient = await registered({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
});

after(async () => {
  await program.stop();
});

async function registered(metadata: object): Promise<Registered> {
  const answer = await fetch(`${program.url}/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()) as Registered;
}

type Line = Expected & { readonly address: string; readonly detail: string; readonly msg: string };

async function send({ method = 'POST', path, headers = {}, form, text }: Sent): Promise<void> {
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const body = form === undefined ? text : new URLSearchParams(form).toString();
  const answer = await fetch(`${program.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  await answer.arrayBuffer();
}

const linesOf = (output: string): readonly Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => msg === 'refused');

for (const [what, make] of Object.entries(REFUSAL_ROWS)) {
  test(`${what}: one line names reason, client, address, methods and value (decision 46)`, {
    timeout: 30_000,
  }, async () => {
    const before = program.output().length;
    const [sent, expected] = make({ program, basic, jwt, publicClient });
    await send(sent);
    while (linesOf(program.output().slice(before)).length === 0) await sleep(5);
    const lines = linesOf(program.output().slice(before));
    assert.equal(lines.length, 1, JSON.stringify(lines));
    const [line] = lines;
    const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, line?.[name as keyof Line]]));
    assert.deepEqual(shown, expected, JSON.stringify(line));
    assert.equal(line?.address, '127.0.0.1');
    assert.notEqual(line.detail, '');
    assert.ok(
      PAGE.includes(`<a id="${line.reason}"></a>`),
      `docs/reference/refusals.md lacks ${line.reason}`,
    );
  });
}

test('a logout that does not lead back says why: client, address and value (decision 46)', async () => {
  await send({ method: 'GET', path: '/logout?post_logout_redirect_uri=https%3A%2F%2Fevil.example%2F' });
  await program.printed(/"reason":"logout-redirect"[^\n]*evil\.example/u);
});

test('H-362 no secret, token, code, state or assertion is in the log of all these refusals (decision 46, I6)', () => {
  const output = program.output();
  for (const secret of [SECRET, basic.client_secret, program.masterToken, program.directToken])
    assert.ok(!output.includes(secret), 'a secret is in the log');
  assert.doesNotMatch(output, /eyJ[A-Za-z0-9_-]{8,}\./u);
  assert.doesNotMatch(output, /"level":"error"/u);
});
