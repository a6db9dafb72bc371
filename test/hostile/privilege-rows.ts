import type { Expected } from './registry.ts';

interface PolicyRow {
  readonly metadata: object;
  readonly expected: Expected;
}

/** Grants that the interface gives to holders of a token only. */
const RESERVED = [
  'password',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:jwt-bearer',
  'urn:ietf:params:oauth:grant-type:saml2-bearer',
];

/** Grants that no token permits, since this server has none of them. */
const ABSENT = [
  'urn:ietf:params:oauth:grant-type:token-exchange',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:openid:params:grant-type:ciba',
];

const policy = (
  grants: readonly string[],
  expected: Expected,
  among: Expected = expected,
): [string, PolicyRow][] =>
  grants.flatMap((grant): [string, PolicyRow][] => [
    [grant, { metadata: { grant_types: [grant] }, expected }],
    [
      `${grant} behind authorization_code`,
      { metadata: { grant_types: ['authorization_code', grant] }, expected: among },
    ],
    [
      `${grant} before authorization_code`,
      { metadata: { grant_types: [grant, 'authorization_code'] }, expected: among },
    ],
  ]);

export const GRANT_REQUESTS: Readonly<Record<string, PolicyRow>> = Object.fromEntries([
  ...policy(RESERVED, 'invalid_token'),
  // Decision 42: what the server does not have is dropped, as long as a supported grant remains.
  ...policy(ABSENT, 'invalid_client_metadata', 'registered'),
  ...policy(['refresh_token'], 'registered').filter(([name]) => name !== 'refresh_token'),
]);

export const PRIVILEGED_MEMBERS: Readonly<Record<string, PolicyRow>> = Object.fromEntries(
  [
    [{ scope: 'openid' }, 'invalid_token'],
    [{ scope: '' }, 'registered'],
    [{ scope: null }, 'registered'],
    [{ data: {} }, 'invalid_token'],
    [{ data: { a: 1 } }, 'invalid_token'],
    [{ data: null }, 'registered'],
    [{ preferred_client_id: 'mine' }, 'invalid_token'],
    [{ preferred_client_id: '' }, 'registered'],
    [{ preferred_client_id: null }, 'registered'],
    [{ preferred_client_secret: 'x'.repeat(40) }, 'invalid_token'],
    [{ preferred_client_secret: '' }, 'registered'],
    [{ preferred_client_secret: null }, 'registered'],
    [{ client_secret: 'x'.repeat(40) }, 'registered'],
  ].map(([metadata, expected]) => [JSON.stringify(metadata), { metadata, expected } as PolicyRow]),
);

export const LOOK_ALIKE_GRANTS: readonly (readonly string[])[] = [
  ['foo'],
  ['AUTHORIZATION_CODE'],
  ['authorization_code '],
  [' authorization_code'],
  ['authorizatiоn_code'],
  ['foo', 'AUTHORIZATION_CODE'],
  ['authorization_code\u200b'],
  ['__proto__'],
  ['toString'],
  [''],
];

interface ScopeRow {
  readonly metadata: object;
  /** In the order in which a refusal names them. */
  readonly needs: readonly string[];
}

const grant = (grant_type: string, needs: string, response_types: readonly string[] = []): ScopeRow => ({
  metadata: { grant_types: [grant_type], response_types },
  needs: [needs],
});
const service = (metadata: object, needs: string): ScopeRow => ({
  metadata: { grant_types: ['client_credentials'], ...metadata },
  needs: ['client-reg:grant:client', needs],
});

/** For each scope value of an initial access token a request that needs it (interface, Initial access token scopes). */
export const SCOPE_REQUESTS: Readonly<Record<string, ScopeRow>> = {
  'client-reg:grant:code': grant('authorization_code', 'client-reg:grant:code', ['code']),
  'client-reg:grant:implicit': grant('implicit', 'client-reg:grant:implicit', ['id_token']),
  'client-reg:grant:refresh': grant('refresh_token', 'client-reg:grant:refresh'),
  'client-reg:grant:password': grant('password', 'client-reg:grant:password'),
  'client-reg:grant:client': grant('client_credentials', 'client-reg:grant:client'),
  'client-reg:grant:jwt': grant('urn:ietf:params:oauth:grant-type:jwt-bearer', 'client-reg:grant:jwt'),
  'client-reg:grant:saml': grant('urn:ietf:params:oauth:grant-type:saml2-bearer', 'client-reg:grant:saml'),
  'client-reg:scope': service({ scope: 'a b' }, 'client-reg:scope'),
  'client-reg:data': service({ data: {} }, 'client-reg:data'),
  'client-reg:set-id': service({ preferred_client_id: 'never-registered' }, 'client-reg:set-id'),
  'client-reg:set-secret': service({ preferred_client_secret: 'x'.repeat(40) }, 'client-reg:set-secret'),
};
