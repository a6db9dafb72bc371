import { CANARY } from './attacked-program.ts';
import type { BodyRow } from './registration-routes.ts';
import { PLAIN } from './registry.ts';

const PLAIN_TEXT = JSON.stringify(PLAIN);
const bytes = (...parts: readonly (string | readonly number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([...part]))));

/** `text` with every character as two bytes. */
function utf16(text: string, bigEndian = false): Buffer {
  const buffer = Buffer.from(text, 'utf16le');
  return bigEndian ? buffer.swap16() : buffer;
}

function utf32(text: string): Buffer {
  const bytes = Buffer.alloc(text.length * 4);
  for (let at = 0; at < text.length; at += 1) bytes.writeUInt32LE(text.charCodeAt(at), at * 4);
  return bytes;
}

/** Behind the canary, so that a parser's message that quotes the text would show it. */
const withMember = (source: string): string => `{"client_name":"${CANARY}",${source}}`;

const DOCUMENTS: readonly (string | Uint8Array)[] = [
  '{',
  '}',
  '{"a"}',
  '{"a":}',
  '{"a" 1}',
  '{:1}',
  "{'a':1}",
  '{a:1}',
  '{"a":1',
  '{"a":1]',
  '{"a":[1}',
  '[1,2',
  '{"a":1}}',
  '{"a":1},',
  '{"a":1}{"b":2}',
  '{"a":1} x',
  '{"a":1}\u0000',
  '{"a":1}\u00a0',
  '\u00a0{"a":1}',
  '\u2028{}',
  '/**/{}',
  '{}//',
  '<xml/>',
  'a=b&c=d',
  `{"client_name":"${CANARY}"`,
  `{"client_name":"${CANARY}`,
  ...[
    '"a":1,',
    ',"a":1',
    '"a":1,,"b":2',
    '"a":[1,]',
    '"a":[,1]',
    '"a":NaN',
    '"a":Infinity',
    '"a":-Infinity',
    '"a":undefined',
    '"a":True',
    '"a":nul',
    '"a":01',
    '"a":-01',
    '"a":+1',
    '"a":.5',
    '"a":1.',
    '"a":1.e1',
    '"a":1e',
    '"a":1e+',
    '"a":-',
    '"a":0x1',
    '"a":1_000',
    '"a":1n',
    '"a":1 // one',
    '"a":/* one */1',
    '"a":"\\u12"',
    '"a":"\\u12G4"',
    '"a":"\\x41"',
    '"a":"\\\'"',
    '"a":"\\"',
    '"a":"b\rc"',
    '"a":"b\nc"',
    '"a":"b\tc"',
    '"a":"b\u0000c"',
    '"a":"b\u001fc"',
    '"a":`b`',
    '"redirect_uris":["a",,"b"]',
    '\u00a0"a":1',
    '\u0000"a":1',
  ].map(withMember),
  utf16(PLAIN_TEXT),
  utf16(PLAIN_TEXT, true),
  bytes([0xff, 0xfe], utf16(PLAIN_TEXT).toString('latin1')),
  utf32(PLAIN_TEXT),
  bytes([0x1f, 0x8b, 0x08, 0x00]),
];

const refused = (name: string, body: string | Uint8Array): BodyRow => ({
  name,
  body,
  expected: 'invalid_request',
});

const shown = (body: string | Uint8Array): string =>
  JSON.stringify(typeof body === 'string' ? body : Buffer.from(body).toString('latin1')).slice(0, 60);

