import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ChanceryError, type Client, createClient } from '../../src/client/client.ts';
import { type Program, startProgram } from '../program/start.ts';

let program: Program;
let operator: Client;

before(async () => {
  program = await startProgram({ mode: 'dev', issuerPath: '/c2' });
  operator = createClient({ issuer: program.issuer, credentials: { bearer: program.masterToken } });
});
after(async () => await program.stop());

async function refusal(answer: Promise<unknown>): Promise<ChanceryError> {
  const failure: unknown = await answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  return failure instanceof ChanceryError ? failure : assert.fail(String(failure));
}

test('the typed client registers, reads and updates a client, introspects and revokes its token, lists and deletes it', async () => {
  const scope = `read ${program.issuer}/token/introspect`;
  const registered = await operator.register({ grant_types: ['client_credentials'], scope });
  const { client_id: id, registration_access_token: bearer = '' } = registered;
  const self = operator.as({ bearer });
  assert.equal((await self.clientRead({ id })).client_secret, registered.client_secret);
  const updated = await self.clientUpdate({
    id,
    body: { grant_types: ['client_credentials'], scope, client_name: 'Updated' },
  });
  assert.equal(updated.client_name, 'Updated');
  assert.equal((await refusal(self.clientRead({ id }))).error, 'invalid_token');

  const { client_secret = '' } = updated;
  const service = operator.as({ client_id: id, client_secret });
  const { access_token: token, expires_in } = await service.token({
    form: { grant_type: 'client_credentials', scope: 'read' },
  });
  assert.ok(expires_in > 0);
  const { active, client_id, iss } = await service.introspect(token);
  assert.deepEqual([active, client_id, iss], [true, id, program.issuer]);
  assert.equal(await service.revocation({ form: { token } }), undefined);
  assert.deepEqual(await service.introspect(token), { active: false });

  const other = await operator.register({ redirect_uris: ['https://rp.example/cb'] });
  const listed = await Array.fromAsync(operator.clients(1), ({ client_id: each }) => each);
  assert.deepEqual(listed.toSorted(), [id, other.client_id].toSorted());
  assert.equal(await operator.clientDelete({ id }), undefined);
  assert.equal((await refusal(operator.clientRead({ id }))).status, 404);
  assert.equal(
    (await refusal(service.token({ form: { grant_type: 'client_credentials' } }))).error,
    'invalid_client',
  );
});

test('the typed client checks a registration without storing it, and a refused check names each mistake', async () => {
  const before = (await operator.clientList()).length;
  const { missing_scopes, metadata, warnings } = await operator.check({
    redirect_uris: ['https://rp.example/cb'],
  });
  assert.deepEqual([missing_scopes, metadata.redirect_uris], [[], ['https://rp.example/cb']]);
  assert.ok(warnings.length > 0);
  const refused = await refusal(operator.check({ redirect_uris: ['https://rp.example/cb', 'https://a b'] }));
  assert.equal(refused.error, 'invalid_redirect_uri');
  const { mistakes } = refused.body as { readonly mistakes: readonly { readonly index: number }[] };
  assert.deepEqual(
    mistakes.map(({ index }) => index),
    [1],
  );
  assert.equal((await operator.clientList()).length, before);
});

test('the typed client reads the public documents of a server: metadata, keys, and its API description', async () => {
  const anyone = operator.as(undefined);
  const { issuer, token_endpoint } = await anyone.openidConfiguration();
  assert.deepEqual([issuer, token_endpoint], [program.issuer, `${program.issuer}/token`]);
  assert.ok((await anyone.jwkSet()).keys.length > 0);
  assert.equal((await anyone.openApi())['openapi'], '3.1.1');
});
