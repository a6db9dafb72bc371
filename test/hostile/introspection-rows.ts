import type { Credentials } from './introspection-requests.ts';
import { FORM_TYPE } from './introspection-requests.ts';

const base64 = (text: string | Uint8Array): string =>
  (typeof text === 'string' ? Buffer.from(text) : Buffer.from(text)).toString('base64');

/** H-126: Basic credentials that are not what a reader with other habits might take them for. */
export const BAD_BASIC: Readonly<Record<string, (client: Credentials) => string>> = {
  'the scheme alone': () => 'Basic',
  'nothing behind the scheme': () => 'Basic ',
  'a colon alone': () => `Basic ${base64(':')}`,
  'no secret': ({ client_id }) => `Basic ${base64(`${client_id}:`)}`,
  'no identifier': ({ client_secret }) => `Basic ${base64(`:${client_secret}`)}`,
  'no colon': ({ client_id, client_secret }) => `Basic ${base64(client_id + client_secret)}`,
  'white space within': ({ client_id, client_secret }) => {
    const encoded = base64(`${client_id}:${client_secret}`);
    return `Basic ${encoded.slice(0, 8)} ${encoded.slice(8)}`;
  },
  'characters outside the alphabet': ({ client_id, client_secret }) =>
    `Basic ${base64(`${client_id}:${client_secret}`)}!`,
  'base64url of what base64 writes otherwise': ({ client_id }) =>
    `Basic ${base64(`${client_id}:~~~???`).replaceAll('/', '_').replaceAll('+', '-')}_`,
  'padding that is missing': ({ client_id, client_secret }) =>
    `Basic ${base64(`${client_id}:${client_secret}${'x'.repeat(3)}`).replaceAll('=', '')}`,
  'padding too much': ({ client_id, client_secret }) =>
    `Basic ${base64(`${client_id}:${client_secret}`)}====`,
  'a bad escape': ({ client_secret }) => `Basic ${base64(`%zz:${client_secret}`)}`,
  'bytes that are not UTF-8': () => `Basic ${base64(Uint8Array.of(0xff, 0xfe, 0x3a, 0x41))}`,
  'an escaped NUL': ({ client_id, client_secret }) => `Basic ${base64(`${client_id}%00:${client_secret}`)}`,
  'a space behind the secret': ({ client_id, client_secret }) =>
    `Basic ${base64(`${client_id}:${client_secret} `)}`,
  'a second secret behind a colon': ({ client_id, client_secret }) =>
    `Basic ${base64(`${client_id}:${client_secret}:${client_secret}`)}`,
  '8 KB of identifier': ({ client_secret }) => `Basic ${base64(`${'x'.repeat(8_000)}:${client_secret}`)}`,
  'another scheme': ({ client_id, client_secret }) => `Digest ${base64(`${client_id}:${client_secret}`)}`,
};

interface BadForm {
  readonly body: string | Uint8Array;
  readonly headers?: string;
  readonly length?: number;
  readonly status?: number;
}

const manyParameters = (count: number): string =>
  Array.from({ length: count }, (_, index) => `a${index}=b`).join('&');

