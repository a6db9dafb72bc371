// Verifies HTTP message signatures (RFC 9421) and content digests (RFC 9530) with Node alone.
import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';

/** Names of RFC 9421 §6.2.2, and how Node verifies them. */
const ALGORITHMS = {
  'ecdsa-p256-sha256': (key, base, signature) =>
    verify('sha256', base, { key, dsaEncoding: 'ieee-p1363' }, signature),
  ed25519: (key, base, signature) => verify(null, base, key, signature),
  'rsa-v1_5-sha256': (key, base, signature) => verify('sha256', base, key, signature),
};

/**
 * Verifies the signature with one label. Throws with the reason if it does not hold.
 * @param request method, url, and headers with names in lower case
 * @param keyOf returns the key for a `keyid`: `{ jwk, alg }` of a JWK set, or `{ secret }`
 * @returns the names of the covered components, and the parameters of the signature
 */
export function verifySignature(request, label, keyOf) {
  const input = memberOf(request.headers['signature-input'] ?? '', label);
  const signature = memberOf(request.headers.signature ?? '', label);
  if (input === undefined || signature === undefined) throw new Error(`no signature ${label}`);
  const [, list, rest] = /^\(([^)]*)\)(.*)$/s.exec(input) ?? [];
  if (list === undefined) throw new Error('Signature-Input is malformed');
  const covered = [...list.matchAll(/"([^"]*)"/g)].map(([, name]) => name);
  const parameters = Object.fromEntries(
    [...rest.matchAll(/;([a-z]+)=(?:"([^"]*)"|(\d+))/g)].map(([, name, text, number]) => [
      name,
      text ?? Number(number),
    ]),
  );
  const lines = covered.map((name) => `"${name}": ${valueOf(request, name)}`);
  const base = Buffer.from([...lines, `"@signature-params": ${input}`].join('\n'));
  const octets = Buffer.from(/^:([A-Za-z0-9+/=]*):$/.exec(signature)?.[1] ?? '', 'base64');
  const key = keyOf(parameters.keyid, parameters.alg);
  if (key === undefined) throw new Error(`the key ${parameters.keyid} is not known`);
  if (!isSignedBy(key, parameters.alg, base, octets)) throw new Error('the signature is wrong');
  return { covered, parameters };
}

function isSignedBy({ jwk, alg, secret }, named, base, octets) {
  if (secret !== undefined) {
    const mac = createHmac('sha256', secret).update(base).digest();
    return mac.length === octets.length && timingSafeEqual(mac, octets);
  }
  // The algorithm comes from the receiver, or from the kind of key: never from the request alone.
  const fitting = { EC: 'ecdsa-p256-sha256', OKP: 'ed25519', RSA: 'rsa-v1_5-sha256' }[jwk.kty];
  const algorithm = alg ?? fitting;
  if (named !== undefined && named !== algorithm) return false;
  return ALGORITHMS[algorithm](createPublicKey({ key: jwk, format: 'jwk' }), base, octets);
}

/** Returns one member of a dictionary (RFC 9651 §3.2), as it was sent. */
function memberOf(header, label) {
  const members = header.match(
    /[a-z*][a-z0-9_.*-]*=(?:\((?:"[^"]*"|[^)"])*\)(?:;[a-z]+=(?:"[^"]*"|[^,;\s]+))*|:[A-Za-z0-9+/=]*:)/g,
  );
  return members?.find((member) => member.startsWith(`${label}=`))?.slice(label.length + 1);
}

function valueOf({ method, url, headers }, name) {
  const target = new URL(url);
  if (name === '@method') return method;
  if (name === '@target-uri') return url;
  if (name === '@path') return target.pathname;
  if (name === '@authority') return target.host;
  if (name.startsWith('@') || headers[name] === undefined) throw new Error(`${name} is not in the request`);
  return headers[name].trim();
}

/** Verifies the SHA-256 of `Content-Digest` (RFC 9530 §2). */
export function verifyDigest(headers, body) {
  const sent = /(?:^|,\s*)sha-256=:([A-Za-z0-9+/=]+):/.exec(headers['content-digest'] ?? '')?.[1];
  if (sent !== createHash('sha256').update(body).digest('base64'))
    throw new Error('the digest of the body is wrong');
}
