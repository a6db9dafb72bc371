import { segment } from '../../src/testing/jwt.ts';
import { type HostileStep, JSON_TYPE, registration } from './steps.ts';
import { CALLBACK, IDP, LONG_NATIVE, SCOPE } from './world.ts';

export const REGISTRATION_STEPS: readonly HostileStep[] = [
  registration('64 KB of arrays as deep as allowed, in an unknown member', 200, () => {
    const arrays = Array.from({ length: 1_900 }, () => '['.repeat(14) + ']'.repeat(14)).join();
    return `{"redirect_uris":["${CALLBACK}"],"x":[${arrays}]}`;
  }),
  registration('objects with as many members as allowed, as data', 200, () => {
    const members = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`m${index}`, index]));
    return { redirect_uris: [CALLBACK], data: { all: Array.from({ length: 25 }, () => members) } };
  }),
  registration(
    'escapes for every character of a text',
    400,
    () => `{"redirect_uris":["${CALLBACK}"],"client_name":"${'\\u0301'.repeat(10_000)}"}`,
  ),
  registration('100 redirection URIs that fill the body', 200, () => ({
    redirect_uris: Array.from({ length: 100 }, (_, index) => `https://rp${index}.example/${'x'.repeat(600)}`),
  })),
  registration('100 redirection URIs with parameters that are nearly those of the response', 200, () => ({
    redirect_uris: Array.from(
      { length: 100 },
      (_, index) => `https://rp.example/${index}?${'codes=%61&'.repeat(60)}`,
    ),
  })),
  registration('20 keys of 4,096 bits', 400, () => ({
    redirect_uris: [CALLBACK],
    jwks: {
      keys: Array.from({ length: 20 }, (_, index) => ({
        kty: 'RSA',
        e: 'AQAB',
        kid: String(index),
        n: Buffer.alloc(512, 0xb5 + index).toString('base64url'),
      })),
    },
  })),
  registration('11,000 scope values', 400, () => ({ redirect_uris: [CALLBACK], scope: SCOPE })),
  registration('a distinguished name of 60 KB', 400, () => ({
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'tls_client_auth',
    tls_client_auth_subject_dn: 'CN=a+CN=b,'.repeat(6_000),
  })),
  registration('a software statement of 60 KB by a stranger, which is ignored', 200, () => ({
    redirect_uris: [CALLBACK],
    software_statement: `e30.${segment(JSON.stringify({ iss: IDP, x: 'x'.repeat(44_000) }))}.AA`,
  })),
  registration('members in many languages', 400, () =>
    Object.fromEntries([
      ['redirect_uris', [CALLBACK]],
      ...Array.from({ length: 190 }, (_, index) => [`client_name#x-${index}${'y'.repeat(200)}`, 'x']),
    ]),
  ),
  registration('65 KB that is no JSON', 400, () => '{"a":'.repeat(13_000)),
  {
    endpoint: 'POST /register',
    what: '64 KB of arrays from a stranger, for a public client',
    status: 201,
    request: () => ({
      method: 'POST',
      path: '/register',
      headers: JSON_TYPE,
      body: JSON.stringify({
        redirect_uris: Array.from(
          { length: 100 },
          (_, index) => `https://a.example/${index}${'x'.repeat(500)}`,
        ),
        token_endpoint_auth_method: 'none',
        contacts: Array.from({ length: 50 }, (_, index) => `${index}${'c'.repeat(200)}`),
      }),
    }),
  },
  {
    endpoint: 'PUT /clients/{id}',
    what: 'other redirection URIs that fill the body',
    status: 200,
    request: ({ program, native: { client_id } }) => ({
      method: 'PUT',
      path: `/clients/${client_id}`,
      headers: { ...JSON_TYPE, authorization: `Bearer ${program.masterToken}` },
      body: JSON.stringify({
        client_id,
        ...LONG_NATIVE,
      }),
    }),
  },
  {
    endpoint: 'GET /clients/{id}',
    what: 'the client with 11,000 scope values',
    status: 200,
    request: ({ wide: { client_id, registration_access_token } }) => ({
      method: 'GET',
      path: `/clients/${client_id}`,
      headers: { authorization: `Bearer ${registration_access_token}` },
    }),
  },
  {
    endpoint: 'GET /clients',
    what: 'every client of this table',
    status: 200,
    request: ({ program }) => ({
      method: 'GET',
      path: '/clients',
      headers: { authorization: `Bearer ${program.masterToken}` },
    }),
  },
  {
    endpoint: 'DELETE /clients/{id}',
    what: 'an identifier of 6 KB with a token of 8 KB',
    status: 401,
    request: () => ({
      method: 'DELETE',
      path: `/clients/${'%61'.repeat(2_000)}`,
      headers: { authorization: `Bearer ${'a'.repeat(8_000)}` },
    }),
  },
  registration('190 unknown members that are nearly known ones', 200, () =>
    Object.fromEntries([
      ['redirect_uris', [CALLBACK]],
      ...Array.from({ length: 190 }, (_, index) => [`token_endpoint_auth_metho${index}`, 'x'.repeat(200)]),
    ]),
  ),
  registration('100 wrong redirection URIs that fill the body', 400, () => ({
    redirect_uris: Array.from({ length: 100 }, (_, index) => `http://a.example/${index}${'x'.repeat(600)}`),
  })),
  {
    endpoint: 'PUT /register/{id}',
    what: 'redirection URIs that fill the body, by a stranger',
    status: 401,
    request: ({ native: { client_id } }) => ({
      method: 'PUT',
      path: `/register/${client_id}`,
      headers: { ...JSON_TYPE, authorization: `Bearer ${'a'.repeat(43)}` },
      body: JSON.stringify({ client_id, ...LONG_NATIVE }),
    }),
  },
  {
    endpoint: 'GET /register/{id}',
    what: 'the client with 11,000 scope values',
    status: 200,
    request: ({ wide: { client_id, registration_access_token } }) => ({
      method: 'GET',
      path: `/register/${client_id}`,
      headers: { authorization: `Bearer ${registration_access_token}` },
    }),
  },
  {
    endpoint: 'DELETE /register/{id}',
    what: 'an identifier of 6 KB with a token of 8 KB',
    status: 401,
    request: () => ({
      method: 'DELETE',
      path: `/register/${'%61'.repeat(2_000)}`,
      headers: { authorization: `Bearer ${'a'.repeat(8_000)}` },
    }),
  },
  {
    endpoint: 'GET /logos/{id}',
    what: 'a name of 6 KB',
    status: 404,
    request: () => ({ method: 'GET', path: `/logos/${'%61'.repeat(2_000)}`, headers: {} }),
  },
];
