import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertError } from '../../testing/exchange.ts';
import {
  clientInformationOf,
  INTROSPECTION_SCOPE,
  MASTER,
  SERVICE,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const RESOURCE = 'https://rs.example/api';
const RESOURCE_SERVER = { ...SERVICE, scope: INTROSPECTION_SCOPE };

interface Callers {
  readonly tenant: TestTenant;
  /** Whether a token of this audience is told to: a caller of no resource; one that is RESOURCE; a bearer of its token. */
  readonly told: (audience: readonly string[] | undefined) => Promise<readonly boolean[]>;
  readonly names: readonly string[];
}

async function callers(audience: 'any' | 'match'): Promise<Callers> {
  const tenant = testTenant({ settings: { 'introspection.audience': audience } });
  const plain = await tenant.register(RESOURCE_SERVER);
  const owner = await tenant.register({ ...RESOURCE_SERVER, resource_identifiers: ['urn:x', RESOURCE] });
  const bearer = await tenant.authorize({ client_id: owner.client_id, scope: [INTROSPECTION_SCOPE] });
  const told: Callers['told'] = async (aud) => {
    const request = { client_id: plain.client_id, scope: ['read'] };
    const token = await tenant.authorize(aud === undefined ? request : { ...request, audience: aud });
    const form = { token };
    const answers = [
      await tenant.send('introspection', { basic: [plain.client_id, plain.client_secret], form }),
      await tenant.send('introspection', { basic: [owner.client_id, owner.client_secret], form }),
      await tenant.send('introspection', { bearer, form }),
    ];
    for (const { json, body } of answers) assert.ok(json['active'] === true || body === '{"active":false}');
    return answers.map(({ json }) => json['active'] === true);
  };
  return { tenant, told, names: [plain.client_id, owner.client_id] };
}

// proves rfc7662-4-4
test('introspection.audience any: a token is told to every caller, whatever its aud (decision 26)', async () => {
  const { told } = await callers('any');
  assert.deepEqual(await told(['https://other.example']), [true, true, true]);
});

// proves rfc7662-4-4, rfc9701-5-7
test('introspection.audience match: aud names the caller’s client_id or one of its resources, or the token is inactive (decision 26; RFC 7662 §4)', async () => {
  const { told, names } = await callers('match');
  const [plain = '', owner = ''] = names;
  assert.deepEqual(await told(undefined), [true, true, true]);
  assert.deepEqual(await told([RESOURCE]), [false, true, true]);
  assert.deepEqual(await told(['https://other.example', 'urn:x']), [false, true, true]);
  assert.deepEqual(await told([plain]), [true, false, false]);
  assert.deepEqual(await told(['https://other.example', owner]), [false, true, true]);
  assert.deepEqual(await told(['https://other.example']), [false, false, false]);
  assert.deepEqual(await told([`${RESOURCE}/`]), [false, false, false]);
  assert.deepEqual(await told([RESOURCE.toUpperCase()]), [false, false, false]);
});

test('resource_identifiers: absolute URIs without fragment, and a privilege as data is: nobody names himself a resource (RFC 8707 §2)', async () => {
  const tenant = testTenant();
  for (const value of [
    'x',
    [],
    [''],
    ['x'],
    ['https://rs.example/#a'],
    ['/a'],
    [1],
    [RESOURCE, RESOURCE],
    {},
  ]) {
    const json = { ...SERVICE, resource_identifiers: value };
    const answered = await tenant.send('client-registration', { bearer: MASTER, json });
    if (Array.isArray(value) && value.length === 0) assert.equal(answered.status, 200);
    else assertError(answered, 'invalid_client_metadata', /^resource_identifiers /);
  }
  const json = { ...SERVICE, resource_identifiers: [RESOURCE] };
  const poor = await tenant.initialToken('client-reg:grant:client');
  const refused = await tenant.send('client-registration', { bearer: poor, json });
  assertError(refused, 'insufficient_scope');
  const rich = await tenant.initialToken('client-reg:grant:client', 'client-reg:data');
  const client = clientInformationOf(await tenant.send('client-registration', { bearer: rich, json }));
  assert.deepEqual(client.members['resource_identifiers'], [RESOURCE]);
});
