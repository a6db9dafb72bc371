import { signedJwt } from '../../src/testing/jwt.ts';
import { formText } from '../../test/program/code-request.ts';
import {
  encryptedLike,
  FORM,
  forged,
  form,
  get,
  type HostileStep,
  JSON_TYPE,
  LONG_HEADERS,
  MARKS,
} from './steps.ts';
import { assertion } from './token-steps.ts';
import { CALLBACK, EXTERNAL_TOKEN, SCOPE, type World } from './world.ts';

const authorize = (
  world: World,
  change: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  response_type: 'code',
  client_id: world.keyed.client_id,
  redirect_uri: CALLBACK,
  scope: 'openid',
  ...change,
});

/** The request object is signed by the client, so that all of it is read. */
const requestObject = (world: World, claims: object): string =>
  signedJwt(world.key, {
    iss: world.keyed.client_id,
    aud: world.program.issuer,
    ...authorize(world, {}),
    ...claims,
  });

export const REQUEST_STEPS: readonly HostileStep[] = ['POST /authorize', 'POST /par'].flatMap((endpoint) => {
  const par = endpoint === 'POST /par';
  const proof = (world: World): Readonly<Record<string, string>> =>
    par
      ? {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: assertion(world, {}),
        }
      : {};
  const row = (
    what: string,
    status: number,
    change: (world: World) => Readonly<Record<string, string>>,
  ): HostileStep =>
    form(endpoint, what, status, (world) => ({ ...authorize(world, change(world)), ...proof(world) }));
  return [
    row('a signed request object of 8 KB', par ? 201 : 303, (world) => ({
      request: requestObject(world, { x: 'x'.repeat(5_000) }),
    })),
    row('a forged RS256 request object, 20 keys', par ? 400 : 303, () => ({ request: forged(5_200) })),
    row('an encrypted request object of 16 KB', par ? 400 : 303, () => ({ request: encryptedLike(15_000) })),
    row('a claims parameter of 8 KB', par ? 201 : 303, () => ({
      claims: JSON.stringify({
        userinfo: Object.fromEntries(
          Array.from({ length: 50 }, (_, index) => [`claim_${index}_${'x'.repeat(120)}`, null]),
        ),
      }),
    })),
    row('claims, as deep as they are long', par ? 400 : 303, () => ({ claims: '{"a":'.repeat(1_600) })),
    row('a hint of 8 KB', par ? 400 : 303, () => ({ id_token_hint: forged(5_200) })),
    row('an encrypted hint of 16 KB', par ? 400 : 303, () => ({ id_token_hint: encryptedLike(15_000) })),
    row('4 KB of scope values', par ? 201 : 303, () => ({ scope: `openid ${SCOPE.slice(0, 4_000)}` })),
    row('a resource that holds 7,000 words', par ? 400 : 303, () => ({
      resource: Array.from({ length: 7_000 }, (_, index) => `a:${index.toString(36)}`).join(' '),
    })),
  ];
});

const logout = (what: string, fields: (world: World) => Readonly<Record<string, string>>): HostileStep =>
  form('POST /logout', what, 200, fields);

