import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../program/start.ts';
import { assertionOf } from '../client-assertion.ts';
import { BOTH_ENGINES, type Experiment, type Outcome } from '../experiment.ts';
import type { Registration } from '../ledger.ts';
import { type Answer, basic, bearer, call, introspect, read } from '../registry-calls.ts';
import { nowOf, shiftedClock } from '../shifted-clock.ts';
import type { Stand } from '../stand.ts';
import { untilAllReady } from '../under-fault.ts';

const HOUR = 3_600;
const DAY = 86_400;
/** Longer than `storage.sweep-interval`, which is a second here. */
const SWEPT_MS = 2_500;
export const LIFETIME = 600;
const READY_BY_MS = 30_000;
/** One `decide` has this many. */
const ACKED_MIN = 8;

export interface Findings {
  readonly lost: string[];
  readonly used_twice: string[];
  readonly revoked_active: string[];
  readonly broken: string[];
  acked: number;
}

/** Answers that the server gave before the clock moved. */
export interface Decided {
  readonly client: Registration;
  /** Authenticates with assertions. */
  readonly asserting: Registration;
  readonly live: string;
  readonly liveUntil: number;
  readonly revoked: string;
  readonly assertion: string;
  readonly initialAccessToken: string;
  readonly refreshToken: string;
  readonly unusedInitialAccessToken: string;
  readonly unusedRefreshToken: string;
}

const untilUnixEnd = (): number => 2_147_483_647 + HOUR - Math.floor(Date.now() / 1000);

const JUMPS: readonly (readonly [name: string, seconds: () => number])[] = [
  ['+1 h', () => HOUR],
  ['-1 h', () => -HOUR],
  ['+400 d', () => 400 * DAY],
  ['-400 d', () => -400 * DAY],
  ['beyond 2038-01-19', untilUnixEnd],
];

export const clockJumps: Experiment = {
  name: 'clock-jumps',
  fault: 'F16 the wall clock jumps by an hour, by 400 days, beyond 2038, each there and back',
  engines: BOTH_ENGINES,
  acked_min: (rounds) => ACKED_MIN * Math.min(rounds, JUMPS.length),
  async run(stand, { rounds }) {
    const clock = shiftedClock(stand.folder, 'one');
    const environment = {
      ...clock.environment,
      CHANCERY_STORAGE_SWEEP_INTERVAL: '1',
      CHANCERY_ACCESS_TOKEN_LIFETIME: String(LIFETIME),
    };
    const node = await stand.start({ environment });
    const inspector = await stand.inspector(node);
    const findings: Findings = { lost: [], used_twice: [], revoked_active: [], broken: [], acked: 0 };
    for (const [name, seconds] of JUMPS.slice(0, rounds)) {
      const decided = await decide(node, findings, nowOf(clock));
      clock.set(seconds());
      const now = nowOf(clock);
      if (Math.abs(now - Date.now() / 1000 - seconds()) > 60)
        throw new Error(`the clock shows ${now} and not an offset of ${seconds()} seconds`);
      await sleep(SWEPT_MS);
      await compare(node, inspector, decided, findings, { name, now });
      clock.set(0);
      await sleep(SWEPT_MS);
      await compare(node, inspector, decided, findings, { name: `${name} and back`, now: nowOf(clock) });
    }
    return outcome(findings, { jumps: String(Math.min(rounds, JUMPS.length)) });
  },
};

const APART = 90;

export const clocksApart: Experiment = {
  name: 'clocks-apart',
  fault: 'F17 the clocks of two servers are 90 seconds apart',
  engines: BOTH_ENGINES,
  acked_min: () => ACKED_MIN,
  async run(stand) {
    // The server that is ahead starts first, so that its clock dates the keys of both.
    const clock = shiftedClock(stand.folder, 'ahead', APART);
    const shown = nowOf(clock) - Math.floor(Date.now() / 1000);
    if (shown < APART - 10) throw new Error(`the clock that should be ahead shows ${shown} seconds more`);
    const ahead = await stand.start({ environment: clock.environment });
    const right = await stand.start();
    return await compareApart(stand, right, ahead);
  },
};

async function compareApart(stand: Stand, right: Program, ahead: Program): Promise<Outcome> {
  const inspector = await stand.inspector(right);
  const findings: Findings = { lost: [], used_twice: [], revoked_active: [], broken: [], acked: 0 };
  const now = Math.floor(Date.now() / 1000);
  const decided = await decide(right, findings, now);
  for (const node of [right, ahead]) {
    await compare(node, inspector, decided, findings, { name: 'beside', now });
  }
  const ofAhead = await tokenOf(ahead, decided.client);
  if (!(await isActive(right, inspector, ofAhead))) findings.lost.push('a token of the server that is ahead');
  // Its twenty seconds and the skew of sixty are over for one and not for the other.
  const short = assertionOf(right, decided.asserting, now, 20);
  const figures = {
    'an assertion of 20 s, at the server that is ahead': String((await authenticate(ahead, short)).status),
    'at the other one': String((await authenticate(right, short)).status),
  };
  return outcome(findings, figures);
}

export function outcome(findings: Findings, figures: Readonly<Record<string, string>>): Outcome {
  return { ...findings, half_written: [], unknown: 0, figures };
}

