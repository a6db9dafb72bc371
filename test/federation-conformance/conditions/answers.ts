import { header as headerOf } from '../../conformance/http.ts';
import { expect, expectSame, text } from '../../conformance/verdict.ts';
import {
  BOTH,
  type Condition,
  expectRefused,
  expectRegistered,
  NotSupported,
  type Run,
} from '../condition.ts';
import { chainOf, levelsOf, now, type Plan, signedDraft } from '../plan.ts';
import { type Answer, type Dialect, member, objectIn, type PlanOptions, publishPlan } from '../world.ts';

const ONE: PlanOptions = { intermediates: 1 };
const SHORT_S = 90;
const SKEW_S = 60;
const SECRET: PlanOptions = {
  metadata: { token_endpoint_auth_method: 'client_secret_basic', jwks: undefined },
};

interface Row {
  readonly id: string;
  readonly section: string;
  readonly words: string;
  readonly level?: Condition['level'];
  readonly dialects?: readonly Dialect[];
  readonly options?: PlanOptions;
  readonly vary?: (plan: Plan, run: Run) => void | Promise<void>;
  readonly look: (answer: Answer, plan: Plan, run: Run) => void | Promise<void>;
}

/** Returns a condition about the answer to an acceptable request. */
function answer({
  id,
  section,
  words,
  level = 'must',
  dialects = BOTH,
  options,
  vary,
  look,
}: Row): Condition {
  return {
    id,
    section,
    words,
    level,
    dialects,
    async check(run) {
      const plan = run.plan(options);
      await vary?.(plan, run);
      const given = await run.register(plan);
      expectRegistered(given);
      await look(given, plan, run);
    },
  };
}

const claim = ({ statement }: Answer, name: string): unknown => member(statement?.claims, name);

