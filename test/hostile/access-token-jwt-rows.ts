import { createHmac, createPublicKey, createSecretKey } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import { segment, signature, signedSegments, type TestKey, testKey } from '../../src/testing/jwt.ts';
import { accessTokenJwt, ENCRYPTION, OWN } from './access-token-jwts.ts';

/** The claims that a row signs, and how they are changed for it. */
export type Claims = (changes?: object) => object;
export type Rows = Readonly<Record<string, string>>;

const payloadOf = (claims: Claims): string => JSON.stringify(claims());

/** Every form in which a public key could stand for the secret of a MAC. */
function publicKeyForms({ jwk, kid }: TestKey): Readonly<Record<string, string | Buffer>> {
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const { n, x, y } = jwk;
  const [first, second] = [n ?? x, y].map((value) =>
    Buffer.from(typeof value === 'string' ? value : '', 'base64url'),
  );
  const pkcs1 = jwk['kty'] === 'RSA' ? { 'PKCS #1 PEM': key.export({ format: 'pem', type: 'pkcs1' }) } : {};
  return {
    PEM: key.export({ format: 'pem', type: 'spki' }),
    'PEM without its line end': key.export({ format: 'pem', type: 'spki' }).trimEnd(),
    DER: key.export({ format: 'der', type: 'spki' }),
    'JWK text': JSON.stringify(jwk),
    'published JWK text': JSON.stringify({ ...jwk, use: 'sig', kid }),
    'modulus or coordinate': first ?? '',
    'modulus or coordinate as text': String(n ?? x),
    'raw point': Buffer.concat([Buffer.of(4), first ?? Buffer.of(), second ?? Buffer.of()]),
    ...pkcs1,
  };
}

/** H-139, CVE-2026-11800: the algorithm is said by the token, and the secret is what everybody knows. */
export function confusedRows(claims: Claims): Rows {
  const rows: Record<string, string> = {};
  for (const key of OWN) {
    for (const [form, secret] of Object.entries(publicKeyForms(key))) {
      for (const alg of ['HS256', 'HS512']) {
        const input = `${segment(JSON.stringify({ alg, kid: key.kid, typ: 'at+jwt' }))}.${segment(payloadOf(claims))}`;
        const mac = createHmac(`sha${alg.slice(2)}`, createSecretKey(Buffer.from(secret)))
          .update(input)
          .digest();
        rows[`${alg} with the ${key.algorithm} key as ${form}`] = `${input}.${segment(mac)}`;
      }
    }
  }
  return rows;
}