export async function decide(node: Program, findings: Findings, now: number): Promise<Decided> {
  const acked = async (asked: Promise<Answer>, status = 200): Promise<Readonly<Record<string, string>>> => {
    const answer = await asked;
    if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    findings.acked += 1;
    return (answer.body ?? {}) as Readonly<Record<string, string>>;
  };
  const authorization = bearer(node.masterToken);
  const register = (method: string): Promise<Answer> =>
    call(node, {
      method: 'POST',
      path: '/clients',
      authorization,
      json: {
        token_endpoint_auth_method: method,
        grant_types: ['client_credentials', 'authorization_code', 'refresh_token'],
        redirect_uris: ['https://rp.example/callback'],
        scope: 'read',
      },
    });
  const client = (await acked(register('client_secret_basic'))) as unknown as Registration;
  const asserting = (await acked(register('client_secret_jwt'))) as unknown as Registration;
  const [live, revoked] = [await tokenOf(node, client), await tokenOf(node, client)];
  await acked(call(node, { ...asClient('/token/revoke', client), form: { token: revoked } }));
  const assertion = assertionOf(node, asserting, now, 300);
  await acked(authenticate(node, assertion));
  const direct = (json: object): Promise<Answer> =>
    call(node, {
      method: 'POST',
      path: '/direct-authz/rest/v2',
      authorization: bearer(node.directToken),
      json,
    });
  const invited = await acked(direct({ scope: ['client-reg'] }));
  const initialAccessToken = invited['access_token'] ?? '';
  await acked(registerWith(node, initialAccessToken));
  const { client_id } = client;
  const wish = { client_id, sub: 'alice', scope: ['read'], refresh_token: { issue: true, rotate: true } };
  const refreshToken = (await acked(direct(wish)))['refresh_token'] ?? '';
  await acked(refresh(node, client, refreshToken));
  const unusedInitialAccessToken = (await acked(direct({ scope: ['client-reg'] })))['access_token'] ?? '';
  const unusedRefreshToken = (await acked(direct(wish)))['refresh_token'] ?? '';
  return {
    client,
    asserting,
    live,
    liveUntil: now + LIFETIME,
    revoked,
    assertion,
    initialAccessToken,
    refreshToken,
    unusedInitialAccessToken,
    unusedRefreshToken,
  };
}

interface Moment {
  readonly name: string;
  /** As the server sees it. */
  readonly now: number;
}

export async function compare(
  node: Program,
  inspector: Registration,
  decided: Decided,
  findings: Findings,
  { name, now }: Moment,
): Promise<void> {
  const { client } = decided;
  findings.broken.push(...(await untilAllReady([node], READY_BY_MS)).map((each) => `${name}: ${each}`));
  const own = await read(node, client.client_id, client.registration_access_token);
  const { client_secret } = (own.body ?? {}) as { client_secret?: string };
  if (own.status !== 200) findings.lost.push(`${name}: the client is read with ${own.status}`);
  else if (client_secret !== client.client_secret) findings.broken.push(`${name}: the secret was rotated`);
  const active = await isActive(node, inspector, decided.live);
  if (!active && now < decided.liveUntil) findings.lost.push(`${name}: a live token is inactive`);
  if (active && now >= decided.liveUntil) findings.broken.push(`${name}: an expired token is active`);
  if (await isActive(node, inspector, decided.revoked))
    findings.revoked_active.push(`${name}: a revoked token`);
  const again: Readonly<Record<string, Promise<Answer>>> = {
    'an assertion': authenticate(node, decided.assertion),
    'an initial access token': registerWith(node, decided.initialAccessToken),
    'a refresh token': refresh(node, client, decided.refreshToken),
  };
  for (const [what, asked] of Object.entries(again)) {
    const { status } = await asked;
    if (status === 200) findings.used_twice.push(`${name}: ${what}`);
    else if (status >= 500) findings.broken.push(`${name}: ${what} gives ${status}`);
  }
  const fresh = await tokenOf(node, client);
  const { body } = await introspect(node, inspector, fresh);
  const { exp, iat } = body as { exp?: number; iat?: number };
  if (exp === undefined || iat === undefined || exp <= iat) {
    findings.broken.push(`${name}: a new token is ${JSON.stringify(body)}`);
  }
}

async function isActive(node: Program, inspector: Registration, token: string): Promise<boolean> {
  const { status, body } = await introspect(node, inspector, token);
  if (status !== 200) throw new Error(`introspection: ${status}`);
  return (body as { active: boolean }).active;
}

const asClient = (path: string, client: Registration) =>
  ({ method: 'POST', path, authorization: basic(client) }) as const;

async function tokenOf(node: Program, client: Registration): Promise<string> {
  const form = { grant_type: 'client_credentials' };
  const { status, body } = await call(node, { ...asClient('/token', client), form });
  if (status !== 200) throw new Error(`a token: ${status}`);
  return (body as { access_token: string }).access_token;
}

export const refresh = (node: Program, client: Registration, refresh_token: string): Promise<Answer> =>
  call(node, { ...asClient('/token', client), form: { grant_type: 'refresh_token', refresh_token } });

export const registerWith = (node: Program, token: string): Promise<Answer> =>
  call(node, {
    method: 'POST',
    path: '/clients',
    authorization: bearer(token),
    json: { redirect_uris: ['https://rp.example/callback'] },
  });

export async function authenticate(node: Program, client_assertion: string): Promise<Answer> {
  return await call(node, {
    method: 'POST',
    path: '/token',
    form: {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
    },
  });
}
