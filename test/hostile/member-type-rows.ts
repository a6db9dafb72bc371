import assert from 'node:assert/strict';
import { CANARY } from './attacked-program.ts';
import type { BodyRow } from './registration-routes.ts';
import type { Expected } from './registry.ts';
import { PLAIN } from './registry.ts';

const LONG = 'x'.repeat(60_000);
const VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  '',
  ' ',
  [],
  {},
  [null],
  [1],
  [[]],
  [{}],
  LONG,
  [LONG],
];

interface Member {
  readonly wrong: Expected;
  /** Values, beside the empty ones, that the member may have after all. */
  readonly right?: readonly unknown[];
  readonly privileged?: true;
  /** `null`, the empty string and the empty array are absent (RFC 7592 §2.2, decision 42); this one must be there. */
  readonly needed?: true;
}

const metadata = { wrong: 'invalid_client_metadata' } as const;

const MEMBERS: Readonly<Record<string, Member>> = {
  redirect_uris: { wrong: 'invalid_redirect_uri', needed: true },
  post_logout_redirect_uris: { wrong: 'invalid_redirect_uri' },
  grant_types: metadata,
  response_types: metadata,
  application_type: metadata,
  token_endpoint_auth_method: metadata,
  id_token_signed_response_alg: metadata,
  subject_type: metadata,
  client_name: metadata,
  'client_name#de': metadata,
  contacts: metadata,
  logo_uri: metadata,
  client_uri: metadata,
  policy_uri: metadata,
  'policy_uri#de': metadata,
  tos_uri: metadata,
  scope: { ...metadata, privileged: true },
  data: { ...metadata, right: [{}], privileged: true },
  preferred_client_id: { ...metadata, privileged: true },
  preferred_client_secret: { ...metadata, privileged: true },
};

const EMPTY: readonly string[] = ['null', '""', '[]'];

function rowOf(name: string, member: Member, value: unknown): BodyRow {
  const source = JSON.stringify(value);
  const isEmpty = EMPTY.includes(source);
  const right = [
    ...(member.needed ? [] : EMPTY),
    ...(member.right ?? []).map((each) => JSON.stringify(each)),
  ];
  const expected = right.includes(source) ? 'registered' : member.wrong;
  return {
    name: `H-102 ${name}: ${source.slice(0, 20)}`,
    body: JSON.stringify({ ...PLAIN, [name]: value }),
    expected,
    ...(member.privileged && !isEmpty ? { privileged: true } : {}),
    check: ({ json }) => {
      if (isEmpty) assert.equal(EMPTY.includes(JSON.stringify(json[name])), false);
      else assert.deepEqual(json[name], value);
    },
  };
}

const list = (name: string, member: string, values: readonly unknown[], expected: Expected): BodyRow => ({
  name,
  body: JSON.stringify({ ...PLAIN, [member]: values }),
  expected,
});
const numbered = (count: number, size: number): string[] =>
  Array.from({ length: count }, (_, index) => `${index}@${'a'.repeat(size)}`);

/** H-102, H-103: every member with values of every other type. */
export const MEMBER_TYPES: readonly BodyRow[] = [
  ...Object.entries(MEMBERS).flatMap(([name, member]) => VALUES.map((value) => rowOf(name, member, value))),
  list(
    'H-103 2,900 grant types',
    'grant_types',
    Array.from({ length: 2_900 }, () => 'authorization_code'),
    'invalid_client_metadata',
  ),
  list(
    'H-103 a grant type twice',
    'grant_types',
    ['authorization_code', 'authorization_code'],
    'invalid_client_metadata',
  ),
  list('H-103 mixed types', 'grant_types', ['authorization_code', 1], 'invalid_client_metadata'),
  list('H-103 a response type twice', 'response_types', ['code', 'code'], 'invalid_client_metadata'),
  list('H-103 60 contacts of 1 KB', 'contacts', numbered(60, 1_000), 'invalid_client_metadata'),
  list('H-103 51 contacts', 'contacts', numbered(51, 10), 'invalid_client_metadata'),
  list('H-103 50 contacts', 'contacts', numbered(50, 10), 'registered'),
  list('H-103 a contact twice', 'contacts', [CANARY, CANARY], 'invalid_client_metadata'),
];
