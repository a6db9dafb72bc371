import assert from 'node:assert/strict';
import { dpopKey } from '../../src/testing/dpop.ts';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import type { RawAnswer } from '../../test/program/raw-socket.ts';
import type { Program } from '../../test/program/start.ts';
import { basic, httpSubject, requestHead } from '../http-subject.ts';
import type { LoadOrder } from '../load.ts';
import { type Caller, register } from '../ours.ts';
import { startHeld } from '../start-held.ts';
import type { Bench, Benchmark, Scale, Subject } from '../subject.ts';
import { tokenOrder, verifyIssued } from './token.ts';

const BEARER = 'Basic, bearer token';
const ASSERTED = 'private_key_jwt (ES256), bearer token';
/** More answers a second than one CPU gives: a proof is good once. */
const RATE_MAX = 9_000;
const LIFETIME_S = 3600;

/**
 * Measures a token that is bound to a key beside a bearer token. A client with `private_key_jwt` shows the price of a further
 * signature verification and a further durable write: its assertion needs both, and is as long as a proof.
 */
export const boundToken: Benchmark = {
  name: 'token',
  title: 'Token endpoint, client_credentials: a token bound to a key (RFC 9449 §5)',
  unit: 'per second',
  needsTokens: false,
  aims: [{ of: 'cpu', against: ASSERTED, atLeast: 0.85 }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const program = await startHeld({
      environment: { CHANCERY_DPOP_PROOF_LIFETIME: String(LIFETIME_S) },
    });
    const caller = await register(program);
    const none = async (): Promise<void> => undefined;
    const subject = subjectOf(bench, program);
    const bound = proven(program, caller, bench.scale);
    const asserted = await byAssertion(program, bench.scale);
    return [
      await subject('Basic, bound token (DPoP, ES256)', bound, verifyBound, async () => await program.stop()),
      await subject(BEARER, tokenOrder(program.port, caller), verifyIssued, none),
      await subject(ASSERTED, asserted, verifyIssued, none),
    ];
  },
};

type Opened = (
  name: string,
  order: LoadOrder,
  verify: (answer: RawAnswer) => void,
  close: () => Promise<void>,
) => Promise<Subject>;

const subjectOf =
  (bench: Bench, { pid }: Program): Opened =>
  async (name, order, verify, close) =>
    (await httpSubject(bench, { name, pid, close }, order, verify)).subject;

function verifyBound({ status, body }: RawAnswer): void {
  assert.equal(status, 200, body);
  assert.equal((JSON.parse(body) as { token_type: unknown }).token_type, 'DPoP');
}

/** Enough for every round, the one that warms up, and the beginnings that are not counted. */
const needed = ({ rounds, round_ms }: Scale): number =>
  Math.ceil((rounds + 1) * (round_ms / 1000 + 0.5) * RATE_MAX) + 1;

const now = (): number => Math.floor(Date.now() / 1000);

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const BODY = 'grant_type=client_credentials&scope=read';

function proven({ port, issuer }: Program, { client_id, client_secret }: Caller, scale: Scale): LoadOrder {
  const key = dpopKey();
  const request = { method: 'POST', address: `${issuer}/token`, now: now() };
  return {
    port,
    head: requestHead('POST', '/token', { ...FORM, authorization: basic(client_id, client_secret) }),
    once: true,
    requests: Array.from({ length: needed(scale) }, () => ({
      head: `dpop: ${key.proof(request)}\r\n`,
      body: BODY,
    })),
  };
}

async function byAssertion(program: Program, scale: Scale): Promise<LoadOrder> {
  const key = testKey('ES256');
  const { client_id } = await register<{ client_id: string }>(program, {
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [key.jwk] },
  });
  const iat = now();
  const claims = { iss: client_id, sub: client_id, aud: program.issuer, iat, exp: iat + LIFETIME_S };
  const type = 'urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer';
  return {
    port: program.port,
    head: requestHead('POST', '/token', FORM),
    once: true,
    requests: Array.from({ length: needed(scale) }, (_, index) => ({
      head: '',
      body: `${BODY}&client_assertion_type=${type}&client_assertion=${signedJwt(key, { ...claims, jti: `assertion-${index}` })}`,
    })),
  };
}
