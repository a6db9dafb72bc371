import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  applied,
  chainOf,
  ENTITY_TYPE,
  membersOf,
  mergedPolicy,
  resolved,
} from '../../testing/metadata-policy.ts';

/** The policies and the metadata of Figures 10 to 14. */
const ANCHOR = {
  grant_types: {
    default: ['authorization_code'],
    subset_of: ['authorization_code', 'refresh_token'],
    superset_of: ['authorization_code'],
  },
  token_endpoint_auth_method: {
    one_of: ['private_key_jwt', 'self_signed_tls_client_auth'],
    essential: true,
  },
  token_endpoint_auth_signing_alg: { one_of: ['PS256', 'ES256'] },
  subject_type: { value: 'pairwise' },
  contacts: { add: ['helpdesk@federation.example.org'] },
};
const ORGANISATION = {
  grant_types: { subset_of: ['authorization_code'] },
  token_endpoint_auth_method: { one_of: ['self_signed_tls_client_auth'] },
  contacts: { add: ['helpdesk@org.example.org'] },
};
const SUBJECT = {
  redirect_uris: ['https://rp.example.org/callback'],
  response_types: ['code'],
  token_endpoint_auth_method: 'self_signed_tls_client_auth',
  contacts: ['rp_admins@rp.example.org'],
  sector_identifier_uri: 'https://org.example.org/sector-ids.json',
  policy_uri: 'https://org.example.org/policy.html',
};

// proves openid-federation-6.1.4.1-1
test('the example of the specification merges as in Figure 12 and resolves as in Figure 14 (§6.1.5)', () => {
  assert.deepEqual(mergedPolicy(ANCHOR, ORGANISATION), {
    ...ANCHOR,
    grant_types: { ...ANCHOR.grant_types, subset_of: ['authorization_code'] },
    token_endpoint_auth_method: { one_of: ['self_signed_tls_client_auth'], essential: true },
    contacts: { add: ['helpdesk@federation.example.org', 'helpdesk@org.example.org'] },
  });
  assert.deepEqual(resolved([ANCHOR, ORGANISATION], SUBJECT), {
    ...SUBJECT,
    grant_types: ['authorization_code'],
    subject_type: 'pairwise',
    contacts: ['rp_admins@rp.example.org', 'helpdesk@federation.example.org', 'helpdesk@org.example.org'],
  });
});

// proves openid-federation-6.1.4.1-1
test('a subordinate cannot allow what its superior forbids (§6.1.1 Hierarchy; H-209)', () => {
  const strict = { subject_type: { one_of: ['pairwise'] } };
  assert.equal(mergedPolicy(strict, { subject_type: { value: 'public' } }), 'policy_combination');
  assert.deepEqual(mergedPolicy(strict, { subject_type: { one_of: ['pairwise', 'public'] } }), strict);
  assert.equal(resolved([strict, { subject_type: {} }], { subject_type: 'public' }), 'policy_violated');
});

test('a policy of one entity type does not change another entity type (§6.1.1 Specificity)', () => {
  const chain = chainOf([
    { openid_provider: { issuer: { value: null } } },
    { [ENTITY_TYPE]: { a: { value: 1 } } },
  ]);
  assert.ok(chain.ok);
  assert.deepEqual(membersOf(chain.policy), { a: { value: 1 } });
  assert.deepEqual([...chain.policy.entityTypes.keys()], ['openid_provider', ENTITY_TYPE]);
});

// proves openid-federation-6.1.2-1
test('a parameter with a language tag is another parameter (§6.1.2)', () => {
  const policy = { 'client_name#de': { value: 'Beispiel' } };
  assert.deepEqual(resolved([policy], { client_name: 'Example' }), {
    client_name: 'Example',
    'client_name#de': 'Beispiel',
  });
});