/** H-139: what is said in the header, signed by one of our keys or by a stranger who knows how they are named. */
export function headerRows(claims: Claims, canary: string): Rows {
  const [rsa, ec] = OWN;
  if (rsa === undefined || ec === undefined) throw new Error('no keys');
  const stranger = testKey('RS256', rsa.kid);
  const ours = (header: object): string => accessTokenJwt(rsa, claims(), header);
  const theirs = (header: object): string => accessTokenJwt(stranger, claims(), header);
  const unsigned = (header: object): string =>
    `${segment(JSON.stringify(header))}.${segment(payloadOf(claims))}`;
  const none = ['none', 'None', 'nOnE', 'NONE', ''].flatMap((alg) => {
    const input = unsigned({ alg, typ: 'at+jwt', kid: rsa.kid });
    const forms = { 'without a signature': `${input}.`, 'with one': `${input}.AA` };
    const signed = { 'with ours': `${input}.${segment(signature(rsa, input))}` };
    return Object.entries({ ...forms, ...signed }).map(([how, jwt]) => [`alg ${alg}, ${how}`, jwt] as const);
  });
  const zeros = unsigned({ alg: 'ES256', typ: 'at+jwt', kid: ec.kid });
  return {
    ...Object.fromEntries(none),
    'another key of the same kid': theirs({}),
    'the encryption key': accessTokenJwt(ENCRYPTION, claims()),
    'ours, named as the encryption key': ours({ kid: ENCRYPTION.kid }),
    'ours, without a kid': ours({ kid: undefined }),
    'ours, with an unknown kid': ours({ kid: 'unknown' }),
    'ours, with a kid that is a path': ours({ kid: '../../../../dev/null' }),
    'ours, with a kid that is SQL': ours({ kid: "' OR '1'='1" }),
    'ours, with a kid that is a number': ours({ kid: 1 }),
    'the algorithm of another key': ours({ alg: 'ES256' }),
    'no alg': ours({ alg: undefined }),
    'alg that is a list': ours({ alg: ['RS256'] }),
    'an embedded key': theirs({ jwk: stranger.jwk }),
    'an embedded key, without a kid': theirs({ jwk: stranger.jwk, kid: undefined }),
    'a key at a URL': theirs({ jku: `${canary}/jwks.json` }),
    'a certificate at a URL': theirs({ x5u: `${canary}/x.pem` }),
    'a kid that is a URL': theirs({ kid: `${canary}/jwks.json` }),
    'a certificate': theirs({ x5c: ['MIIB'] }),
    'an unknown crit': ours({ crit: ['x'], x: 1 }),
    'crit of exp': ours({ crit: ['exp'], exp: 1 }),
    'an empty crit': ours({ crit: [] }),
    'an unencoded payload': ours({ crit: ['b64'], b64: false }),
    'b64 alone': ours({ b64: true }),
    'a compressed payload': ours({ zip: 'DEF' }),
    'no typ': ours({ typ: undefined }),
    'typ JWT, as ID tokens have': ours({ typ: 'JWT' }),
    'typ of a logout token': ours({ typ: 'logout+jwt' }),
    'typ of an introspection response': ours({ typ: 'token-introspection+jwt' }),
    'typ of an entity statement': ours({ typ: 'entity-statement+jwt' }),
    'typ that is a list': ours({ typ: ['at+jwt'] }),
    'ES256, a signature of zeros': `${zeros}.${segment(Buffer.alloc(64))}`,
    'ES256, a signature in DER': `${zeros}.${segment(derOf(signature(ec, zeros)))}`,
    'a header with alg twice': signedSegments(
      rsa,
      `{"alg":"none","alg":"RS256","typ":"at+jwt","kid":"${rsa.kid}"}`,
      payloadOf(claims),
    ),
  };
}

/** The signature as OpenSSL writes it: RFC 7518 §3.4 wants the two numbers side by side. */
function derOf(raw: Uint8Array): Buffer {
  const integer = (bytes: Uint8Array): Buffer => Buffer.concat([Buffer.of(2, 33, 0), bytes]);
  return Buffer.concat([Buffer.of(0x30, 70), integer(raw.subarray(0, 32)), integer(raw.subarray(32))]);
}

/** H-139, H-142: other texts of a good token. */
export function formRows(good: string): Rows {
  const [header = '', payload = '', signed = ''] = good.split('.');
  const json = { protected: header, payload, signature: signed };
  return {
    'no signature': `${header}.${payload}.`,
    'two segments': `${header}.${payload}`,
    'four segments': `${good}.x`,
    'five segments': `${good}.x.x`,
    'a trailing dot': `${good}.`,
    'no header': `.${payload}.${signed}`,
    'a detached payload': `${header}..${signed}`,
    padding: `${good}==`,
    'a space behind': `${good} `,
    'a space in front': ` ${good}`,
    'a line break within': good.replace('.', '.\n'),
    'the alphabet of base64': `${good.slice(0, -4)}+/+/`,
    'other case': good.toLowerCase(),
    'encoded twice': encodeURIComponent(encodeURIComponent(good)).replaceAll('.', '%2E'),
    'JSON serialisation': JSON.stringify(json),
    'JSON serialisation, general': JSON.stringify({ payload, signatures: [json] }),
    twice: `${good}${good}`,
    'with its scheme': `Bearer ${good}`,
    '9 KB': `${good}${'A'.repeat(9_000)}`,
    'a header of 50 KB': `${'eyJ'.padEnd(50_000, 'A')}.${payload}.${signed}`,
    '60 KB of dots': `eyJ${'.'.repeat(60_000)}`,
  };
}

