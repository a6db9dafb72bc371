import assert from 'node:assert/strict';
import { createHmac, createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { sessionFor, subjectFor } from './pairwise-subject.ts';

const SECRET = createSecretKey(Buffer.alloc(32, 7));
const PAIRWISE: ClientMetadata = {
  grant_types: ['authorization_code'],
  response_types: ['code'],
  application_type: 'web',
  token_endpoint_auth_method: 'client_secret_basic',
  subject_type: 'pairwise',
  redirect_uris: ['https://rp.example/cb'],
};
const SECTOR = 'https://sector.example/uris.json';

// proves openid-core-8-1
test('a public subject is the same for every client (OpenID Connect Core 1.0 §8)', () => {
  const { subject_type: _, ...without } = PAIRWISE;
  assert.equal(subjectFor({ ...PAIRWISE, subject_type: 'public' }, 'alice', SECRET), 'alice');
  assert.equal(subjectFor(without as ClientMetadata, 'alice', SECRET), 'alice');
});

// proves openid-core-2-2, openid-core-8.1-3
test('a pairwise subject is a keyed hash of sector and end-user, at most 255 ASCII characters (OpenID Connect Core 1.0 §8.1, §2)', () => {
  const subject = subjectFor(PAIRWISE, 'alice', SECRET);
  assert.match(subject, /^[A-Za-z0-9_-]{43}$/);
  assert.equal(subject, createHmac('sha256', SECRET).update('rp.example\0alice').digest('base64url'));
  assert.equal(subjectFor(PAIRWISE, 'alice', SECRET), subject);
});

// proves openid-core-8-1, openid-core-8.1-3
test('the pairwise subject changes with the end-user, the sector and the secret (OpenID Connect Core 1.0 §8.1)', () => {
  const other = { ...PAIRWISE, redirect_uris: ['https://other.example/cb'] };
  const subjects = new Set([
    subjectFor(PAIRWISE, 'alice', SECRET),
    subjectFor(PAIRWISE, 'bob', SECRET),
    subjectFor(other, 'alice', SECRET),
    subjectFor(PAIRWISE, 'alice', createSecretKey(Buffer.alloc(32, 8))),
    subjectFor({ ...PAIRWISE, sector_identifier_uri: SECTOR }, 'alice', SECRET),
  ]);
  assert.equal(subjects.size, 5);
});

// proves openid-core-8.1-2
test('clients of one sector get the same subject: only the host counts, in lower case, without port and path', () => {
  const subject = subjectFor(PAIRWISE, 'alice', SECRET);
  for (const uri of ['https://RP.example:8443/other?a=b', 'https://rp.example/']) {
    assert.equal(subjectFor({ ...PAIRWISE, redirect_uris: [uri] }, 'alice', SECRET), subject);
  }
  const shared = { ...PAIRWISE, sector_identifier_uri: SECTOR, redirect_uris: ['https://a.example/cb'] };
  const second = { ...shared, redirect_uris: ['https://b.example/cb', 'https://c.example/cb'] };
  assert.equal(subjectFor(shared, 'alice', SECRET), subjectFor(second, 'alice', SECRET));
});

test('clients of two sectors get different identifiers of one session; clients with public subjects get its own (OpenID Connect Core 1.0 §17.3)', () => {
  const other = { ...PAIRWISE, redirect_uris: ['https://other.example/cb'] };
  const names = new Set([
    sessionFor(PAIRWISE, 'alice', SECRET),
    sessionFor(PAIRWISE, 'bob', SECRET),
    sessionFor(other, 'alice', SECRET),
    subjectFor(PAIRWISE, 'alice', SECRET),
    'alice',
  ]);
  assert.equal(names.size, 5);
  assert.match(sessionFor(PAIRWISE, 'alice', SECRET), /^[A-Za-z0-9_-]{43}$/);
  assert.equal(sessionFor({ ...PAIRWISE, subject_type: 'public' }, 'alice', SECRET), 'alice');
});

test('a client with pairwise subjects and no sector is an error and gets no public subject', () => {
  assert.throws(
    () => subjectFor({ ...PAIRWISE, redirect_uris: [] }, 'alice', SECRET),
    /has no sector identifier/,
  );
});
