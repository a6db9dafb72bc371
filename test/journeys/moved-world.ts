import assert from 'node:assert/strict';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import {
  accountsBeside,
  answered,
  authorizeUrl,
  call,
  type Registered,
  reached,
  redeem,
  register,
  through,
} from '../hostile/sign-in-world.ts';
import { type PlainBrowser, plainBrowser } from '../program/plain-browser.ts';
import type { Program } from '../program/start.ts';
import { storageAt } from '../program/storage-place.ts';
import { initialAccessToken } from './initial-access-token.ts';

/** Everything that a registry may hold, made through a program, so that it can be looked for in another place. */
export interface MovedWorld {
  /** Everything is asked of this one from now on. */
  moveTo(program: Program): void;
  /** More of what may change while a copy is under way. */
  goOn(): Promise<void>;
  /** Fails where something is not there, or is not as it was. Once per place (`url`): tokens are used. */
  check(url: string): Promise<void>;
}

const PERSON = { username: 'alice', password: 'correct horse battery staple' };
const SERVICE = {
  redirect_uris: [],
  grant_types: ['client_credentials'],
  scope: 'https://op.example.com/token/introspect read',
};

interface Issued {
  readonly token: string;
  readonly active: boolean;
}

export async function movedWorld(first: Program, url: string): Promise<MovedWorld> {
  let program = first;
  const browser: PlainBrowser = plainBrowser(
    program.issuer,
    async (url, init) => await fetch(reached(program, url), init),
  );
  const clients: Registered[] = [];
  const deleted: Registered[] = [];
  const tokens: Issued[] = [];
  const service = await register(program, SERVICE);
  clients.push(service);

  const accessToken = async (): Promise<string> => {
    const { status, json } = await call(program, '/token', service, { grant_type: 'client_credentials' });
    assert.equal(status, 200);
    return String(json['access_token']);
  };
  const invite = async (): Promise<string> => await initialAccessToken(program, ['client-reg']);
  const goOn = async (): Promise<void> => {
    clients.push(await register(program, { client_name: '🦊 "quoted" é', data: { a: [1, 'ü'] } }));
    const gone = await register(program);
    assert.equal((await manage(program, gone, 'DELETE')).status, 204);
    deleted.push(gone);
    tokens.push({ token: await accessToken(), active: true });
    const revoked = await accessToken();
    assert.equal((await call(program, '/token/revoke', service, { token: revoked })).status, 200);
    tokens.push({ token: revoked, active: false });
  };
  await goOn();
  const used = await invite();
  clients.push(await registerWith(program, used));
  const unused = await invite();
  const accounts = await accountsBeside(program, url);
  await accounts.add(PERSON);
  await accounts.close();
  const rp = await register(program, { client_name: 'Relying party' });
  const page = await through(browser, authorizeUrl(program, rp, { prompt: 'consent' }), PERSON);
  assert.ok(
    answered(page)['code'] !== undefined,
    `${page.url} ${page.status} ${page.location ?? ''} ${page.html}`,
  );
  const granted = await redeem(program, rp, answered(page)['code']);
  assert.equal(granted.status, 200, JSON.stringify(granted.json));
  clients.push(rp);
  // A waiting page, whose end-user has not returned yet.
  await browser.visit(authorizeUrl(program, rp, { prompt: 'login' }));
  const keys = await keyIds(program);

  return {
    moveTo(next) {
      program = next;
    },
    goOn,
    async check(place) {
      assert.deepEqual(await keyIds(program), keys);
      for (const client of clients) {
        assert.equal((await manage(program, client, 'GET')).status, 200, 'a registration token');
      }
      for (const client of deleted) assert.equal((await manage(program, client, 'GET')).status, 401);
      assert.equal(
        (await call(program, '/token', service, { grant_type: 'client_credentials' })).status,
        200,
      );
      for (const { token, active } of tokens) {
        const { status, json } = await call(program, '/token/introspect', service, { token });
        assert.deepEqual([status, json['active']], [200, active]);
      }
      assert.equal((await answerTo(program, used)).status, 401, 'a used initial access token');
      await registerWith(program, unused);
      assert.equal(
        (await answerTo(program, unused)).status,
        401,
        'an initial access token that was used here',
      );
      const silent = await browser.open(authorizeUrl(program, rp, { prompt: 'none' }));
      assert.ok(answered(silent)['code'] !== undefined, 'the session and the consent');
      const refreshed = await call(program, '/token', rp, {
        grant_type: 'refresh_token',
        refresh_token: String(granted.json['refresh_token']),
      });
      assert.equal(refreshed.status, 200, JSON.stringify(refreshed.json));
      const numbers = await auditNumbers(place);
      assert.ok(numbers.length > 10);
      assert.deepEqual(
        numbers,
        [...numbers.keys()].map((index) => index + 1),
        'the audit has no gap',
      );
    },
  };
}

async function keyIds(program: Program): Promise<readonly string[]> {
  const answer = await fetch(`${program.url}/jwks.json`);
  const { keys } = (await answer.json()) as { keys: { kid: string }[] };
  assert.ok(keys.length > 3);
  return keys.map(({ kid }) => kid).sort();
}

async function manage(
  { url }: Program,
  { client_id, registration_access_token }: Registered,
  method: 'GET' | 'DELETE',
): Promise<Response> {
  const authorization = `Bearer ${registration_access_token}`;
  return await fetch(`${url}/clients/${client_id}`, { method, headers: { authorization } });
}

async function answerTo({ url }: Program, token: string): Promise<Response> {
  return await fetch(`${url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['https://rp.example/cb'] }),
  });
}

async function registerWith(program: Program, token: string): Promise<Registered> {
  const answer = await answerTo(program, token);
  assert.ok(answer.ok, String(answer.status));
  return (await answer.json()) as Registered;
}

async function auditNumbers(url: string): Promise<readonly number[]> {
  const storage = await storageAt(url);
  try {
    const events = await storage.forTenant(DEFAULT_TENANT).audit.page(0, 10_000);
    return events.map(({ sequence }) => sequence);
  } finally {
    await storage.close();
  }
}
