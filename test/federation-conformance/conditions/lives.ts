import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { objectOf } from '../../conformance/http.ts';
import { expect, expectSame } from '../../conformance/verdict.ts';
import {
  BOTH,
  type Condition,
  expectRefused,
  expectRegistered,
  NotSupported,
  type Run,
} from '../condition.ts';
import { type Json, signed } from '../keys.ts';
import { newEntity, now, type Plan, signedDraft } from '../plan.ts';
import { type Answer, type PlanOptions, REDIRECT_URI } from '../world.ts';

const SECRET: PlanOptions = {
  metadata: { token_endpoint_auth_method: 'client_secret_basic', jwks: undefined },
};
const SHORT_S = 4;
const PATIENCE_S = 70;
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Asks for tokens with a code that never was: `invalid_grant` is the answer to a client that authenticated. */
async function authentication(
  run: Run,
  form: Record<string, string>,
  headers: Record<string, string>,
): Promise<string> {
  const { metadata } = run.world.configuration;
  const { token_endpoint } = metadata;
  if (typeof token_endpoint !== 'string') throw new NotSupported('the metadata has no token_endpoint');
  const asked = {
    grant_type: 'authorization_code',
    code: 'never-issued',
    redirect_uri: REDIRECT_URI,
    ...form,
  };
  return String(objectOf(await run.world.provider.send(token_endpoint, { form: asked, headers }))['error']);
}

async function withSecret(run: Run, { client_id, client_secret }: Json): Promise<string> {
  const part = (value: unknown): string => encodeURIComponent(String(value));
  const basic = Buffer.from(`${part(client_id)}:${part(client_secret)}`).toString('base64');
  return await authentication(run, {}, { authorization: `Basic ${basic}` });
}

async function withKey(run: Run, { client_id }: Json, { clientKey }: Plan): Promise<string> {
  const claims = {
    iss: client_id,
    sub: client_id,
    aud: run.world.provider.issuer,
    iat: now(),
    exp: now() + 60,
    jti: randomUUID(),
  };
  const client_assertion = await signed(clientKey, { kid: clientKey.kid, typ: 'JWT' }, claims);
  return await authentication(run, { client_assertion_type: ASSERTION, client_assertion }, {});
}

async function registered(run: Run, plan: Plan): Promise<Answer> {
  const answer = await run.register(plan);
  expectRegistered(answer);
  return answer;
}

/** Another request of the same relying party. */
function again(plan: Plan, run: Run, options?: PlanOptions): Plan {
  const { request } = plan;
  const fresh = run.plan(options).request;
  const claims = { ...request.claims, exp: Number(fresh.claims['exp']) + 1 };
  return { ...plan, request: { ...request, header: { ...request.header }, claims } };
}

/** The client that a registration made, and what ends it. */
export const LIVES: readonly Condition[] = [
  {
    id: 'client-key',
    section: '§12.2',
    words: 'The client authenticates with the keys of its metadata.',
    level: 'must',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan();
      const { registered: client } = await registered(run, plan);
      expectSame(await withKey(run, client, plan), 'invalid_grant', 'the answer of the token endpoint');
    },
  },
  {
    id: 'client-secret',
    section: '§12.2.3',
    words: 'The client authenticates with the secret of the answer.',
    level: 'must',
    dialects: BOTH,
    async check(run) {
      const { registered: client } = await registered(run, run.plan(SECRET));
      expectSame(await withSecret(run, client), 'invalid_grant', 'the answer of the token endpoint');
    },
  },
  {
    id: 'client-replaced',
    section: '§12.2.2 8',
    words: 'A new registration ends the earlier one of the relying party.',
    level: 'must',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan(SECRET);
      const { registered: first } = await registered(run, plan);
      const { registered: second } = await registered(run, again(plan, run, SECRET));
      expect(first['client_secret'] !== second['client_secret'], 'both have the same secret');
      expectSame(await withSecret(run, second), 'invalid_grant', 'the answer to the new client');
      expectSame(await withSecret(run, first), 'invalid_client', 'the answer to the earlier client');
    },
  },
  {
    id: 'client-survives-refusal',
    section: '§12.2.2',
    words: 'A request that is refused leaves the earlier registration as it is.',
    level: 'must',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan(SECRET);
      const { registered: client } = await registered(run, plan);
      const bad = again(plan, run, SECRET);
      bad.request.claims['authority_hints'] = [newEntity(run.world.host, 'nowhere').id];
      expectRefused(await run.ask(bad));
      expectSame(await withSecret(run, client), 'invalid_grant', 'the answer of the token endpoint');
    },
  },
  {
    id: 'client-once',
    section: '§12.2.2',
    words: 'The same statement again is refused or answered alike; it makes no second client.',
    level: 'should',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan(SECRET);
      const jwt = await signedDraft(plan.request);
      const { registered: client } = await registered(run, {
        ...plan,
        request: { ...plan.request, finish: () => jwt },
      });
      const { statement, registered: second } = await run.ask(plan, jwt);
      if (statement !== undefined)
        expectSame(second['client_id'], client['client_id'], 'the second client_id');
      expectSame(await withSecret(run, client), 'invalid_grant', 'the answer of the token endpoint');
    },
  },
  {
    id: 'client-expires',
    section: '§12.3',
    words: 'The client ends with the registration.',
    level: 'must',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan({ ...SECRET, intermediates: 1 });
      const [superior] = plan.levels;
      if (superior === undefined) throw new Error('the plan has a superior');
      superior.statement.claims['exp'] = now() + SHORT_S;
      const { registered: client, statement } = await registered(run, plan);
      expectSame(await withSecret(run, client), 'invalid_grant', 'the answer at the beginning');
      const end = Number(statement?.claims['exp']) + PATIENCE_S;
      let told = 'invalid_grant';
      // A server that is too busy to look for a renewal says `temporarily_unavailable` meanwhile.
      while (told !== 'invalid_client' && now() < end) {
        await sleep(250);
        told = await withSecret(run, client);
      }
      expectSame(told, 'invalid_client', `the answer ${PATIENCE_S} s after exp`);
    },
  },
];