/** H-130…H-134: what is not a form with one token in it. */
export const BAD_FORMS: Readonly<Record<string, BadForm>> = {
  'no body': { body: '' },
  'no token': { body: 'token_type_hint=access_token' },
  'an empty token': { body: 'token=' },
  'token without =': { body: 'token' },
  'another case': { body: 'Token=abc' },
  'token[]': { body: 'token[]=abc' },
  'token[a]': { body: 'token[a]=abc' },
  'token twice': { body: 'token=abc&token=abc' },
  'token twice, the second escaped': { body: 'token=abc&t%6Fken=def' },
  'token twice, the second empty': { body: 'token=abc&token=' },
  'token_type_hint twice': { body: 'token=abc&token_type_hint=a&token_type_hint=b' },
  '%zz': { body: 'token=%zz' },
  'a bare %': { body: 'token=%' },
  'a NUL': { body: 'token=a%00b' },
  'invalid UTF-8, escaped': { body: 'token=%ff' },
  'an overlong escape': { body: 'token=%c0%80' },
  'a surrogate, escaped': { body: 'token=%ed%a0%80' },
  'invalid UTF-8, raw': { body: Uint8Array.of(0x74, 0x6f, 0x6b, 0x65, 0x6e, 0x3d, 0xff) },
  'UTF-8, raw': { body: 'token=é' },
  'a bad escape in another parameter': { body: 'token=abc&x=%zz' },
  'a bad escape in a name': { body: 'token=abc&%zz=x' },
  '33 parameters': { body: `token=abc&${manyParameters(32)}` },
  '5,000 parameters': { body: `token=abc&${manyParameters(5_000)}` },
  '60,000 empty parameters': { body: `token=abc${'&'.repeat(60_000)}` },
  JSON: { body: '{"token":"abc"}', headers: 'Content-Type: application/json\r\n' },
  'JSON under the type of a form': { body: '{"token":"abc"}' },
  multipart: { body: 'token=abc', headers: 'Content-Type: multipart/form-data; boundary=a\r\n' },
  'no type': { body: 'token=abc', headers: '' },
  'UTF-16': { body: 'token=abc', headers: `${FORM_TYPE.trimEnd()}; charset=utf-16\r\n` },
  'a compressed body': { body: 'token=abc', headers: `${FORM_TYPE}Content-Encoding: gzip\r\n` },
  'more than 64 KiB': { body: `token=${'a'.repeat(66_000)}`, status: 413 },
  '10 MB announced': { body: 'token=', length: 10_000_000, status: 413 },
};

/** H-133: forms that are well-formed, whatever they look like. */
export const INACTIVE_FORMS: Readonly<Record<string, string>> = {
  'a semicolon is no separator': 'token=a&b;token=c',
  'white space': 'token=%20+%09',
  'a line break': 'token=a%0d%0ab',
  'a name of 60 KB': `token=abc&${'a'.repeat(60_000)}=b`,
  'a token of 60 KB': `token=${'a'.repeat(60_000)}`,
  'a million dots, nearly': `token=${'.'.repeat(65_000)}`,
  'names of Object.prototype': 'token=abc&__proto__=x&constructor=y&toString=z&hasOwnProperty=1',
  'empty parameters': '&&token=abc&&',
  'an emoji': 'token=%F0%9F%98%80',
  SQL: "token='%3B%20DROP%20TABLE%20client%3B--",
  'a JWT without signature': 'token=eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIn0.',
};

/** H-138: a token truncated, extended, changed at each position, in other cases and encodings. */
export function spoilt(token: string): readonly string[] {
  const changed = Array.from(token, (character, at) => {
    const instead = character === 'A' ? 'B' : 'A';
    return token.slice(0, at) + instead + token.slice(at + 1);
  });
  const bits = Array.from(token, (character, at) => {
    const instead = String.fromCharCode(character.charCodeAt(0) ^ 1);
    return token.slice(0, at) + instead + token.slice(at + 1);
  });
  return [
    ...changed,
    ...bits,
    ...[1, 2, 22, 23, 24].flatMap((count) => [token.slice(count), token.slice(0, -count)]),
    `${token}x`,
    `x${token}`,
    `${token}=`,
    `${token}==`,
    `${token}.`,
    `${token}${token}`,
    ` ${token}`,
    `${token} `,
    `${token}\n`,
    `\t${token}`,
    token.toUpperCase(),
    token.toLowerCase(),
    encodeURIComponent(token).replaceAll('.', '%2E'),
    `Bearer ${token}`,
    token.replace('.', ''),
    token.replace('.', '..'),
    token.replace('.', '\u3002'),
  ].filter((each) => each !== token);
}
