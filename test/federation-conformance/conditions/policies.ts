import { expect, expectSame } from '../../conformance/verdict.ts';
import { accepted, BOTH, type Condition, expectRefused, refused } from '../condition.ts';
import type { Json } from '../keys.ts';
import type { Plan } from '../plan.ts';

const TWO = { intermediates: 2 } as const;
const ONE = { intermediates: 1 } as const;

/** Adds claims to the statement of a level about the entity below it; level 0 is the immediate superior. */
const states =
  (level: number, claims: Json) =>
  ({ levels }: Plan): void => {
    const at = levels.at(level);
    if (at === undefined) throw new Error('the plan has no such level');
    Object.assign(at.statement.claims, claims);
  };

const policy = (rules: Json): Json => ({ metadata_policy: { openid_relying_party: rules } });

/** The hosts that no relying party of the suite has. */
const ELSEWHERE = 'elsewhere.example';
const hostOf = ({ rp }: Plan): string => new URL(rp.id).hostname;

/** Constraints (§6.2). */
const CONSTRAINTS: readonly Condition[] = [
  refused({
    id: 'constraint-path-length',
    section: '§6.2.1',
    words: 'max_path_length counts the intermediates below: a longer chain is refused.',
    distrusts: true,
    options: TWO,
    both: states(-1, { constraints: { max_path_length: 2 } }),
    spoil: states(-1, { constraints: { max_path_length: 1 } }),
  }),
  refused({
    id: 'constraint-path-length-of-an-intermediate',
    section: '§6.2',
    words: 'The constraints of an intermediate hold too.',
    distrusts: true,
    options: TWO,
    spoil: states(1, { constraints: { max_path_length: 0 } }),
  }),
  refused({
    id: 'constraint-names-permitted',
    section: '§6.2.2',
    words: 'An entity whose host is not permitted is refused.',
    distrusts: true,
    options: ONE,
    spoil: states(-1, { constraints: { naming_constraints: { permitted: [ELSEWHERE] } } }),
  }),
  refused({
    id: 'constraint-names-excluded',
    section: '§6.2.2',
    words: 'An entity whose host is excluded is refused.',
    distrusts: true,
    options: ONE,
    both: states(-1, { constraints: { naming_constraints: { excluded: [ELSEWHERE] } } }),
    spoil: (plan) => states(-1, { constraints: { naming_constraints: { excluded: [hostOf(plan)] } } })(plan),
  }),
  refused({
    id: 'constraint-entity-types',
    section: '§6.2.3',
    words: 'A superior that does not allow openid_relying_party has no relying parties below it.',
    options: ONE,
    both: states(-1, { constraints: { allowed_entity_types: ['openid_relying_party'] } }),
    spoil: states(-1, { constraints: { allowed_entity_types: ['openid_provider'] } }),
  }),
  accepted({
    id: 'constraint-unknown',
    section: '§6.2',
    words: 'A constraint that the provider does not know is ignored.',
    options: ONE,
    vary: states(-1, { constraints: { urn_example_colour: 'red' } }),
  }),
];