/** Invalid UTF-8: RFC 3629 §3 and §4. */
const INVALID_UTF8: Readonly<Record<string, readonly number[]>> = {
  '0xFF': [0xff],
  'a lone continuation byte': [0x80],
  'an overlong slash': [0xc0, 0xaf],
  'an overlong NUL': [0xc0, 0x80],
  'a truncated sequence': [0xe2, 0x82],
  'CESU-8 surrogates': [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
  'beyond U+10FFFF': [0xf4, 0x90, 0x80, 0x80],
  'latin-1 é': [0xe9],
};

const TWICE: Readonly<Record<string, string>> = {
  'scope twice': '{"redirect_uris":["https://rp.example.com/cb"],"scope":"a","scope":"b"}',
  'scope and sc\\u006fpe': '{"redirect_uris":["https://rp.example.com/cb"],"scope":"a","sc\\u006fpe":"b"}',
  'redirect_uris, benign first':
    '{"redirect_uris":["https://rp.example.com/cb"],"redirect_uris":["javascript:alert(1)"]}',
  'redirect_uris, evil first':
    '{"redirect_uris":["javascript:alert(1)"],"redirect_uris":["https://rp.example.com/cb"]}',
  'the same value twice':
    '{"client_name":"a","client_name":"a","redirect_uris":["https://rp.example.com/cb"]}',
  'an unknown member twice': '{"x":1,"x":1,"redirect_uris":["https://rp.example.com/cb"]}',
  'nested in data': '{"redirect_uris":["https://rp.example.com/cb"],"data":{"a":{"b":1,"b":2}}}',
  'nested in an array': '{"redirect_uris":["https://rp.example.com/cb"],"data":{"a":[{"b":1,"\\u0062":2}]}}',
  '__proto__ twice': '{"__proto__":1,"__proto__":2,"redirect_uris":["https://rp.example.com/cb"]}',
};

/** H-086…H-093: text that is not one well-formed JSON object, or that two parsers read differently. */
export const SYNTAX: readonly BodyRow[] = [
  ...DOCUMENTS.map((body) => refused(`H-086 malformed ${shown(body)}`, body)),
  refused('H-087 empty body', ''),
  refused('H-087 white space only', ' \t\r\n '),
  { ...refused('H-087 no body and no length', ''), length: 'none' },
  ...['[]', '"x"', '1', 'null', 'true', 'false', `[${PLAIN_TEXT}]`, '[{}]', '""'].map((body) =>
    refused(`H-088 ${body.slice(0, 20)} is no object`, body),
  ),
  refused('H-091 byte order mark', `\ufeff${PLAIN_TEXT}`),
  ...Object.entries(INVALID_UTF8).flatMap(([what, invalid]) => [
    refused(
      `H-092 ${what} in a value`,
      bytes('{"redirect_uris":["https://rp.example.com/cb"],"client_name":"', invalid, '"}'),
    ),
    refused(
      `H-092 ${what} in a name`,
      bytes('{"redirect_uris":["https://rp.example.com/cb"],"', invalid, '":1}'),
    ),
  ]),
  ...Object.entries(TWICE).map(([what, body]) => refused(`H-093 duplicate member: ${what}`, body)),
];

const TYPES_REFUSED: readonly string[] = [
  '',
  'Content-Type: \r\n',
  'Content-Type: text/plain\r\n',
  'Content-Type: application/x-www-form-urlencoded\r\n',
  'Content-Type: multipart/form-data; boundary=a\r\n',
  'Content-Type: application/jsonp\r\n',
  'Content-Type: application/json-patch+json\r\n',
  'Content-Type: application/problem+json\r\n',
  'Content-Type: text/json\r\n',
  'Content-Type: application/json, text/plain\r\n',
  'Content-Type: application/json text/plain\r\n',
  'Content-Type: "application/json"\r\n',
  'Content-Type: application/json\u0000\r\n',
  'Content-Type: application/json\r\nContent-Type: application/json\r\n',
  'Content-Type: application/json\r\nContent-Type: text/plain\r\n',
  `Content-Type: application/json;${' a=b;'.repeat(1_600)}\r\n`,
  'Content-Type: application/json; charset=utf-16\r\n',
  'Content-Type: application/json; charset=latin1\r\n',
  'Content-Type: application/json; charset=iso-8859-1\r\n',
  'Content-Type: application/json; charset=\r\n',
  'Content-Type: application/json; charset=utf-8; charset=utf-16\r\n',
  'Content-Type: application/json; charset="utf-7"\r\n',
];

const TYPES_READ: readonly string[] = [
  'Content-Type: application/JSON\r\n',
  'Content-Type: application/json; charset=utf-8\r\n',
  'Content-Type: application/json;charset=UTF-8\r\n',
  'Content-Type: application/json; charset="utf-8"\r\n',
  'content-type:application/json\r\n',
];

/** H-089, H-090: which media types are read. Nothing that a browser sends without asking first is among them. */
export const MEDIA_TYPES: readonly BodyRow[] = [
  ...TYPES_REFUSED.map(
    (headers): BodyRow => ({
      name: `H-089, H-090 ${JSON.stringify(headers).slice(0, 70)} is refused`,
      body: PLAIN_TEXT,
      headers,
      expected: 'invalid_request',
    }),
  ),
  ...TYPES_READ.map(
    (headers): BodyRow => ({
      name: `H-089, H-090 ${JSON.stringify(headers)} is read`,
      body: PLAIN_TEXT,
      headers,
      expected: 'registered',
    }),
  ),
];
