import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withSetSigner } from '../clients/client-keys/key-source.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import { aClient } from '../testing/storage/stored-examples.ts';
import { testTenant } from '../testing/tenant.ts';
import { printClient } from './client-display.ts';

const METADATA: ClientMetadata = {
  grant_types: ['authorization_code'],
  response_types: ['code'],
  application_type: 'web',
  token_endpoint_auth_method: 'private_key_jwt',
  signed_jwks_uri: 'https://rp.example/jwks.jwt',
};

test('chancery clients show has signed_jwks_uri, and not the keys that verify the set (ADR 63)', async () => {
  const metadata = withSetSigner(METADATA, {
    entity_id: 'https://rp.example',
    keys: [{ kty: 'EC', kid: 'key of the federation' }],
  });
  const client = aClient({ metadata: JSON.stringify(metadata) });
  const needs = await testTenant().registry();
  for (const json of [true, false]) {
    const printed: string[] = [];
    const context = { print: (line: string) => printed.push(line) } as never;
    await printClient(needs, client, { json, secrets: false }, context);
    assert.match(printed.join('\n'), /https:\/\/rp\.example\/jwks\.jwt/);
    assert.doesNotMatch(printed.join('\n'), /signer|key of the federation/);
  }
});
