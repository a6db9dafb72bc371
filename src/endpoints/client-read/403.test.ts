import { test } from 'node:test';
import { assertMissingScopes } from '../test-exchange.ts';
import { INTROSPECTION_SCOPE, testTenant, WEB_CLIENT } from '../test-tenant.ts';

test('GET /clients/{id} with an initial access token, even of client-reg: 403 insufficient_scope (decision 6)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const bearer = await tenant.initialToken('client-reg');
  assertMissingScopes(await tenant.send('read', { bearer, id: client_id }), 'client-reg');
});

test('GET with an ordinary access token of this very client: 403 insufficient_scope (decision 6)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const bearer = await tenant.authorize({ client_id, scope: [INTROSPECTION_SCOPE] });
  assertMissingScopes(await tenant.send('read', { bearer, id: client_id }), 'client-reg');
});

test('GET with an access token tells nothing of whether the id exists: 403 as well', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  assertMissingScopes(await tenant.send('read', { bearer, id: 'nobody' }), 'client-reg');
});
