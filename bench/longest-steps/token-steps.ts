import { segment, signedJwt } from '../../src/testing/jwt.ts';
import { assertionXml, encoded, signedXml } from '../../src/testing/saml.ts';
import { asWide, basic, FULL, form, get, type HostileStep, JSON_TYPE, MARKS, now } from './steps.ts';
import { IDP, JWT_BEARER, SAML2_BEARER, SCOPE, type World } from './world.ts';

export const assertion = (world: World, claims: object): string =>
  signedJwt(world.key, {
    iss: world.keyed.client_id,
    sub: world.keyed.client_id,
    aud: world.program.issuer,
    iat: now(),
    exp: now() + 60,
    jti: `${Math.random()}`,
    ...claims,
  });

const saml = (world: World, statements: string): string =>
  assertionXml(
    { issuer: IDP, audience: world.program.issuer, recipient: `${world.program.issuer}/token`, now: now() },
    { notOnOrAfter: now() + 600, confirmedUntil: now() + 600, statements },
  );

const asserted = (
  grant_type: string,
  text: (world: World) => string,
  what: string,
  status = 400,
): HostileStep =>
  form('POST /token', what, status, (world) => ({ grant_type, assertion: text(world) }), asWide);

export const TOKEN_STEPS: readonly HostileStep[] = [
  form(
    'POST /token',
    '11,000 scope values, not all of them registered',
    400,
    () => ({ grant_type: 'client_credentials', scope: SCOPE }),
    asWide,
  ),
  form(
    'POST /token',
    '64 KB of escapes',
    200,
    () => `grant_type=client_credentials&scope=${'%61+'.repeat(15_000)}`,
    asWide,
  ),
  form(
    'POST /token',
    'as many parameters as allowed',
    400,
    () => Array.from({ length: 32 }, (_, index) => `p${index}=${'%41'.repeat(600)}`).join('&'),
    asWide,
  ),
  form(
    'POST /token',
    'Basic credentials of 12 KB, escaped',
    401,
    () => ({ grant_type: 'client_credentials' }),
    () => basic({ client_id: '%61'.repeat(1_500), client_secret: '%62'.repeat(1_500) }),
  ),
  form(
    'POST /token',
    'a resource that holds 7,000 words',
    400,
    () => ({
      grant_type: 'client_credentials',
      scope: '0',
      resource: Array.from({ length: 7_000 }, (_, index) => `a:${index.toString(36)}`).join(' '),
    }),
    asWide,
  ),
  form('POST /token', 'private_key_jwt without kid, 20 keys', 200, (world) => ({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion(world, {}),
  })),
  form('POST /token', 'a forged RS256 assertion without kid, 20 keys', 401, (world) => ({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: `${segment('{"alg":"RS256"}')}.${assertion(world, {}).split('.')[1]}.${Buffer.alloc(512, 7).toString('base64url')}`,
  })),
  form('POST /token', 'an assertion of 8 KB', 200, (world) => ({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion(world, { x: 'x'.repeat(5_000) }),
  })),
  asserted(
    JWT_BEARER,
    ({ jwtKey }) => signedJwt(jwtKey, { iss: IDP, x: Array.from({ length: 2_800 }, () => 1) }),
    'a JWT of 8 KB',
  ),
  asserted(
    SAML2_BEARER,
    (world) => encoded(signedXml(world.samlKey, saml(world, `<saml:x>${' '.repeat(22_000)}</saml:x>`))),
    'SAML, white space',
  ),
  asserted(
    SAML2_BEARER,
    (world) => encoded(signedXml(world.samlKey, saml(world, '<saml:x/>'.repeat(2_400)))),
    'SAML, thousands of elements',
  ),
  asserted(
    SAML2_BEARER,
    (world) =>
      encoded(signedXml(world.samlKey, saml(world, `<saml:x>`.repeat(1_200) + '</saml:x>'.repeat(1_200)))),
    'SAML, deep',
  ),
  asserted(
    SAML2_BEARER,
    (world) =>
      encoded(
        signedXml(
          world.samlKey,
          saml(world, `<saml:x${Array.from({ length: 2_000 }, (_, index) => ` a${index}="1"`).join('')}/>`),
        ),
      ),
    'SAML, 2,000 attributes',
  ),
  asserted(
    SAML2_BEARER,
    (world) =>
      encoded(
        saml(
          world,
          `<x${Array.from({ length: 60 }, (_, index) => ` xmlns:n${index}="u"`).join('')}>${'<x/>'.repeat(4_000)}</x>`,
        ),
      ),
    'SAML, namespaces around elements',
  ),
  form(
    'POST /token',
    'a password grant with a thousand marks',
    400,
    () => ({ grant_type: 'password', username: MARKS, password: MARKS, scope: '0' }),
    asWide,
  ),
  form('POST /token/introspect', 'a token of 64 KB', 200, () => ({ token: 'a'.repeat(FULL) }), asWide),
  form(
    'POST /token/introspect',
    'a self-contained token of 64 KB',
    200,
    (world) => ({
      token: signedJwt(world.key, { iss: world.program.issuer, x: 'x'.repeat(48_000) }, { typ: 'at+jwt' }),
    }),
    asWide,
  ),
  form(
    'POST /token/revoke',
    'a self-contained token of 64 KB',
    200,
    (world) => ({
      token: signedJwt(world.key, { iss: world.program.issuer, x: 'x'.repeat(48_000) }, { typ: 'at+jwt' }),
    }),
    asWide,
  ),
  get('/userinfo', 'a token of 8 KB', 401, {
    authorization: `Bearer ${'a.b'.repeat(2_600)}`,
  }),
  form('POST /userinfo', 'a token of 64 KB in the form', 401, () => ({ access_token: 'a'.repeat(FULL) })),
  {
    endpoint: 'POST /direct-authz/rest/v2',
    what: '60 KB of claims',
    status: 400,
    request: ({ program, wide }) => ({
      method: 'POST',
      path: '/direct-authz/rest/v2',
      headers: { ...JSON_TYPE, authorization: `Bearer ${program.directToken}` },
      body: JSON.stringify({
        sub_session: { sub: 'alice' },
        client_id: wide.client_id,
        scope: ['openid'],
        claims: Array.from({ length: 5_000 }, (_, index) => `c${index}`),
        x: 1,
      }),
    }),
  },
];
