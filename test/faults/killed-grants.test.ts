import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { TOKEN_EXCHANGE_GRANT } from '../../src/spec/grant-types.ts';
import { ACCESS_TOKEN_TYPE } from '../../src/spec/token-types.ts';
import { ACCOUNTS, DETAILED_CLIENT, PAYMENT, payment } from '../../src/testing/authorization-details.ts';
import { CIBA_GRANT, TILL } from '../../src/testing/backchannel.ts';
import { DEVICE_GRANT, TELEVISION } from '../../src/testing/device.ts';
import { dpopKey } from '../../src/testing/dpop.ts';
import { GATEWAY, LEDGER } from '../../src/testing/token-exchange.ts';
import {
  accountsBeside,
  browserAt,
  type Person,
  type Registered,
  register,
} from '../hostile/sign-in-world.ts';
import { type Answer, call } from '../journeys/conformance-exchange.ts';
import { type Program, startProgram } from '../program/start.ts';

/**
 * F57: the server is killed while it answers for DPoP, devices, exchanges, authorization details and people without a browser, and
 * starts again. All that it acknowledged stands. A code or a proof is good once, whether the answer came or not.
 */
const folder = mkdtempSync(join(tmpdir(), 'chancery-killed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const ADA: Person = { username: 'ada', password: 'analytical engine' };
const OF_A_KIND = 12;
/** Each is allowed in the browser before the kill. */
const ALLOWED = 4;
const AT_ONCE = 8;
const EXCHANGER = {
  grant_types: [TOKEN_EXCHANGE_GRANT, 'client_credentials'],
  scope: 'read',
  resource_identifiers: [GATEWAY],
  chancery_token_exchange: { audiences: [LEDGER] },
};
const environment = {
  CHANCERY_TOKEN_EXCHANGE_ENABLED: 'true',
  CHANCERY_AUTHORIZATION_DETAILS_TYPES: JSON.stringify([PAYMENT, ACCOUNTS]),
  CHANCERY_CIBA_ENABLED: 'true',
  CHANCERY_CIBA_OPEN_PER_PERSON: '50',
};

type Look = (program: Program) => Promise<void>;

/** Something that the server acknowledges. */
interface Act {
  readonly kind: string;
  /** Resolves with the answer's proof when the server has acknowledged. Rejects if no answer came. */
  readonly run: (program: Program) => Promise<Look>;
  /** Looks at the server after the restart if no answer came. */
  readonly unanswered?: Look;
}

/** A television has no secret. */
type Client = Pick<Registered, 'client_id'> & Partial<Pick<Registered, 'client_secret'>>;

interface World {
  readonly service: Registered;
  readonly inspector: Registered;
  readonly gateway: Registered;
  readonly television: Client;
  readonly till: Registered;
  readonly detailed: Registered;
}

type Form = Readonly<Record<string, string>>;

async function token(
  program: Program,
  { client_id, client_secret }: Client,
  form: Form,
  headers: Form = {},
): Promise<Answer> {
  const request = { method: 'POST', path: '/token', headers };
  return client_secret === undefined
    ? await call(program, { ...request, form: { ...form, client_id } })
    : await call(program, { ...request, form, basic: [client_id, client_secret] });
}

async function issued(answer: Promise<Answer>): Promise<string> {
  const { json, text } = await answer;
  assert.equal(typeof json['access_token'], 'string', text);
  return String(json['access_token']);
}

async function introspected(
  program: Program,
  { inspector }: World,
  access_token: string,
): Promise<Answer['json']> {
  const basic = [inspector.client_id, inspector.client_secret] as const;
  return (
    await call(program, { method: 'POST', path: '/token/introspect', basic, form: { token: access_token } })
  ).json;
}

const SERVICE_TOKEN = { grant_type: 'client_credentials' };

function boundToken(world: World, { issuer }: Program): Act {
  const key = dpopKey();
  const proof = key.proof({
    method: 'POST',
    address: `${issuer}/token`,
    now: Math.floor(Date.now() / 1000),
  });
  const ask = async (program: Program): Promise<Answer> =>
    await token(program, world.service, SERVICE_TOKEN, { dpop: proof });
  const isUsed: Look = async (program) => {
    const { json, text } = await ask(program);
    assert.equal(json['error'], 'invalid_dpop_proof', text);
  };
  return {
    kind: 'a bound token',
    // The proof was used or was not. Afterwards it was.
    unanswered: async (program) => {
      await ask(program);
      await isUsed(program);
    },
    async run(before) {
      const access_token = await issued(ask(before));
      return async (program) => {
        await isUsed(program);
        assert.deepEqual((await introspected(program, world, access_token))['cnf'], { jkt: key.jkt });
      };
    },
  };
}

function detailedToken(world: World, index: number): Act {
  const details = [payment({ instructedAmount: { currency: 'EUR', amount: `${index + 1}.50` } })];
  const form = { ...SERVICE_TOKEN, authorization_details: JSON.stringify(details) };
  return {
    kind: 'a token with details',
    async run(before) {
      const access_token = await issued(token(before, world.detailed, form));
      return async (program) =>
        assert.deepEqual(
          (await introspected(program, world, access_token))['authorization_details'],
          details,
        );
    },
  };
}

const exchanging = (subject_token: string): Form => ({
  grant_type: TOKEN_EXCHANGE_GRANT,
  subject_token,
  subject_token_type: ACCESS_TOKEN_TYPE,
  audience: LEDGER,
});

function exchangedToken(world: World, origin: string): Act {
  return {
    kind: 'an exchanged token',
    async run(before) {
      const access_token = await issued(token(before, world.gateway, exchanging(origin)));
      return async (program) =>
        assert.equal((await introspected(program, world, access_token))['active'], true);
    },
  };
}

function revokedOrigin(world: World, origin: string, exchanged: string): Act {
  const { client_id, client_secret } = world.gateway;
  return {
    kind: 'the end of an origin',
    async run(before) {
      const revoked = await call(before, {
        method: 'POST',
        path: '/token/revoke',
        basic: [client_id, client_secret],
        form: { token: origin },
      });
      assert.equal(revoked.status, 200, revoked.text);
      return async (program) => {
        for (const ended of [origin, exchanged])
          assert.deepEqual(await introspected(program, world, ended), { active: false });
      };
    },
    // Both live or both have ended.
    unanswered: async (program) => {
      const [first, second] = await Promise.all(
        [origin, exchanged].map(async (one) => (await introspected(program, world, one))['active']),
      );
      assert.equal(first, second);
    },
  };
}

function begunDevice({ television }: World): Act {
  return {
    kind: 'a device that waits',
    async run(before) {
      const { client_id } = television;
      const begun = await call(before, {
        method: 'POST',
        path: '/device_authorization',
        form: { client_id },
      });
      assert.equal(begun.status, 200, begun.text);
      const form = { grant_type: DEVICE_GRANT, device_code: String(begun.json['device_code']) };
      return async (program) =>
        assert.equal((await token(program, television, form)).json['error'], 'authorization_pending');
    },
  };
}

function askedPerson({ till }: World): Act {
  return {
    kind: 'a request that waits',
    async run(before) {
      const auth_req_id = await asked(before, till);
      return async (program) =>
        assert.equal(
          (await token(program, till, { grant_type: CIBA_GRANT, auth_req_id })).json['error'],
          'authorization_pending',
        );
    },
  };
}

async function asked(program: Program, { client_id, client_secret }: Registered): Promise<string> {
  const begun = await call(program, {
    method: 'POST',
    path: '/backchannel_authentication',
    basic: [client_id, client_secret],
    form: { scope: 'openid', login_hint: ADA.username },
  });
  assert.equal(begun.status, 200, begun.text);
  return String(begun.json['auth_req_id']);
}

/** A code that its person has allowed gives tokens once. */
function redeemed(kind: string, world: World, client: Client, form: Form): Act {
  const isSpent: Look = async (program) => {
    const { json, text } = await token(program, client, form);
    assert.equal(json['error'], 'invalid_grant', text);
  };
  return {
    kind,
    async run(before) {
      const access_token = await issued(token(before, client, form));
      return async (program) => {
        assert.equal((await introspected(program, world, access_token))['active'], true);
        await isSpent(program);
      };
    },
    unanswered: async (program) => {
      await token(program, client, form);
      await isSpent(program);
    },
  };
}

async function prepared(program: Program): Promise<World> {
  const introspect = `${program.issuer}/token/introspect`;
  const services = { grant_types: ['client_credentials'] };
  const accounts = await accountsBeside(program);
  await accounts.add(ADA);
  await accounts.close();
  return {
    service: await register(program, { ...services, scope: 'read' }),
    inspector: await register(program, { ...services, scope: introspect }),
    gateway: await register(program, EXCHANGER),
    television: await register(program, TELEVISION),
    till: await register(program, TILL),
    detailed: await register(program, { ...DETAILED_CLIENT, scope: 'read' }),
  };
}

async function allowedDevices(program: Program, { television }: World): Promise<readonly Form[]> {
  const browser = browserAt(program);
  const forms: Form[] = [];
  while (forms.length < ALLOWED) {
    const { json } = await call(program, {
      method: 'POST',
      path: '/device_authorization',
      form: { client_id: television.client_id },
    });
    const page = await browser.open(`${program.issuer}/device`);
    let next = await browser.submit(page, 'continue', { user_code: String(json['user_code']) });
    if (next.html.includes('name="password"')) next = await browser.submit(next, 'sign-in', { ...ADA });
    assert.match((await browser.submit(next, 'allow')).html, /connected/);
    forms.push({ grant_type: DEVICE_GRANT, device_code: String(json['device_code']) });
  }
  return forms;
}

async function allowedRequests(program: Program, { till }: World): Promise<readonly Form[]> {
  const browser = browserAt(program);
  const forms: Form[] = [];
  while (forms.length < ALLOWED) {
    const auth_req_id = await asked(program, till);
    let list = await browser.open(`${program.issuer}/account/requests`);
    if (list.html.includes('name="password"')) list = await browser.submit(list, 'sign-in', { ...ADA });
    assert.match(
      (await browser.submit(await browser.submit(list, 'review'), 'allow')).html,
      /Access allowed/,
    );
    forms.push({ grant_type: CIBA_GRANT, auth_req_id });
  }
  return forms;
}

async function actsOf(program: Program, world: World): Promise<readonly (readonly Act[])[]> {
  const several = <T>(make: (index: number) => T): readonly T[] =>
    Array.from({ length: OF_A_KIND }, (_, index) => make(index));
  const origin = async (): Promise<string> => await issued(token(program, world.gateway, SERVICE_TOKEN));
  const origins = await Promise.all(several(origin));
  const ended = await Promise.all(several(origin));
  const exchanged = await Promise.all(
    ended.map(async (one) => await issued(token(program, world.gateway, exchanging(one)))),
  );
  const devices = await allowedDevices(program, world);
  const requests = await allowedRequests(program, world);
  return [
    several(() => boundToken(world, program)),
    several((index) => detailedToken(world, index)),
    origins.map((one) => exchangedToken(world, one)),
    ended.map((one, index) => revokedOrigin(world, one, exchanged[index] ?? '')),
    several(() => begunDevice(world)),
    several(() => askedPerson(world)),
    devices.map((form) => redeemed('tokens of a device', world, world.television, form)),
    requests.map((form) => redeemed('tokens of a request', world, world.till, form)),
  ];
}

/** Runs the acts, kinds in turn and some at once, and kills the program when half of them are acknowledged. */
async function runUntilKilled(
  program: Program,
  kinds: readonly (readonly Act[])[],
): Promise<ReadonlyMap<Act, Look | undefined>> {
  const queue = Array.from({ length: OF_A_KIND }, (_, turn) =>
    kinds.flatMap((acts) => acts[turn] ?? []),
  ).flat();
  const half = queue.length / 2;
  const ends = new Map<Act, Look | undefined>();
  let acknowledged = 0;
  const work = async (): Promise<void> => {
    for (let act = queue.shift(); act !== undefined; act = queue.shift()) {
      try {
        ends.set(act, await act.run(program));
        acknowledged += 1;
        if (acknowledged === half) program.signal('SIGKILL');
      } catch (cause) {
        // fetch: no answer came. An answer that is wrong is a failure.
        if (!(cause instanceof TypeError)) throw cause;
        ends.set(act, undefined);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await program.exited;
  return ends;
}

test('F57 kill -9 among bound tokens, devices, exchanges, details and requests to people: what was acknowledged stands, and what is good once is good once', async () => {
  const before = await startProgram({ folder, environment });
  const world = await prepared(before);
  const kinds = await actsOf(before, world);
  const ends = await runUntilKilled(before, kinds);
  const program = await startProgram({ folder, environment });
  try {
    for (const acts of kinds)
      assert.ok(
        acts.some((act) => ends.get(act) !== undefined),
        `${acts[0]?.kind}: none was acknowledged before the kill`,
      );
    assert.ok([...ends.values()].includes(undefined), 'the kill fell among requests');
    for (const [act, look] of ends) await (look ?? act.unanswered)?.(program);
  } finally {
    await program.stop();
  }
});