// proves openid-federation-6.1.3.1.8-1
test('operators process scope as an array, and the result is a string (§6.1.3.1.8)', () => {
  const subset = { scope: { subset_of: ['openid', 'email'], superset_of: ['openid'] } };
  assert.deepEqual(resolved([subset], { scope: 'email phone openid' }), { scope: 'email openid' });
  assert.equal(resolved([subset], { scope: 'email' }), 'policy_violated');
  assert.deepEqual(resolved([{ scope: { default: 'openid email' } }], {}), { scope: 'openid email' });
  assert.deepEqual(resolved([{ scope: { default: ['openid', 'email'] } }], {}), { scope: 'openid email' });
  assert.deepEqual(resolved([{ scope: { value: 'openid' } }], { scope: 'x' }), { scope: 'openid' });
  assert.deepEqual(resolved([{ scope: { add: ['openid'] } }], { scope: 'email' }), { scope: 'email openid' });
  assert.deepEqual(resolved([{ scope: { subset_of: ['openid'] } }], { scope: 'email' }), { scope: '' });
  assert.deepEqual(mergedPolicy({ scope: { value: 'a b' } }, { scope: { value: ['a', 'b'] } }), {
    scope: { value: ['a', 'b'] },
  });
  assert.deepEqual(resolved([{ scope: {} }], { scope: 'a  b' }), { scope: 'a b' });
});

// proves openid-federation-6.1.3.2-1
test('an unknown operator is ignored and recorded (§6.1.3.2; H-210)', () => {
  const chain = chainOf([{ [ENTITY_TYPE]: { a: { regexp: '^x', one_of: ['b'] } } }]);
  assert.ok(chain.ok);
  assert.deepEqual(membersOf(chain.policy), { a: { one_of: ['b'] } });
  assert.deepEqual(chain.policy.ignored, [{ entity_type: ENTITY_TYPE, parameter: 'a', operator: 'regexp' }]);
});

// proves openid-federation-6.1.3.2-1
test('an unknown operator that any statement calls critical makes the chain invalid (§6.1.3.2; H-210)', () => {
  const chain = chainOf([{ [ENTITY_TYPE]: { a: { regexp: '^x' } } }, { [ENTITY_TYPE]: {} }], ['regexp']);
  assert.ok(!chain.ok);
  assert.equal(chain.problem.code, 'policy_crit');
  assert.equal(chain.problem.operator, 'regexp');
  assert.equal(chain.issuer, 'https://superior-0.example');
});

// proves openid-federation-6.1.2-1
test('each of the three levels of a policy must be an object (§6.1.2)', () => {
  for (const claim of [
    null,
    [],
    'x',
    1,
    { [ENTITY_TYPE]: [] },
    { [ENTITY_TYPE]: { a: 'x' } },
    { [ENTITY_TYPE]: { a: null } },
  ]) {
    const chain = chainOf([claim]);
    assert.ok(!chain.ok, JSON.stringify(claim));
    assert.equal(chain.problem.code, 'policy_form');
  }
});

test('__proto__ and constructor are parameters like all others (H-211)', () => {
  const policy = JSON.parse('{"__proto__":{"value":{"polluted":true}},"constructor":{"value":"x"}}');
  const { metadata, problem } = applied([policy], {});
  assert.equal(problem, undefined);
  assert.deepEqual([...(metadata.get(ENTITY_TYPE)?.keys() ?? [])], ['__proto__', 'constructor']);
  assert.equal(Reflect.get({}, 'polluted'), undefined);
  assert.equal(mergedPolicy({ a: JSON.parse('{"__proto__":1,"toString":2}') }) instanceof Object, true);
});

test('every operator records its value before and after, and the last step has the problem', () => {
  const { steps, problem } = applied(
    [{ contacts: { add: ['b'], subset_of: ['a', 'b'], superset_of: ['a', 'b'] } }],
    { contacts: ['x'] },
  );
  assert.deepEqual(
    steps.map(({ operator, before, after }) => [operator, before, after]),
    [
      ['add', ['x'], ['x', 'b']],
      ['subset_of', ['x', 'b'], ['b']],
      ['superset_of', ['b'], ['b']],
    ],
  );
  assert.equal(steps.at(-1)?.problem, 'lists a value that the parameter lacks');
  assert.deepEqual(problem, {
    code: 'policy_violated',
    entity_type: ENTITY_TYPE,
    parameter: 'contacts',
    operator: 'superset_of',
    words: 'superset_of lists a value that the parameter lacks',
  });
});
