import { createHmac, hash } from 'node:crypto';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { SignatureAlgorithm } from '../../spec/jose-algorithms.ts';

/** A request that is to be signed. */
export interface SignedMessage {
  readonly url: string;
  /** Identifies the delivery; the receiver drops a second one. */
  readonly delivery: string;
  readonly body: string;
  /** Seconds since the Unix epoch. */
  readonly created: number;
  readonly nonce: string;
}

export interface MessageSecret {
  readonly id: string;
  readonly value: string;
}

/** How long a receiver may accept a signature, in seconds. A retry is signed anew. */
const LIFETIME = 300;

const DELIVERY_HEADER = 'chancery-delivery';
const CONTENT_TYPE = 'application/json';

/** The algorithms of the server's keys in the order of preference, with their names in RFC 9421 §6.2.2. */
const ALGORITHMS = {
  ES256: 'ecdsa-p256-sha256',
  EdDSA: 'ed25519',
  RS256: 'rsa-v1_5-sha256',
} as const satisfies Partial<Record<SignatureAlgorithm, string>>;

/** The parts of the request that a signature covers, in their order (RFC 9421 §2). */
const COVERED = ['@method', '@target-uri', 'content-digest', 'content-type', DELIVERY_HEADER] as const;

/**
 * Returns the headers of a request with its digest (RFC 9530 §2) and its signatures (RFC 9421 §3.1): `server` by the active key
 * of the server, and one for each secret of the webhook, for receivers that do not read JWK sets.
 */
export async function signedHeaders(
  keys: Pick<ServerKeys, 'canSign' | 'signOctets'>,
  secrets: readonly MessageSecret[],
  message: SignedMessage,
): Promise<Readonly<Record<string, string>>> {
  const digest = `sha-256=:${hash('sha256', message.body, 'base64')}:`;
  const alg = (Object.keys(ALGORITHMS) as (keyof typeof ALGORITHMS)[]).find((each) => keys.canSign(each));
  const inputs: string[] = [];
  const signatures: string[] = [];
  const add = (label: string, parameters: string, signature: Uint8Array): void => {
    inputs.push(`${label}=${parameters}`);
    signatures.push(`${label}=:${Buffer.from(signature).toString('base64')}:`);
  };
  if (alg !== undefined) {
    let parameters = '';
    const signature = await keys.signOctets(alg, (kid) => {
      parameters = parametersOf(message, kid, ALGORITHMS[alg]);
      return Buffer.from(signatureBase(message, digest, parameters));
    });
    add('server', parameters, signature);
  }
  for (const [index, { id, value }] of secrets.entries()) {
    const parameters = parametersOf(message, id, 'hmac-sha256');
    const base = signatureBase(message, digest, parameters);
    add(`secret${index + 1}`, parameters, createHmac('sha256', value).update(base).digest());
  }
  return {
    'content-type': CONTENT_TYPE,
    'content-digest': digest,
    [DELIVERY_HEADER]: message.delivery,
    'signature-input': inputs.join(', '),
    signature: signatures.join(', '),
  };
}

function parametersOf({ created, nonce }: SignedMessage, keyid: string, alg: string): string {
  const covered = COVERED.map((name) => `"${name}"`).join(' ');
  return `(${covered});created=${created};expires=${created + LIFETIME};nonce="${nonce}";keyid="${keyid}";alg="${alg}";tag="chancery-webhook"`;
}

/** RFC 9421 §2.5. */
function signatureBase({ url, delivery }: SignedMessage, digest: string, parameters: string): string {
  const values: Readonly<Record<(typeof COVERED)[number], string>> = {
    '@method': 'POST',
    '@target-uri': url,
    'content-digest': digest,
    'content-type': CONTENT_TYPE,
    [DELIVERY_HEADER]: delivery,
  };
  const lines = COVERED.map((name) => `"${name}": ${values[name]}`);
  return [...lines, `"@signature-params": ${parameters}`].join('\n');
}