export const PAGE_STEPS: readonly HostileStep[] = [
  {
    endpoint: 'GET /authorize',
    what: 'nearly one of 100 loopback addresses, and long headers',
    status: 400,
    request: ({ native: { client_id } }) => ({
      method: 'GET',
      path: `/authorize?${formText({ response_type: 'code', client_id, scope: 'openid', redirect_uri: `http://127.0.0.1:65000/${'x'.repeat(279)}y` })}`,
      headers: LONG_HEADERS,
    }),
  },
  form('POST /device_authorization', '64 KB of escaped scope values', 401, () => ({
    client_id: 'unknown',
    scope: 'a '.repeat(15_000),
  })),
  {
    endpoint: 'GET /device',
    what: 'a code of 4 KB, escaped, and long headers',
    status: 200,
    request: () => ({
      method: 'GET',
      path: `/device?user_code=${'%61'.repeat(1_300)}`,
      headers: LONG_HEADERS,
    }),
  },
  form('POST /device', 'a code of 60 KB that no page of the server sent', 400, () => ({
    user_code: 'B'.repeat(60_000),
  })),
  form('POST /backchannel_authentication', '64 KB of escaped scope values', 401, () => ({
    client_id: 'unknown',
    scope: 'a '.repeat(15_000),
  })),
  {
    endpoint: 'GET /account/requests',
    what: 'long headers without a session',
    status: 200,
    request: () => ({ method: 'GET', path: '/account/requests', headers: LONG_HEADERS }),
  },
  form('POST /account/requests', 'a form of 60 KB that no page of the server sent', 400, () => ({
    form_token: 'a'.repeat(60_000),
  })),
  {
    endpoint: 'GET /account/applications',
    what: 'long headers without a session',
    status: 200,
    request: () => ({ method: 'GET', path: '/account/applications', headers: LONG_HEADERS }),
  },
  form('POST /account/applications', 'a form of 60 KB that no page of the server sent', 400, () => ({
    form_token: 'a'.repeat(60_000),
  })),
  {
    endpoint: 'GET /interaction/{id}',
    what: 'a handle of 4 KB and long headers',
    status: 400,
    request: () => ({ method: 'GET', path: `/interaction/${'%61'.repeat(1_300)}`, headers: LONG_HEADERS }),
  },
  {
    endpoint: 'POST /interaction/{id}',
    what: '64 KB of marks as name and password',
    status: 400,
    request: () => ({
      method: 'POST',
      path: '/interaction/x',
      headers: { ...FORM, 'sec-fetch-site': 'same-origin', origin: 'null' },
      body: formText({ choice: 'sign-in', username: MARKS, password: MARKS.repeat(4) }),
    }),
  },
  logout('an address that is nearly one of 100 registered ones', ({ hint }) => ({
    id_token_hint: hint,
    post_logout_redirect_uri: `http://127.0.0.1:65000/${'x'.repeat(270)}`,
  })),
  logout('a hint of 8 KB', () => ({ id_token_hint: forged(5_200), post_logout_redirect_uri: CALLBACK })),
  logout('an encrypted hint of 16 KB', () => ({
    id_token_hint: encryptedLike(15_000),
    post_logout_redirect_uri: CALLBACK,
  })),
  {
    endpoint: 'GET /logout',
    what: 'a query of 14 KB, escaped, and many languages',
    status: 200,
    request: () => ({
      method: 'GET',
      path: `/logout?state=${'%61'.repeat(1_000)}&ui_locales=${'de%20'.repeat(1_000)}`,
    }),
  },
  {
    endpoint: 'POST /logout/{id}',
    what: '64 KB of escapes',
    status: 400,
    request: () => ({
      method: 'POST',
      path: '/logout/x',
      headers: { ...FORM, 'sec-fetch-site': 'same-origin', origin: 'null' },
      body: `choice=logout&form_token=${'%61'.repeat(21_000)}`,
    }),
  },
  {
    endpoint: 'GET /interaction-api/{id}',
    what: 'a handle of 4 KB',
    status: 401,
    request: () => ({
      method: 'GET',
      path: `/interaction-api/${'%61'.repeat(1_300)}`,
      external: true,
      headers: { authorization: 'Bearer x' },
    }),
  },
  {
    endpoint: 'GET /backchannel-api',
    what: 'a subject of 4 KB',
    status: 401,
    request: () => ({
      method: 'GET',
      path: `/backchannel-api?subject=${'%61'.repeat(1_300)}`,
      external: true,
      headers: { authorization: 'Bearer x' },
    }),
  },
  {
    endpoint: 'POST /backchannel-api/{id}',
    what: '64 KB of a subject',
    status: 404,
    request: () => ({
      method: 'POST',
      path: '/backchannel-api/x',
      external: true,
      headers: { ...JSON_TYPE, authorization: `Bearer ${EXTERNAL_TOKEN}` },
      body: JSON.stringify({ subject: 'x'.repeat(60_000) }),
    }),
  },
  {
    endpoint: 'POST /interaction-api/{id}',
    what: '64 KB of arrays',
    status: 404,
    request: () => ({
      method: 'POST',
      path: '/interaction-api/x',
      external: true,
      headers: { ...JSON_TYPE, authorization: `Bearer ${EXTERNAL_TOKEN}` },
      body: JSON.stringify({ subject: 'x'.repeat(60_000) }),
    }),
  },
];

export const DOCUMENT_STEPS: readonly HostileStep[] = [
  get('/', 'long headers', 200, LONG_HEADERS),
  get('/openapi.json', 'long headers', 200, LONG_HEADERS),
  get('/jwks.json', 'long headers', 200, LONG_HEADERS),
  get('/jwks.jwt', 'long headers', 200, LONG_HEADERS),
  get('/.well-known/openid-configuration', 'long headers', 200, LONG_HEADERS),
  get('/.well-known/oauth-authorization-server', 'long headers', 200, LONG_HEADERS),
  get('/.well-known/openid-federation', 'long headers', 200, LONG_HEADERS),
  get('/.well-known/oauth-protected-resource/userinfo', 'long headers', 200, LONG_HEADERS),
  get('/.well-known/oauth-protected-resource/admin/v1', 'long headers', 200, LONG_HEADERS),
  get('/federation/historical-keys', 'long headers', 200, LONG_HEADERS),
  {
    endpoint: 'GET /assets/{id}',
    what: 'a name of 6 KB',
    status: 404,
    request: () => ({ method: 'GET', path: `/assets/${'%61'.repeat(2_000)}` }),
  },
];