/** Metadata policies (§6.1), and the metadata that a superior states (§3.1.1). */
const METADATA: readonly Condition[] = [
  accepted({
    id: 'metadata-of-superior',
    section: '§3.1.1',
    words: 'Metadata that the immediate superior states replaces the relying party’s.',
    vary: states(0, { metadata: { openid_relying_party: { client_name: 'As stated' } } }),
    look: ({ registered }) => expectSame(registered['client_name'], 'As stated', 'client_name'),
  }),
  accepted({
    id: 'policy-value',
    section: '§6.1.3.1.1',
    words: 'value sets its value.',
    vary: states(0, policy({ client_name: { value: 'By policy' } })),
    look: ({ registered }) => expectSame(registered['client_name'], 'By policy', 'client_name'),
  }),
  accepted({
    id: 'policy-add',
    section: '§6.1.3.1.2',
    words: 'add adds its values.',
    options: { metadata: { contacts: ['one@rp.example'] } },
    vary: states(0, policy({ contacts: { add: ['two@rp.example'] } })),
    look: ({ registered }) => {
      const contacts = JSON.stringify(registered['contacts']);
      expectSame(contacts, '["one@rp.example","two@rp.example"]', 'contacts');
    },
  }),
  accepted({
    id: 'policy-default',
    section: '§6.1.3.1.3',
    words: 'default sets its value where there is none.',
    vary: states(
      0,
      policy({ policy_uri: { default: 'https://rp.example/p' }, client_name: { default: 'no' } }),
    ),
    look: ({ registered }) => {
      expectSame(registered['policy_uri'], 'https://rp.example/p', 'policy_uri');
      expectSame(registered['client_name'], 'Conformance', 'client_name');
    },
  }),
  refused({
    id: 'policy-one-of',
    section: '§6.1.3.1.4',
    words: 'one_of refuses every other value.',
    both: states(0, policy({ client_name: { one_of: ['Conformance', 'Another'] } })),
    spoil: states(0, policy({ client_name: { one_of: ['Another'] } })),
  }),
  accepted({
    id: 'policy-subset-of',
    section: '§6.1.3.1.5',
    words: 'subset_of removes every other value.',
    options: { metadata: { contacts: ['one@rp.example', 'two@rp.example'] } },
    vary: states(0, policy({ contacts: { subset_of: ['two@rp.example', 'three@rp.example'] } })),
    look: ({ registered }) =>
      expectSame(JSON.stringify(registered['contacts']), '["two@rp.example"]', 'contacts'),
  }),
  refused({
    id: 'policy-superset-of',
    section: '§6.1.3.1.6',
    words: 'superset_of refuses metadata that lacks one of its values; equality is enough.',
    options: { metadata: { contacts: ['one@rp.example'] } },
    both: states(0, policy({ contacts: { superset_of: ['one@rp.example'] } })),
    spoil: states(0, policy({ contacts: { superset_of: ['one@rp.example', 'two@rp.example'] } })),
  }),
  refused({
    id: 'policy-essential',
    section: '§6.1.3.1.7',
    words: 'essential refuses metadata without the member.',
    both: states(0, policy({ client_name: { essential: true } })),
    spoil: states(0, policy({ tos_uri: { essential: true } })),
  }),
  {
    // H-456.
    id: 'policy-leaves-nothing',
    section: '§6.1.3.1.5',
    words: 'If subset_of leaves no grant type, the default is not registered in its place.',
    level: 'must',
    dialects: BOTH,
    async check(run) {
      const plan = run.plan();
      states(0, policy({ grant_types: { subset_of: ['implicit'] } }))(plan);
      const answer = await run.register(plan);
      if (answer.statement === undefined) return expectRefused(answer);
      expectSame(JSON.stringify(answer.registered['grant_types']), '[]', 'grant_types');
    },
  },
  accepted({
    id: 'policy-merged',
    section: '§6.1.4.1',
    words: 'The policies of all superiors are merged.',
    options: { intermediates: 1, metadata: { contacts: ['1@rp.example', '2@rp.example', '3@rp.example'] } },
    vary: (plan) => {
      states(-1, policy({ contacts: { subset_of: ['1@rp.example', '2@rp.example'] } }))(plan);
      states(0, policy({ contacts: { subset_of: ['2@rp.example', '3@rp.example'] } }))(plan);
    },
    look: ({ registered }) =>
      expectSame(JSON.stringify(registered['contacts']), '["2@rp.example"]', 'contacts'),
  }),
  refused({
    id: 'policy-contradiction',
    section: '§6.1.4.1',
    words: 'Policies that cannot be merged make the chain invalid.',
    options: ONE,
    both: states(-1, policy({ client_name: { value: 'Conformance' } })),
    spoil: states(0, policy({ client_name: { value: 'Another' } })),
  }),
  refused({
    id: 'policy-critical',
    section: '§6.1.3.2',
    words: 'A critical operator that is not understood makes the chain invalid.',
    both: states(0, policy({ client_name: { 'urn:example:like': 'C%' } })),
    spoil: states(0, { metadata_policy_crit: ['urn:example:like'] }),
  }),
  accepted({
    id: 'policy-scope',
    section: '§6.1.3.1.8',
    words: 'scope is a list of words to operators.',
    options: { metadata: { scope: 'openid email' } },
    vary: states(0, policy({ scope: { subset_of: ['openid', 'profile'] } })),
    look: ({ registered }) => expectSame(registered['scope'], 'openid', 'scope'),
  }),
  accepted({
    id: 'policy-in-the-answer',
    section: '§12.2.5',
    words:
      'A member that a policy demands is in the answer, so that the relying party can apply the policy to it.',
    level: 'should',
    vary: states(
      0,
      policy({
        organization_name: { value: 'The federation' },
        client_registration_types: { essential: true },
      }),
    ),
    look: ({ registered }) => {
      expectSame(registered['organization_name'], 'The federation', 'organization_name');
      expect(Array.isArray(registered['client_registration_types']), 'client_registration_types is absent');
    },
  }),
];

export const POLICIES: readonly Condition[] = [...CONSTRAINTS, ...METADATA];