/** The answer to a request that registered a client (§12.2.3). */
const STATEMENTS: readonly Condition[] = [
  answer({
    id: 'answer-content-type',
    section: '§12.2.3',
    words: 'The content type is application/explicit-registration-response+jwt.',
    dialects: ['final'],
    look: ({ reply }) =>
      expectSame(
        headerOf(reply, 'content-type'),
        'application/explicit-registration-response+jwt',
        'the content type',
      ),
  }),
  answer({
    id: 'answer-content-type-interface',
    section: 'interface, POST /federation/clients',
    words: 'The content type is application/jose;charset=UTF-8.',
    dialects: ['interface'],
    look: ({ reply }) => {
      const type = headerOf(reply, 'content-type').replaceAll(' ', '').toLowerCase();
      expectSame(type, 'application/jose;charset=utf-8', 'the content type');
    },
  }),
  answer({
    id: 'answer-typ',
    section: '§12.2.3',
    words: 'typ is explicit-registration-response+jwt.',
    dialects: ['final'],
    look: ({ statement }) =>
      expectSame(statement?.header['typ'], 'explicit-registration-response+jwt', 'typ'),
  }),
  answer({
    id: 'answer-header-interface',
    section: 'interface, Registration statement',
    words: 'The header has alg RS256 and kid, and no typ that its relying parties refuse.',
    dialects: ['interface'],
    look: ({ statement }) => {
      const { alg, kid, typ } = statement?.header ?? {};
      expectSame(alg, 'RS256', 'alg');
      text(kid, 'kid');
      expect([undefined, 'JWT', 'entity-statement+jwt'].includes(typ as string), `typ is ${String(typ)}`);
    },
  }),
  answer({
    id: 'answer-not-cached',
    section: 'interface, POST /federation/clients',
    words: 'The answer is sent with Cache-Control no-store and Pragma no-cache.',
    dialects: ['interface'],
    look: ({ reply }) => {
      expect(headerOf(reply, 'cache-control').includes('no-store'), 'Cache-Control has no no-store');
      expectSame(headerOf(reply, 'pragma'), 'no-cache', 'Pragma');
    },
  }),
  answer({
    id: 'answer-signature',
    section: '§12.2.3',
    words: 'A published federation key of the provider signs the answer.',
    look: ({ isSigned }) => expect(isSigned, 'no key of its entity configuration made the signature'),
  }),
  answer({
    id: 'answer-iss',
    section: '§12.2.3',
    words: 'iss is the provider.',
    look: (given, _, { world }) => expectSame(claim(given, 'iss'), world.provider.issuer, 'iss'),
  }),
  answer({
    id: 'answer-sub',
    section: '§12.2.3',
    words: 'sub is the relying party.',
    look: (given, { rp }) => expectSame(claim(given, 'sub'), rp.id, 'sub'),
  }),
  answer({
    id: 'answer-aud',
    section: '§12.2.3',
    words: 'aud is the relying party, and no other value.',
    look: (given, { rp }) => {
      const aud = claim(given, 'aud');
      expectSame(Array.isArray(aud) && aud.length === 1 ? aud[0] : aud, rp.id, 'aud');
    },
  }),
  answer({
    id: 'answer-iat',
    section: '§12.2.3',
    words: 'iat is now.',
    look: (given) => {
      const iat = Number(claim(given, 'iat'));
      expect(Math.abs(iat - now()) <= SKEW_S, `iat is ${iat}`);
    },
  }),
  answer({
    id: 'answer-exp',
    section: '§12.2.3',
    words: 'exp is to come, and no later than the chain expires (§10.4, §12.3).',
    options: ONE,
    vary: ({ levels }) => {
      const [superior] = levels;
      if (superior !== undefined) superior.statement.claims['exp'] = now() + SHORT_S;
    },
    look: (given) => {
      const exp = Number(claim(given, 'exp'));
      expect(
        exp > now() && exp <= now() + SHORT_S,
        `exp is ${exp - now()} s from now; the chain has ${SHORT_S} s`,
      );
    },
  }),
  answer({
    id: 'answer-trust-anchor',
    section: '§12.2.3',
    words: 'trust_anchor is the trust anchor of the chain.',
    dialects: ['final'],
    options: ONE,
    look: (given, { levels }) =>
      expectSame(claim(given, 'trust_anchor'), levels.at(-1)?.entity.id, 'trust_anchor'),
  }),
  answer({
    id: 'answer-authority-hints',
    section: '§12.2.3',
    words: 'authority_hints is an array with the immediate superior alone.',
    options: ONE,
    look: (given, { levels }) =>
      expectSame(
        JSON.stringify(claim(given, 'authority_hints')),
        JSON.stringify([levels[0]?.entity.id]),
        'authority_hints',
      ),
  }),
  answer({
    id: 'answer-client-id',
    section: '§12.2.3',
    words: 'metadata has the client_id under openid_relying_party.',
    dialects: ['final'],
    look: ({ registered }) => void text(registered['client_id'], 'client_id'),
  }),
  answer({
    id: 'answer-metadata-policy',
    section: 'interface, Registration statement',
    words: 'metadata_policy has a value operation for client_id and for each member that was changed.',
    dialects: ['interface'],
    vary: ({ metadata }) => {
      delete metadata['grant_types'];
    },
    look: (given) => {
      const rules = objectIn(claim(given, 'metadata_policy'), 'openid_relying_party');
      text(member(rules['client_id'], 'value'), 'the value of client_id');
      for (const [name, rule] of Object.entries(rules))
        expect(
          typeof rule === 'object' && rule !== null && 'value' in rule,
          `${name} has no value operation`,
        );
    },
  }),
  answer({
    id: 'answer-secret',
    section: '§12.2.3',
    words: 'The secret does not expire before the registration.',
    options: SECRET,
    look: (given) => {
      const end = Number(given.registered['client_secret_expires_at']);
      const exp = Number(claim(given, 'exp'));
      expect(end === 0 || end >= exp, `client_secret_expires_at is ${end}, and exp is ${exp}`);
    },
  }),
  answer({
    id: 'answer-secret-end',
    section: '§12.2.3',
    words: 'client_secret_expires_at is exp: there are relying parties that take 0 for an earlier time.',
    level: 'should',
    options: SECRET,
    look: (given) =>
      expectSame(
        given.registered['client_secret_expires_at'],
        claim(given, 'exp'),
        'client_secret_expires_at',
      ),
  }),
  answer({
    id: 'answer-no-registration-token',
    section: '§12.2.3',
    words: 'There is no registration access token and no client configuration endpoint.',
    level: 'should',
    look: ({ registered }) => {
      for (const name of ['registration_access_token', 'registration_client_uri'])
        expectSame(registered[name], undefined, name);
    },
  }),
  answer({
    id: 'answer-defaults',
    section: '§12.2.3',
    words: 'Members with a default value are in the answer.',
    level: 'should',
    vary: ({ metadata }) => {
      for (const name of ['grant_types', 'response_types']) delete metadata[name];
    },
    look: ({ registered }) => {
      for (const name of ['grant_types', 'response_types', 'token_endpoint_auth_method'])
        expect(registered[name] !== undefined, `${name} is absent`);
    },
  }),
  answer({
    id: 'answer-jwks',
    section: '§12.2.3',
    words: 'jwks, if it is there, is the one of the request.',
    level: 'may',
    look: (given, { request }) => {
      const jwks = claim(given, 'jwks');
      if (jwks === undefined) throw new NotSupported('jwks is absent');
      expectSame(JSON.stringify(jwks), JSON.stringify(request.claims['jwks']), 'jwks');
    },
  }),
  {
    id: 'answer-selected-anchor',
    section: '§12.2.3',
    words: 'The trust anchor at the root of the chain in the request is the one of the answer.',
    level: 'must',
    dialects: BOTH,
    check: selectsAnchor,
  },
];

