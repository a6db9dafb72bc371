import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ISSUER, testTenant } from '../../testing/tenant.ts';
import { ISSUER_RELATION } from './contract.ts';

const DOMAINS = { 'webfinger.domains': ['example.com', 'intranet.example:8443'] };
const LINK = { rel: ISSUER_RELATION, href: ISSUER };

const asked = (resource: string, ...rels: readonly string[]): { readonly query: string } => ({
  query: String(new URLSearchParams([['resource', resource], ...rels.map((rel) => ['rel', rel])])),
});

suite('GET /.well-known/webfinger', () => {
  const tenant = testTenant({ settings: DOMAINS });

  // proves rfc7033-4.2-1, rfc7033-4.4-1, rfc7033-5-1, rfc7033-10.2-1
  test('200: an account of a domain leads to the issuer, for scripts of every origin (OpenID Connect Discovery 1.0 §2)', async () => {
    const { status, headers, json } = await tenant.send(
      'webfinger',
      asked('acct:joe@example.com', ISSUER_RELATION),
    );
    assert.deepEqual([status, headers['content-type']], [200, 'application/jrd+json']);
    assert.deepEqual(json, { subject: 'acct:joe@example.com', links: [LINK] });
    const { contract } = await tenant.endpoint('webfinger');
    assert.equal(contract.cors, 'any');
  });

  for (const resource of [
    'acct:joe%40example.org@example.com',
    'acct:joe@EXAMPLE.com',
    'acct:joe@intranet.example:8443',
    'https://example.com',
    'https://example.com:443/joe?x#y',
    'HTTPS://Example.com/joe',
  ])
    test(`200: ${resource} is at a domain of the settings`, async () => {
      const { status, json } = await tenant.send('webfinger', asked(resource));
      assert.deepEqual([status, json], [200, { subject: resource, links: [LINK] }]);
    });

  // proves rfc7033-4.3-1
  test('200: another relation has no links, and one of several is enough (RFC 7033 §4.3)', async () => {
    const other = await tenant.send(
      'webfinger',
      asked('acct:joe@example.com', 'http://webfinger.net/rel/avatar'),
    );
    assert.deepEqual(other.json['links'], []);
    const several = await tenant.send('webfinger', asked('acct:joe@example.com', 'author', ISSUER_RELATION));
    assert.deepEqual(several.json['links'], [LINK]);
  });

  for (const resource of [
    'acct:joe@example.org',
    'acct:joe@example.com.evil.example',
    'acct:joe@notexample.com',
    'acct:joe@example.com:8443',
    'https://example.org/joe@example.com',
    'https://example.com@evil.example/',
    'https://example.com:8443/',
  ]) {
    // proves rfc7033-4.2-3
    test(`404: ${resource} is at a foreign domain (H-670)`, async () => {
      assert.equal((await tenant.send('webfinger', asked(resource))).status, 404);
    });
  }

  for (const query of [
    '',
    'resource=',
    'resource=joe@example.com',
    'resource=acct:joe',
    'resource=acct:@example.com',
    'resource=acct:a@b@example.com',
    'resource=acct:joe@exa%20mple.com',
    'resource=http://example.com/joe',
    'resource=mailto:joe@example.com',
    'resource=https://',
    'resource=https://example.com%5c@evil.example',
    'resource=acct:a@example.com&resource=acct:b@example.com',
    'resource=%zz',
    `resource=acct:${'x'.repeat(513)}@example.com`,
  ]) {
    // proves rfc7033-4.2-2
    test(`400 invalid_request: ${query.slice(0, 60) || 'no resource'} (RFC 7033 §4.2; H-671)`, async () => {
      const { status, json } = await tenant.send('webfinger', { query });
      assert.deepEqual([status, json['error']], [400, 'invalid_request']);
    });
  }

  test('500: a fault of the server has no body', async () => {
    const endpoint = await tenant.endpoint('webfinger');
    const broken = {
      ...endpoint,
      handle: () => {
        throw new Error('broken');
      },
    };
    const { status, body } = await tenant.ask(broken, asked('acct:joe@example.com'));
    assert.deepEqual([status, body], [500, '']);
  });

  test('without webfinger.domains there is no such endpoint', async () => {
    const { endpoints } = await testTenant().site();
    assert.equal(
      endpoints.some(({ contract: { name } }) => name === 'webfinger'),
      false,
    );
  });
});
