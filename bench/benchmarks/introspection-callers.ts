import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basic, httpSubject } from '../http-subject.ts';
import { introspectionBy, introspectionWithBasic, verifyActive } from '../introspection-load.ts';
import type { LoadOrder } from '../load.ts';
import { type Ours, register, startAnother } from '../ours.ts';
import { signatureLimit } from '../signature-limit.ts';
import type { Bench, Benchmark, Scale, Subject } from '../subject.ts';

const BASIC = 'Basic, identifier';
/** ZITADEL's published runs have as many virtual users. */
const APIS = 600;
const VERIFICATIONS = 'ES256 verifications alone, one core';

/** How the caller authenticates, and what kind of token it asks about. The first is what the others are compared with. */
export const introspectionCallers: Benchmark = {
  name: 'introspection',
  title: 'Introspection by caller, kind of token, and number of workers',
  unit: 'per second',
  needsTokens: true,
  aims: [],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const { program, caller, tokens, selfContained } = bench.ours;
    const port = program.port;
    const subject = async (name: string, order: LoadOrder): Promise<Subject> => {
      const server = { name, pid: program.pid, close: async () => undefined };
      return (await httpSubject(bench, server, order, verifyActive)).subject;
    };
    const authorization = `Bearer ${await accessTokenFor(bench.ours)}`;
    return [
      await subject(BASIC, introspectionWithBasic(port, caller, tokens)),
      await subject('bearer, identifier', introspectionBy(port, { authorization }, tokens)),
      await subject(
        'Basic, self-contained (seen before)',
        introspectionWithBasic(port, caller, selfContained),
      ),
      ...(await twoWorkers(bench)),
    ];
  },
};

/** Each assertion is verified once and recorded durably, so that it is good once on all nodes. */
export const introspectionByAssertion = byAssertion(
  'Introspection by a client with private_key_jwt (ES256), one durable write each',
  async ({ ours, scale }) => await assertedQuestions(ours, 1, ours.tokens, assertionsNeeded(scale)),
);

/**
 * The scenario that ZITADEL publishes for k6, named introspection: 600 APIs, each with a key of its own, ask
 * about one token as fast as they get answers. There, each API sends one assertion again and again; here each is good once.
 */
export const introspectionByManyApis = byAssertion(
  "Introspection as in ZITADEL's k6 scenario: 600 APIs with private_key_jwt, one token",
  async ({ ours, scale }) => ({
    ...(await assertedQuestions(ours, APIS, ours.tokens.slice(0, 1), assertionsNeeded(scale))),
    connections: APIS,
  }),
);

function byAssertion(title: string, questions: (bench: Bench) => Promise<LoadOrder>): Benchmark {
  return {
    name: 'introspection',
    title,
    unit: 'per second',
    needsTokens: true,
    aims: [{ against: VERIFICATIONS, atLeast: 0.5 }],
    rounds: (scale) => scale.rounds,
    async open(bench) {
      const { pid } = bench.ours.program;
      const server = { name: 'ours, SQLite, durable', pid, close: async () => undefined };
      const { subject } = await httpSubject(bench, server, await questions(bench), verifyActive);
      return [subject, signatureLimit(bench, VERIFICATIONS, { act: 'verify', alg: 'ES256' })];
    },
  };
}

async function accessTokenFor({ program, caller }: Ours): Promise<string> {
  const response = await fetch(`${program.url}/token`, {
    method: 'POST',
    headers: { authorization: basic(caller.client_id, caller.client_secret) },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: `${program.issuer}/token/introspect`,
    }),
  });
  if (response.status !== 200) throw new Error(`the token endpoint answered ${await response.text()}`);
  return ((await response.json()) as { access_token: string }).access_token;
}

/** More than one core verifies in all the rounds: an assertion is good once. */
const ASSERTIONS_A_SECOND = 12_000;
const LEAD_MS = 400;
const LIFETIME_S = 500;
const JTI_BYTES = 12;
const ASSERTION_TYPE = 'urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer';

interface AssertingClient {
  readonly client_id: string;
  readonly privateKey: KeyObject;
}

async function assertingClient({ program }: Pick<Ours, 'program'>): Promise<AssertingClient> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { client_id } = await register<{ client_id: string }>(program, {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [publicKey.export({ format: 'jwk' })] },
  });
  return { client_id, privateKey };
}

/** Makes questions by some clients in turn, each with an assertion of its own. */
export async function assertedQuestions(
  ours: Pick<Ours, 'program'>,
  callers: number,
  tokens: readonly string[],
  count: number,
): Promise<LoadOrder> {
  const clients: AssertingClient[] = [];
  while (clients.length < callers) clients.push(await assertingClient(ours));
  const { program } = ours;
  const iat = Math.floor(Date.now() / 1000);
  const { requests, ...order } = introspectionBy(program.port, {}, tokens);
  const bodies = Array.from({ length: count }, (_, index) => {
    const { client_id = '', privateKey } = clients[index % clients.length] ?? {};
    assert.ok(privateKey !== undefined);
    const claims = { iss: client_id, sub: client_id, aud: program.issuer, iat, exp: iat + LIFETIME_S };
    return `${requests[index % requests.length]?.body}&${signedAssertion(privateKey, claims)}`;
  });
  return { ...order, once: true, requests: bodies.map((body) => ({ head: '', body })) };
}

/** Enough for every round and the one that warms up. */
const assertionsNeeded = ({ rounds, round_ms }: Scale): number =>
  Math.ceil((((rounds + 1) * (round_ms + LEAD_MS)) / 1000) * ASSERTIONS_A_SECOND);

/** Returns form parameters with a `jti` of their own (RFC 7523 §2.2). */
function signedAssertion(privateKey: KeyObject, claims: object): string {
  const jti = randomBytes(JTI_BYTES).toString('base64url');
  const signed = `${base64url({ alg: 'ES256' })}.${base64url({ ...claims, jti })}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `client_assertion_type=${ASSERTION_TYPE}&client_assertion=${signed}.${signature.toString('base64url')}`;
}

const base64url = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** One server with two workers on one port. Only Linux tells which processes they are. */
async function twoWorkers(bench: Bench): Promise<readonly Subject[]> {
  if (process.platform !== 'linux') return [];
  const { caller, tokens } = bench.ours;
  const server = await startAnother(bench.folder, { CHANCERY_WORKERS: '2' });
  const { pid, port } = server;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
  const [one, other] = children;
  if (one === undefined || other === undefined) throw new Error('the server has fewer than two workers');
  const { subject } = await httpSubject(
    bench,
    {
      name: 'Basic, identifier, serve --workers 2',
      pid: one,
      second: { pid: other, port },
      close: async () => await server.stop(),
    },
    introspectionWithBasic(port, caller, tokens),
    verifyActive,
  );
  return [subject];
}
