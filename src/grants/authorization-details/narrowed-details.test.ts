import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { OAuthError } from '../../spec/errors.ts';
import { compileSchema } from '../../system/schema-compiler.ts';
import type { AuthorizationDetails, DetailTypes } from './detail-types.ts';
import { detailsFor, narrowedDetails } from './narrowed-details.ts';

const FILES = {
  type: 'files',
  mistakeIn: compileSchema({}),
  narrowable: ['actions', 'locations'],
  consent: undefined,
};
const PAYMENT = { ...FILES, type: 'payment', narrowable: [] };
const TYPES: DetailTypes = {
  byName: new Map([FILES, PAYMENT].map((each) => [each.type, each])),
  length: 8192,
  json: { depth: 5, members: 20 },
};
const METADATA = { authorization_details_types: ['files', 'payment'] } as unknown as ClientMetadata;

const narrowed = (granted: readonly object[], requested: readonly object[]): unknown =>
  narrowedDetails(TYPES, METADATA, granted as unknown as AuthorizationDetails, JSON.stringify(requested));

const READ = { type: 'files', actions: ['read', 'list'], path: '/a' };
const PAY = { type: 'payment', amount: '10', to: { iban: 'DE1' } };

/** Granted objects, and requests within them. */
const WITHIN: readonly (readonly [granted: readonly object[], requested: readonly object[]])[] = [
  [[READ], [READ]],
  [[READ, PAY], [PAY]],
  [[READ], [{ path: '/a', actions: ['list'], type: 'files' }]],
  [[READ], [{ ...READ, actions: ['list', 'read'] }]],
  [[PAY], [{ to: { iban: 'DE1' }, amount: '10', type: 'payment' }]],
  [
    [PAY, PAY],
    [PAY, PAY],
  ],
  // The first request must leave the only object that the second one fits.
  [
    [READ, { ...READ, actions: ['read'] }],
    [{ ...READ, actions: ['read'] }, READ],
  ],
];

for (const [granted, requested] of WITHIN) {
  // proves rfc9396-6.1-1
  test(`${JSON.stringify(requested)} is within ${JSON.stringify(granted)} (RFC 9396 §6.1)`, () => {
    assert.deepEqual(narrowed(granted, requested), requested);
  });
}

/** Requests for more than was granted. */
const BEYOND: readonly (readonly [granted: readonly object[], requested: readonly object[]])[] = [
  [[READ], [{ ...READ, actions: ['read', 'write'] }]],
  [[READ], [{ ...READ, actions: [] }]],
  [[READ], [{ type: 'files', path: '/a' }]],
  [[READ], [{ ...READ, actions: 'read' }]],
  [[READ], [{ ...READ, path: '/' }]],
  [[READ], [{ ...READ, locations: ['https://a.example'] }]],
  [[READ], [{ ...READ, type: 'payment' }]],
  [[READ], [READ, READ]],
  [
    [READ],
    [
      { ...READ, actions: ['read'] },
      { ...READ, actions: ['list'] },
    ],
  ],
  [[PAY], [{ ...PAY, amount: '10.00' }]],
  [[PAY], [{ ...PAY, amount: 10 }]],
  [[PAY], [{ ...PAY, to: { iban: 'DE1', bic: 'X' } }]],
  [[PAY], [{ type: 'payment', amount: '10' }]],
  [[PAY], [JSON.parse('{"type":"payment","amount":"10","__proto__":{"iban":"DE1"}}') as object]],
  [[], [PAY]],
];

for (const [granted, requested] of BEYOND) {
  // H-634
  test(`${JSON.stringify(requested)} exceeds ${JSON.stringify(granted)}: invalid_authorization_details (RFC 9396 §6.1)`, () => {
    assert.throws(
      () => narrowed(granted, requested),
      (failure) => failure instanceof OAuthError && failure.code === 'invalid_authorization_details',
    );
  });
}

test('a request without details has no narrower ones, whatever was granted', () => {
  assert.equal(narrowedDetails(TYPES, METADATA, undefined, undefined), undefined);
});

// proves rfc9396-9.1-1
test('a token with an audience has the details for it, and those that name no location (RFC 9396 §9.1)', () => {
  const a = { ...READ, locations: ['https://a.example', 'https://c.example'] };
  const b = { ...READ, locations: ['https://b.example'] };
  const details: AuthorizationDetails = [a, b, READ];
  assert.deepEqual(detailsFor(details, ['https://a.example']), [a, READ]);
  assert.deepEqual(detailsFor(details, ['https://d.example']), [READ]);
  assert.deepEqual(detailsFor(details, []), details);
});
