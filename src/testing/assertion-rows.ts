import { INTROSPECTION_SCOPE, ISSUER, START } from './tenant.ts';

type Rows = Readonly<Record<string, object>>;

/** H-150: claims that make a good assertion a bad one, whichever way it is signed. */
export const REFUSED_CLAIMS: Rows = {
  'no iss': { iss: undefined },
  'an unknown iss': { iss: 'unknown' },
  'an unknown iss and sub': { iss: 'unknown', sub: 'unknown' },
  'iss that is a list': { iss: ['x'] },
  'an empty iss': { iss: '' },
  'no sub': { sub: undefined },
  'an unknown sub': { sub: 'unknown' },
  'sub that is a number': { sub: 1 },
  'no aud': { aud: undefined },
  'an empty aud': { aud: '' },
  'aud null': { aud: null },
  'another server': { aud: 'https://other.example.com' },
  'the issuer with a slash': { aud: `${ISSUER}/` },
  'the issuer in other case': { aud: ISSUER.toUpperCase() },
  'the issuer’s origin': { aud: new URL(ISSUER).origin },
  'the token endpoint': { aud: `${ISSUER}/token` },
  'the introspection endpoint': { aud: INTROSPECTION_SCOPE },
  'a list with the issuer': { aud: [ISSUER, 'https://other.example.com'] },
  'an empty list': { aud: [] },
  'a list with the issuer twice': { aud: [ISSUER, ISSUER] },
  'a list in a list': { aud: [[ISSUER]] },
  'no exp': { exp: undefined },
  'exp a minute ago': { exp: START - 60 },
  'exp long ago': { exp: START - 86_400 },
  'exp more than an hour and the skew of clocks ahead': { exp: START + 3661 },
  'exp in a hundred years': { exp: START + 3_153_600_000 },
  'exp in milliseconds': { exp: (START + 60) * 1000 },
  'exp as text': { exp: String(START + 60) },
  'a fraction of exp': { exp: START + 60.5 },
  'a negative exp': { exp: -1 },
  'the largest exp': { exp: 1e308 },
  'exp null': { exp: null },
  'iat more than an hour and the skew of clocks ago': { iat: START - 3661 },
  'iat in the future': { iat: START + 61 },
  'iat as text': { iat: String(START) },
  'nbf in the future': { nbf: START + 61 },
  'nbf as text': { nbf: String(START) },
  'no jti': { jti: undefined },
  'an empty jti': { jti: '' },
  'jti that is a number': { jti: 1 },
  'jti null': { jti: null },
  'jti of 257 characters': { jti: 'j'.repeat(257) },
  'jti of 10 KB': { jti: 'j'.repeat(10_000) },
};

/** Claims at the edge of what is accepted. */
export const ACCEPTED_CLAIMS: Rows = {
  'the least of them': { iat: undefined },
  'exp an hour ahead, by a clock that is a minute ahead (decision 45)': { exp: START + 3660 },
  'exp within the skew of clocks': { exp: START - 59 },
  'iat an hour ago, by a clock that is a minute behind (decision 45)': { iat: START - 3660 },
  'a list of the issuer alone (decision 45)': { aud: [ISSUER] },
  'iat within the skew of clocks': { iat: START + 60 },
  'nbf 8 seconds ahead': { nbf: START + 8 },
  'nbf within the skew of clocks': { nbf: START + 60 },
  'jti of 256 characters': { jti: '🦊'.repeat(128) },
  'unexpected claims': { name: 'x', nested: { a: [1] } },
};

/** H-149: headers that make a good assertion a bad one, although its signature is made over them. */
export const REFUSED_HEADERS: Rows = {
  'alg none': { alg: 'none' },
  'alg None': { alg: 'None' },
  'alg nOnE': { alg: 'nOnE' },
  'no alg': { alg: undefined },
  'an unknown alg': { alg: 'HS1' },
  'alg that is a list': { alg: ['HS256', 'ES256'] },
  'typ of an access token': { typ: 'at+jwt' },
  'typ of an entity statement': { typ: 'entity-statement+jwt' },
  'typ that is a number': { typ: 1 },
  'an unknown crit': { crit: ['x'], x: 1 },
  'crit of exp': { crit: ['exp'] },
  'an empty crit': { crit: [] },
  'an unencoded payload': { crit: ['b64'], b64: false },
  'b64 without crit': { b64: true },
  'a compressed payload': { zip: 'DEF' },
  'kid that is a number': { kid: 1 },
};

export const ACCEPTED_HEADERS: Rows = {
  'typ JWT': { typ: 'JWT' },
  'typ in lower case': { typ: 'jwt' },
  'the type of draft-ietf-oauth-rfc7523bis': { typ: 'client-authentication+jwt' },
  'the same with its prefix': { typ: 'application/client-authentication+jwt' },
  'unexpected header members': { cty: 'x', jku: 'https://evil.example/jwks.json' },
};

/** H-139, H-149: what is made of an assertion after it was signed. */
export const REFUSED_FORMS: Readonly<Record<string, (jwt: string) => string>> = {
  'no signature': (jwt) => jwt.slice(0, jwt.lastIndexOf('.') + 1),
  'two segments': (jwt) => jwt.slice(0, jwt.lastIndexOf('.')),
  'four segments': (jwt) => `${jwt}.x`,
  'five segments': (jwt) => `${jwt}.x.x`,
  'a trailing dot': (jwt) => `${jwt}.`,
  'no header': (jwt) => jwt.slice(jwt.indexOf('.')),
  'a detached payload': (jwt) => jwt.replace(/\..*\./, '..'),
  'a space in front': (jwt) => ` ${jwt}`,
  'a line break behind': (jwt) => `${jwt}\n`,
  padding: (jwt) => `${jwt}=`,
  'the alphabet of base64': (jwt) => `${jwt.slice(0, -4)}+/+/`,
  'another spelling of the same signature': sameOctets,
  'JSON serialisation': (jwt) => {
    const [header, payload, signature] = jwt.split('.');
    return JSON.stringify({ protected: header, payload, signature });
  },
  'the payload of another client': (jwt) => {
    const [header, , signature] = jwt.split('.');
    return `${header}.${Buffer.from('{"iss":"x","sub":"x"}').toString('base64url')}.${signature}`;
  },
  'a signature of zeros': (jwt) =>
    `${jwt.slice(0, jwt.lastIndexOf('.') + 1)}${Buffer.alloc(64).toString('base64url')}`,
  '8 KB': (jwt) => jwt + 'A'.repeat(8192),
  '60 KB of dots': () => '.'.repeat(60_000),
  'a word': () => 'x',
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The lowest bit of the last character belongs to no octet of 32 or 64. */
function sameOctets(jwt: string): string {
  const last = ALPHABET.indexOf(jwt.at(-1) ?? '');
  return `${jwt.slice(0, -1)}${ALPHABET[last ^ 1] ?? ''}`;
}
