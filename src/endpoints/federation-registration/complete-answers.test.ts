import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataOf } from '../../clients/registered-client.ts';
import type { JsonMembers } from '../../federation/json-value.ts';
import { openPages } from '../../pages/liquid-pages.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import {
  ANCHOR,
  answered,
  federatedTenant,
  METADATA,
  ORG,
  REDIRECT_URI,
  RP,
  requestStatement,
} from '../../testing/federated-tenant.ts';
import { resolved } from '../../testing/metadata-policy.ts';
import { pageClient } from '../page-client.ts';

const FORM = { action: '/interaction', form_token: 'token' };

/** Policies whose parameters this server does not know, does not store, or stores. */
const POLICY = {
  organization_name: { value: 'The federation' },
  client_registration_types: { essential: true, superset_of: ['explicit'] },
  software_grade: { default: 'gold' },
  request_uris: { add: ['https://rp.example/request'] },
  contacts: { subset_of: ['a@rp.example'] },
};

const SUBMITTED = {
  ...METADATA,
  client_registration_types: ['explicit'],
  contacts: ['a@rp.example', 'b@rp.example'],
};

// proves openid-federation-12.2.5-1
test('200: what the policy sets or demands is in the answer of both dialects, so that the policies applied to it change nothing (OpenID Federation 1.0 §12.2.3, §12.2.5; decision 34)', async () => {
  const tenant = await federatedTenant();
  const metadata_policy = { openid_relying_party: POLICY };
  tenant.federation.join(ORG, [ANCHOR], {}, { metadata_policy });
  const final = answered(await tenant.postFinal(requestStatement(SUBMITTED))).registered;
  const { claims, registered } = answered(await tenant.post(requestStatement(SUBMITTED)));
  for (const answer of [final, registered]) {
    assert.deepEqual(resolved([POLICY], answer), answer);
    assert.deepEqual(
      [answer['organization_name'], answer['client_registration_types'], answer['software_grade']],
      ['The federation', ['explicit'], 'gold'],
    );
  }
  const { openid_relying_party: difference } = claims['metadata_policy'] as Record<string, JsonMembers>;
  assert.deepEqual(difference?.['organization_name'], { value: 'The federation' });
  assert.deepEqual(difference?.['software_grade'], { value: 'gold' });
  assert.equal(difference?.['client_registration_types'], undefined);
});

test('200: the answer has what the immediate superior states, and no secret that a superior states (OpenID Federation 1.0 §3.1.1)', async () => {
  const tenant = await federatedTenant();
  const openid_relying_party = { software_grade: 'silver', client_secret: 'of the superior' };
  tenant.federation.state(ORG, RP, { metadata: { openid_relying_party } });
  const { registered } = answered(await tenant.postFinal(requestStatement()));
  assert.deepEqual([registered['software_grade'], registered['client_secret']], ['silver', undefined]);
});

// proves openid-federation-12.2.5-1
test('200: the entity types that the relying party sends are those of the answer, after their policies (OpenID Federation 1.0 §12.2.5)', async () => {
  const tenant = await federatedTenant();
  const metadata_policy = { federation_entity: { organization_name: { value: 'The federation' } } };
  tenant.federation.join(ORG, [ANCHOR], {}, { metadata_policy });
  const metadata = {
    openid_relying_party: METADATA,
    federation_entity: { organization_name: 'The member', contacts: ['a@rp.example'] },
  };
  for (const contentType of ['application/jose', 'application/entity-statement+jwt']) {
    const { claims } = answered(await tenant.post(requestStatement(METADATA, { metadata }), { contentType }));
    const { openid_relying_party: _, ...others } = claims['metadata'] as JsonMembers;
    const expected = { organization_name: 'The federation', contacts: ['a@rp.example'] };
    assert.deepEqual(others, { federation_entity: expected });
  }
});

/** The metadata of the entity as a member of the federation. */
const ENTITY = {
  display_name: 'Portal',
  'display_name#de': 'Pforte',
  organization_name: 'University',
  logo_uri: 'https://rp.example/logo.png',
  policy_uri: 'https://rp.example/policy',
  information_uri: 'https://rp.example/about',
  contacts: ['a@rp.example'],
  keywords: ['research'],
  unknown: 'x',
};

async function registeredWith(
  federation_entity: object,
  openid_relying_party: object,
): Promise<StoredClient> {
  const tenant = await federatedTenant();
  const metadata = { openid_relying_party, federation_entity };
  const { registered } = answered(await tenant.post(requestStatement(METADATA, { metadata })));
  const stored = await tenant.storage.clients.find(registered['client_id'] as never);
  assert.ok(stored !== undefined);
  return stored;
}

test('200: what a member says in federation_entity is registered where its metadata as a client lacks it (OpenID Federation 1.0 §5.2.2)', async () => {
  const { client_name: _, ...nameless } = METADATA;
  const { unknown: __, ...known } = ENTITY;
  const stored = metadataOf(await registeredWith(ENTITY, nameless));
  for (const [member, value] of Object.entries(known)) assert.deepEqual(stored[member], value, member);
  assert.deepEqual(
    [stored['client_name'], stored['client_name#de'], stored['client_uri'], stored['unknown']],
    ['Portal', 'Pforte', 'https://rp.example/about', undefined],
  );
});

test('200: the client’s own name and logo win, in each language, and an informational value of the wrong form is dropped (OpenID Federation 1.0 §5.2.2; decision 42)', async () => {
  const own = { ...METADATA, logo_uri: 'https://rp.example/own.png', keywords: 7 };
  const entity = { ...ENTITY, policy_uri: 'javascript:alert(1)', organization_name: 7 };
  const stored = metadataOf(await registeredWith(entity, own));
  assert.deepEqual(
    ['client_name', 'client_name#de', 'logo_uri', 'policy_uri', 'organization_name'].map(
      (name) => stored[name],
    ),
    ['Relying party', undefined, 'https://rp.example/own.png', undefined, undefined],
  );
});

test('the consent page shows name, organisation and policy of a federated client as its federation_entity has them, in the person’s language (OpenID Federation 1.0 §5.2.2)', async () => {
  const { client_name: _, ...nameless } = METADATA;
  const stored = await registeredWith(ENTITY, nameless);
  const client = pageClient(stored, REDIRECT_URI, ['de']);
  const page = {
    kind: 'consent',
    client,
    form: FORM,
    username: 'ada',
    scope: [],
    claims: [],
    resources: [],
  } as const;
  const html = openPages('/assets/', undefined).render(page, ['de']);
  for (const shown of [
    '<strong>Pforte</strong>',
    'Betrieben von University.',
    'href="https://rp.example/policy"',
  ])
    assert.ok(html.includes(shown), html);
  const stranger = pageClient({ ...stored, registered_via: 'open' }, REDIRECT_URI, ['de']);
  assert.equal(stranger.organization, undefined);
});
