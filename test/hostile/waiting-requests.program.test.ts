import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { formText } from '../program/code-request.ts';
import { askProgramRows } from '../program/program-rows.ts';
import { type Program, startProgram } from '../program/start.ts';
import {
  accountsBeside,
  authorizeUrl,
  browserAt,
  type Registered,
  reached,
  register,
  through,
} from './sign-in-world.ts';

/** The server keeps a row for each unfinished sign-in, and a stranger can start any number of them. So the number is bounded. */
const PER_MINUTE = 20;
const ADA = { username: 'ada', password: 'correct horse canary' };
let program: Program;
let client: Registered;

before(async () => {
  const environment = {
    CHANCERY_INTERACTION_RATE_PER_NETWORK: String(PER_MINUTE),
    CHANCERY_LISTEN_TRUSTED_PROXIES: '127.0.0.1/32',
    CHANCERY_STORAGE_SWEEP_INTERVAL: '86400',
  };
  program = await startProgram({ environment });
  client = await register(program, { token_endpoint_auth_method: 'none' });
});
after(async () => {
  await program.stop();
});

async function waiting(): Promise<number> {
  const [row] = await askProgramRows(program.folder, 'SELECT count(*) AS waiting FROM interaction');
  return Number(row?.['waiting']);
}

const from = (address: string): Readonly<Record<string, string>> => ({ 'x-forwarded-for': address });

const WAYS: readonly (readonly [
  way: string,
  send: (headers: Readonly<Record<string, string>>) => Promise<Response>,
])[] = [
  [
    'GET /authorize',
    async (headers) =>
      await fetch(reached(program, authorizeUrl(program, client)), { headers, redirect: 'manual' }),
  ],
  [
    'POST /authorize',
    async (headers) =>
      await fetch(`${program.url}/authorize`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: new URL(authorizeUrl(program, client)).search.slice(1),
        redirect: 'manual',
      }),
  ],
  ['GET /logout', async (headers) => await fetch(`${program.url}/logout`, { headers })],
  [
    'POST /logout',
    async (headers) =>
      await fetch(`${program.url}/logout`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: '',
      }),
  ],
  [
    'POST /par of a public client',
    async (headers) =>
      await fetch(`${program.url}/par`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
        body: formText(Object.fromEntries(new URL(authorizeUrl(program, client)).searchParams)),
      }),
  ],
];

for (const [index, [way, send]] of WAYS.entries()) {
  test(`S-17 a flood of ${way}: what one network may leave waiting is bounded, 429 with Retry-After beyond it (RFC 6585 §4)`, async () => {
    const before = await waiting();
    const network = from(`192.0.2.${index + 1}`);
    const answers = await Promise.all(
      Array.from({ length: 3 * PER_MINUTE }, async () => await send(network)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    const kept = (await waiting()) - before;
    assert.equal(kept, answers.length - refused.length);
    assert.ok(kept >= PER_MINUTE && refused.length > 0, `${kept} wait`);
    for (const answer of refused) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
    assert.ok((await send(from('198.51.100.9'))).status < 400, 'another network is not held up');
  });
}

test('S-17 a signed-in user of the flooding network can continue and log out', async () => {
  const accounts = await accountsBeside(program);
  await accounts.add(ADA);
  const browser = browserAt(program);
  const { location } = await through(browser, authorizeUrl(program, client), ADA);
  assert.match(location ?? '', /code=/);
  for (let count = 0; count < 3 * PER_MINUTE; count += 1) await fetch(`${program.url}/logout`);
  assert.equal((await fetch(`${program.url}/logout`)).status, 429);
  assert.equal((await browser.open(`${program.issuer}/logout`)).status, 200);
  await accounts.close();
});