/** Below two anchors, with the chain to the second one in the request. */
async function selectsAnchor(run: Run): Promise<void> {
  const { anchors } = run.world;
  const plan = run.plan({ anchor: anchors.second });
  // The first anchor vouches for it too.
  await publishPlan(run.world, { ...plan, levels: levelsOf(plan.rp, [anchors.first]) });
  plan.request.claims['authority_hints'] = [anchors.first.id, anchors.second.id];
  plan.request.header['trust_chain'] = await chainOf(await signedDraft(plan.request), plan.levels);
  const given = await run.register(plan);
  expectRegistered(given);
  expectSame(claim(given, 'trust_anchor') ?? anchors.second.id, anchors.second.id, 'trust_anchor');
  expectSame(
    JSON.stringify(claim(given, 'authority_hints')),
    JSON.stringify([anchors.second.id]),
    'authority_hints',
  );
}

/** Refusals (§12.2.4, §8.9). */
const REFUSALS: readonly Condition[] = [
  {
    id: 'refusal-json',
    section: '§12.2.4',
    words: 'A refusal is JSON with error and error_description.',
    level: 'must',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan();
      plan.request.claims['authority_hints'] = [];
      const given = await run.register(plan);
      expectRefused(given);
      expect(
        headerOf(given.reply, 'content-type').startsWith('application/json'),
        'it is not application/json',
      );
      text(given.error['error_description'], 'error_description');
    },
  },
  {
    id: 'refusal-malformed',
    section: 'interface, Errors',
    words: 'A malformed request is 400 invalid_request.',
    level: 'must',
    dialects: ['interface'],
    async check(run) {
      const plan = run.plan();
      plan.request.body = () => 'no statement';
      const { reply, error } = await run.register(plan);
      expectSame(`${reply.status} ${String(error['error'])}`, '400 invalid_request', 'the refusal');
    },
  },
  {
    id: 'refusal-code',
    section: '§8.9',
    words: 'The code of a chain without a trusted anchor is invalid_trust_anchor or invalid_trust_chain.',
    level: 'should',
    dialects: ['final'],
    async check(run) {
      const plan = run.plan();
      plan.request.claims['authority_hints'] = [`${plan.rp.id}/nowhere`];
      const { error } = await run.register(plan);
      const code = String(error['error']);
      expect(['invalid_trust_anchor', 'invalid_trust_chain'].includes(code), `it is ${code}`);
    },
  },
];

export const ANSWERS: readonly Condition[] = [...STATEMENTS, ...REFUSALS];
