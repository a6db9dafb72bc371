import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testInsufficientScope } from '../../testing/client-refusals.ts';
import { assertMissingScopes } from '../../testing/exchange.ts';
import {
  clientInformationOf,
  INTROSPECTION_SCOPE,
  MASTER,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

testInsufficientScope('update');

const REGISTERED = ['open', 'master', 'initial'] as const;
const WIDER: readonly (readonly [json: object, missing: string])[] = [
  [{ ...WEB_CLIENT, grant_types: ['authorization_code', 'client_credentials'] }, 'client-reg:grant:client'],
  [{ ...WEB_CLIENT, grant_types: ['password', 'authorization_code'] }, 'client-reg:grant:password'],
  [{ ...WEB_CLIENT, scope: INTROSPECTION_SCOPE }, 'client-reg:scope'],
  [{ ...WEB_CLIENT, data: {} }, 'client-reg:data'],
  [{ ...WEB_CLIENT, preferred_client_id: 'app' }, 'client-reg:set-id'],
  [{ ...WEB_CLIENT, preferred_client_secret: 'a-secret-of-32-printable-letters' }, 'client-reg:set-secret'],
];

for (const kind of REGISTERED) {
  for (const [json, missing] of WIDER) {
    // proves rfc7592-2.1-3
    test(`a client registered by ${kind} cannot widen itself by ${missing}: 403, and nothing changes (decision 8)`, async () => {
      const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
      const initial = await tenant.initialToken(
        'client-reg:grant:code',
        'client-reg:set-id',
        'client-reg:set-secret',
      );
      const bearers = { open: {}, master: { bearer: MASTER }, initial: { bearer: initial } };
      const client = clientInformationOf(
        await tenant.send('client-registration', { ...bearers[kind], json: WEB_CLIENT }),
      );
      const own = { bearer: client.registration_access_token, id: client.client_id };
      assertMissingScopes(await tenant.send('client-update', { ...own, json }), missing);
      assert.deepEqual((await tenant.send('client-read', own)).json, client.members);
    });
  }
}

test('scope values are remembered one by one: 403 names those that were never allowed (decision 8)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken(
    'client-reg:grant:code',
    'client-reg:scope:openid',
    'client-reg:scope:email',
  );
  const json = { ...WEB_CLIENT, scope: 'openid' };
  const client = clientInformationOf(await tenant.send('client-registration', { bearer, json }));
  const request = { bearer: client.registration_access_token, id: client.client_id };
  const wider = { ...WEB_CLIENT, scope: 'openid email phone address' };
  assertMissingScopes(
    await tenant.send('client-update', { ...request, json: wider }),
    'client-reg:scope:phone client-reg:scope:address',
  );
  const allowed = await tenant.send('client-update', {
    ...request,
    json: { ...WEB_CLIENT, scope: 'openid email' },
  });
  assert.equal(allowed.status, 200);
});

test('what the master token took away, the client cannot take back (decision 8)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  const wide = { ...WEB_CLIENT, scope: 'read' };
  const { client_id: id } = clientInformationOf(
    await tenant.send('client-registration', { bearer, json: wide }),
  );
  const narrowed = clientInformationOf(
    await tenant.send('client-update', { bearer: MASTER, id, json: WEB_CLIENT }),
  );
  const again = { bearer: narrowed.registration_access_token, id, json: wide };
  assertMissingScopes(await tenant.send('client-update', again), 'client-reg:scope');
});

test('the used-up initial access token does not update what it registered: 401 rather than 403 (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  const { client_id: id } = clientInformationOf(
    await tenant.send('client-registration', { bearer, json: WEB_CLIENT }),
  );
  assert.equal((await tenant.send('client-update', { bearer, id, json: WEB_CLIENT })).status, 401);
});
