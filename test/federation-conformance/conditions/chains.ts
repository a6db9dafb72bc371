import { expect } from '../../conformance/verdict.ts';
import { BOTH, type Condition, expectRefused, type Run, refused } from '../condition.ts';
import { makeKey } from '../keys.ts';
import { configurationPath, type Level, LIFETIME_S, newEntity, now, type Plan } from '../plan.ts';

const ONE = { intermediates: 1 } as const;
const HINTS = 200;
/** A request needs no more fetches than this; an attacker would like more. */
const FETCHES_MAX = 60;

/** Returns the immediate superior. */
function superior({ levels }: Plan): Level {
  const [first] = levels;
  if (first === undefined) throw new Error('the plan has no superior');
  return first;
}

function anchorOf(plan: Plan): Level {
  return plan.levels.at(-1) ?? superior(plan);
}

/** Chains that a provider must not believe (§3.2, §4, §10.2). */
export const CHAINS: readonly Condition[] = [
  refused({
    id: 'chain-unknown-anchor',
    section: '§10.2',
    words: 'A chain to an anchor that is not configured is no chain.',
    distrusts: true,
    spoil: (_, run) => run.plan({ anchor: newEntity(run.world.host, 'stranger') }),
  }),
  refused({
    id: 'chain-not-vouched',
    section: '§8.1',
    words: 'The superior has a statement about the relying party.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).statement.document = {
        status: 404,
        type: 'application/json',
        body: () => '{"error":"not_found"}',
      };
    },
  }),
  refused({
    id: 'chain-other-keys',
    section: '§10.2',
    words: 'The superior states the key that signed the request.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).statement.claims['jwks'] = { keys: [makeKey(plan.rp.key.kid).jwk] };
    },
  }),
  refused({
    id: 'chain-statement-expired',
    section: '§10.2',
    words: 'The statement of the superior has not expired.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).statement.claims['exp'] = now() - LIFETIME_S;
    },
  }),
  refused({
    id: 'chain-statement-not-yet',
    section: '§10.2',
    words: 'The statement of the superior is valid already.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).statement.claims['iat'] = now() + LIFETIME_S;
    },
  }),
  refused({
    id: 'chain-statement-signature',
    section: '§10.2',
    words: 'A key of the superior’s configuration signs its statement.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      const { statement, entity } = superior(plan);
      statement.key = makeKey(entity.key.kid);
    },
  }),
  refused({
    id: 'chain-anchor-signature',
    section: '§10.2',
    words: 'A configured key of the anchor signs its statement.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      const { statement, entity } = anchorOf(plan);
      statement.key = makeKey(entity.key.kid);
    },
  }),
  refused({
    id: 'chain-statement-issuer',
    section: '§10.2',
    words: 'The statement is by the entity that was asked.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).statement.claims['iss'] = `${superior(plan).entity.id}/another`;
    },
  }),
  refused({
    id: 'chain-statement-subject',
    section: '§3.2 4',
    words: 'The statement is about the relying party.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).statement.claims['sub'] = `${plan.rp.id}/another`;
    },
  }),
  refused({
    id: 'chain-statement-typ',
    section: '§3.2 1',
    words: 'The statement of the superior has its typ.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).statement.header['typ'] = 'JWT';
    },
  }),
  refused({
    id: 'chain-statement-content-type',
    section: '§8.1.2',
    words: 'The statement of the superior has its content type.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).statement.document = { type: 'text/html' };
    },
  }),
  refused({
    id: 'chain-statement-crit',
    section: '§13.4',
    words: 'A critical claim of a superior that is not understood ends the chain.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      Object.assign(superior(plan).statement.claims, { crit: ['urn:example:x'], 'urn:example:x': 1 });
    },
  }),
  refused({
    id: 'chain-configuration-expired',
    section: '§3.2 8',
    words: 'The configuration of an intermediate has not expired.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      superior(plan).configuration.claims['exp'] = now() - LIFETIME_S;
    },
  }),
  refused({
    id: 'chain-configuration-signature',
    section: '§3.2 12',
    words: 'An intermediate signs its own configuration.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      const { configuration, entity } = superior(plan);
      configuration.key = makeKey(entity.key.kid);
    },
  }),
  refused({
    id: 'chain-configuration-of-another',
    section: '§9',
    words: 'A configuration is about the entity at whose address it stands.',
    distrusts: true,
    options: ONE,
    spoil: (plan) => {
      Object.assign(superior(plan).configuration.claims, { iss: plan.rp.id, sub: plan.rp.id });
    },
  }),
  {
    id: 'chain-loop',
    section: '§10.1',
    words: 'Two authorities above each other end the search; nothing is fetched again.',
    level: 'must',
    dialects: BOTH,
    check: endsLoop,
  },
  {
    id: 'chain-many-hints',
    section: '§18.1',
    words: `A request with ${HINTS} authority hints causes at most ${FETCHES_MAX} fetches.`,
    level: 'should',
    dialects: BOTH,
    check: boundsHints,
  },
  {
    id: 'chain-no-fetch-for-a-forgery',
    section: '§18.1',
    words: 'A request whose signature does not hold causes no fetch.',
    level: 'should',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan(ONE);
      plan.request.key = makeKey(plan.rp.key.kid);
      expectRefused(await run.register(plan));
      const asked = run.world.host.asked(configurationPath(superior(plan).entity));
      expect(asked === 0, `the superior that it names was asked ${asked} times`);
    },
  },
  {
    id: 'chain-superior-away',
    section: '§8.9',
    words:
      'A superior that gives no answer now is told as 503 temporarily_unavailable, not as a broken chain.',
    level: 'should',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan(ONE);
      superior(plan).configuration.document = { status: 503, type: 'text/plain', body: () => 'later' };
      const { reply, error } = await run.register(plan);
      const told = `${reply.status} ${String(error['error'])}`;
      expect(told === '503 temporarily_unavailable', `it is told as ${told}`);
    },
  },
];

async function endsLoop(test: Run): Promise<void> {
  const plan = test.plan({ intermediates: 2 });
  const [low, high] = plan.levels;
  if (low === undefined || high === undefined) throw new Error('the plan has two intermediates');
  // The upper one names the lower one as its superior, and the anchor is out of sight.
  high.configuration.claims['authority_hints'] = [low.entity.id];
  const back = `${low.entity.path}/fetch?sub=${encodeURIComponent(high.entity.id)}`;
  expectRefused(await test.register(plan));
  for (const path of [configurationPath(low.entity), configurationPath(high.entity), back]) {
    const asked = test.world.host.asked(path);
    expect(asked <= 1, `${path} was fetched ${asked} times`);
  }
}

async function boundsHints(test: Run): Promise<void> {
  const plan = test.plan();
  const lost = Array.from({ length: HINTS }, () => newEntity(test.world.host, 'hint', plan.rp.key));
  plan.request.claims['authority_hints'] = lost.map(({ id }) => id);
  expectRefused(await test.register(plan));
  const fetches = lost.reduce((sum, each) => sum + test.world.host.asked(configurationPath(each)), 0);
  expect(fetches <= FETCHES_MAX, `it caused ${fetches} fetches`);
}
