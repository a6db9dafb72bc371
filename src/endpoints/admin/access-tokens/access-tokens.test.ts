import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  listed,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import { peopleWorld } from '../../../testing/admin-people.ts';
import { RELYING_PARTY } from '../../../testing/person.ts';
import { ADMIN, SERVICE, testTenant } from '../../../testing/tenant.ts';
import { tokensFor } from '../../../testing/userinfo.ts';

interface Listed {
  readonly token_id: string;
  readonly sub: string;
  readonly [member: string]: unknown;
}

const list = listed<Listed>('admin-access-token-list');

const oneToken: OperationRequest = async (tenant) => {
  const { sub } = await peopleWorld(tenant);
  return { segments: { token_id: (await list(tenant, `sub=${sub}`))[0]?.token_id ?? '' } };
};

testAdminOperation('admin-access-token-list', () => ({}));
testAdminOperation('admin-access-token-revoke', oneToken);
testAdminDryRun('admin-access-token-revoke', oneToken, list);

test('200: GET /admin/v1/access-tokens has the tokens of a subject or a client in both formats, and never a token', async () => {
  const tenant = testTenant();
  const { client, sub, tokens, ada } = await peopleWorld(tenant);
  const service = await tenant.register({ ...SERVICE, scope: 'read' });
  const basic = [service.client_id, service.client_secret] as const;
  await tenant.send('token', { basic, form: { grant_type: 'client_credentials' } });
  const jwts = await tenant.register({
    ...RELYING_PARTY,
    subject_type: 'pairwise',
    chancery_access_token: { format: 'self-contained' },
  });
  const { access_token: jwt } = await tokensFor(tenant, ada, jwts);
  const found = async (query: string): Promise<number> => (await list(tenant, query)).length;
  assert.equal(await found(''), 3);
  assert.equal(await found(`sub=${sub}`), 2, 'a pairwise token is listed under its account');
  assert.equal(await found(`client_id=${service.client_id}`), 1);
  assert.equal(await found(`client_id=${client.client_id}&sub=${sub}`), 1);
  const { body } = await tenant.send('admin-access-token-list', { bearer: ADMIN });
  for (const token of [tokens['access_token'], jwt]) {
    assert.ok(!body.includes(String(token)));
    // The signature, and the random part of an identifier.
    assert.ok(!body.includes(String(token).slice(12, 40)));
  }
});

test('204: POST /admin/v1/access-tokens/{token_id}/revoke revokes one token, and its grant goes on; a second time answers 404', async () => {
  const tenant = testTenant();
  const { client, tokens, sub } = await peopleWorld(tenant);
  const segments = { token_id: (await list(tenant, `sub=${sub}`))[0]?.token_id ?? '' };
  assert.equal((await tenant.send('admin-access-token-revoke', { bearer: ADMIN, segments })).status, 204);
  assert.deepEqual(await tenant.introspect(String(tokens['access_token'])), { active: false });
  const refreshed = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) },
  });
  assert.equal(refreshed.status, 200, refreshed.body);
  assertProblem(
    await tenant.send('admin-access-token-revoke', { bearer: ADMIN, segments }),
    404,
    'not_found',
  );
  const events = await tenant.unwatched.audit.page(0, 100);
  const event = events.find(({ action, outcome }) => action === 'token.revoke' && outcome === 'done');
  assert.equal(event?.sub, sub);
});

test('H-537: an access token or an initial access token in place of the id is answered with 404', async () => {
  const tenant = testTenant();
  const { tokens } = await peopleWorld(tenant);
  const initial = await tenant.initialToken('client-reg');
  const [stored] = await tenant.unwatched.accessTokens.pageInitial(undefined, 1);
  for (const token_id of [String(tokens['access_token']), initial, stored?.key ?? ''])
    assertProblem(
      await tenant.send('admin-access-token-revoke', { bearer: ADMIN, segments: { token_id } }),
      404,
      'not_found',
    );
});