/** H-140, H-142: claims that no token of ours has, signed by our key. */
export function claimRows(claims: Claims, now: number): Rows {
  const [key] = OWN;
  if (key === undefined) throw new Error('no keys');
  const wrong: readonly object[] = [
    ...[now - 61, now - 86_400, 0, -1, 1.5, 1e308, 'x', String(now + 60), null, [], undefined].map((exp) => ({
      exp,
    })),
    ...[now + 3_600, 'x', null, -1].map((nbf) => ({ nbf })),
    ...[now + 3_600, 'x', null, undefined].map((iat) => ({ iat })),
    ...['https://evil.example', '', 'x', 1, null, undefined, ['https://op.example.com']].map((iss) => ({
      iss,
    })),
    ...['https://op.example.com/', 'HTTPS://OP.EXAMPLE.COM', 'http://op.example.com'].map((iss) => ({ iss })),
    ...[1, null, undefined, {}, ['alice']].map((sub) => ({ sub })),
    ...[1, null, undefined, {}, '', 'x', '../x'].map((jti) => ({ jti })),
    { aud: undefined },
    { client_id: undefined },
  ];
  const rows = wrong.map(
    (changes) => [JSON.stringify(changes) + Object.keys(changes).join(), claims(changes)] as const,
  );
  const text = payloadOf(claims);
  const payloads: Readonly<Record<string, string>> = {
    'an array': '[]',
    'a string': '"x"',
    'a number': '1',
    nothing: 'null',
    'a member twice': text.replace('{', '{"sub":"root",'),
    'a byte order mark': `\ufeff${text}`,
    'something behind it': `${text}x`,
    '2,000 levels': text.replace('{', `{"x":${'['.repeat(2_000)}${']'.repeat(2_000)},`),
    '500 members': text.replace('{', `{${Array.from({ length: 500 }, (_, at) => `"m${at}":1,`).join('')}`),
  };
  return {
    ...Object.fromEntries(rows.map(([name, changed]) => [name, accessTokenJwt(key, changed)])),
    ...Object.fromEntries(
      Object.entries(payloads).map(([name, payload]) => [`claims: ${name}`, accessTokenJwt(key, payload)]),
    ),
  };
}

/** H-143: what is encrypted is no access token, and asks for no work. */
export async function encryptedRows(good: string): Promise<Rows> {
  const to = createPublicKey(ENCRYPTION.privateKey);
  const header = {
    alg: 'RSA-OAEP-256',
    enc: 'A256GCM',
    cty: 'JWT',
    typ: 'at+jwt',
    kid: ENCRYPTION.kid,
  } as const;
  const genuine = await new CompactEncrypt(Buffer.from(good)).setProtectedHeader(header).encrypt(to);
  const compressed = await new CompactEncrypt(Buffer.alloc(200_000))
    .setProtectedHeader({ ...header, zip: 'DEF' })
    .encrypt(to);
  const made = (claims: object): string =>
    `${segment(JSON.stringify({ typ: 'at+jwt', ...claims }))}.AA.AAAA.AAAA.AAAA`;
  return {
    'a good token, encrypted to the server': genuine,
    'a bomb': compressed,
    dir: made({ alg: 'dir', enc: 'A128GCM' }),
    'PBES2 of 2^31 - 1 rounds': made({
      alg: 'PBES2-HS512+A256KW',
      enc: 'A128GCM',
      p2c: 2_147_483_647,
      p2s: 'AAAA',
    }),
    RSA1_5: made({ alg: 'RSA1_5', enc: 'A128CBC-HS256', kid: ENCRYPTION.kid }),
  };
}
