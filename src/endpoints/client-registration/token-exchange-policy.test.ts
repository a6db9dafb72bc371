import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKEN_EXCHANGE_GRANT } from '../../spec/grant-types.ts';
import { assertError, assertMissingScopes } from '../../testing/exchange.ts';
import { ADMIN, MASTER } from '../../testing/tenant.ts';
import { exchange, exchanger, exchangeTenant, LEDGER, tokenOfService } from '../../testing/token-exchange.ts';

const tenant = exchangeTenant();
const METADATA = { grant_types: [TOKEN_EXCHANGE_GRANT], scope: 'read', resource_identifiers: ['urn:gate'] };
const POLICY = {
  audiences: [LEDGER],
  scope: 'read',
  subject_clients: ['app'],
  subject_issuers: ['https://idp.example'],
  actors: ['agent'],
  impersonation: true,
  lifetime: 60,
  id_jag: [{ audience: 'https://chat.example', client_id: 'x', resources: ['urn:chat'], scope: 'chat.read' }],
};

test('a registration keeps its policy for exchanges as it was sent', async () => {
  const { members } = await tenant.register({ ...METADATA, chancery_token_exchange: POLICY });
  assert.deepEqual(members['chancery_token_exchange'], POLICY);
});

const REFUSED: readonly (readonly [unknown, RegExp])[] = [
  ['x', /must be a JSON object/],
  [[LEDGER], /must be a JSON object/],
  [{ audience: LEDGER }, /has the unknown member audience; allowed: audiences, scope/],
  [{ audiences: LEDGER }, /has a member audiences that must be an array of strings/],
  [{ audiences: [LEDGER, ''] }, /has a member audiences\[1\] that must not be empty/],
  [{ audiences: [LEDGER], scope: 'a\tb' }, /has a member scope that must be scope values/],
  [{ audiences: [LEDGER], lifetime: 0 }, /has a member lifetime that must be a whole number of seconds/],
  [{ audiences: [LEDGER], impersonation: 'yes' }, /has a member impersonation that must be true or false/],
  [{ id_jag: {} }, /has a member id_jag that must be an array of objects/],
  [{ id_jag: [{ scope: 'x' }] }, /has a member id_jag\[0\] that must have audience/],
  [{ id_jag: Array.from({ length: 21 }, () => ({ audience: 'x' })) }, /has more than 20 values/],
];

test('a policy for exchanges of another form is 400 invalid_client_metadata, which names the member', async () => {
  for (const [policy, words] of REFUSED) {
    const json = { ...METADATA, chancery_token_exchange: policy };
    assertError(
      await tenant.send('client-registration', { bearer: MASTER, json }),
      'invalid_client_metadata',
      words,
    );
  }
});

test('an initial access token of the grant alone permits no policy: 403 insufficient_scope', async () => {
  const bearer = await tenant.initialToken('client-reg:grant:exchange', 'client-reg:scope:read');
  const { resource_identifiers: _, ...plain } = METADATA;
  const json = { ...plain, chancery_token_exchange: POLICY };
  assertMissingScopes(await tenant.send('client-registration', { bearer, json }), 'client-reg');
  assert.equal((await tenant.send('client-registration', { bearer, json: plain })).status, 200);
});

test('an operator changes the policy over the administration API, and the next exchange follows it', async () => {
  const client = await exchanger(tenant, { audiences: ['urn:first'] });
  const subject = await tokenOfService(tenant);
  const form = { audience: LEDGER };
  assertError(await exchange(tenant, client, subject, form), 'invalid_target');
  const changed = await tenant.send('admin-client-patch', {
    segments: { client_id: client.client_id },
    bearer: ADMIN,
    headers: { 'if-match': '*' },
    json: { metadata: { chancery_token_exchange: { audiences: [LEDGER] } } },
  });
  assert.equal(changed.status, 200, changed.body);
  assert.equal((await exchange(tenant, client, subject, form)).status, 200);
});
