import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

let serial = 0;

/** Keys that look like keys and cost nothing. */
export function cheapKeyMaker(): KeyMaker & { readonly made: KeyKind[] } {
  const made: KeyKind[] = [];
  return {
    made,
    async makePrivateKey(kind): Promise<JsonWebKey> {
      made.push(kind);
      serial += 1;
      const private_ = { d: 'private', serial };
      if (kind.startsWith('RSA'))
        return { kty: 'RSA', n: `n${serial}`, e: 'AQAB', p: 'private', ...private_ };
      if (kind.endsWith('25519')) return { kty: 'OKP', crv: kind, x: `x${serial}`, ...private_ };
      return { kty: 'EC', crv: kind, x: `x${serial}`, y: 'y', ...private_ };
    },
    async thumbprint(jwk) {
      return `thumbprint of ${JSON.stringify([jwk['n'], jwk['x'], jwk['k']])}`;
    },
  };
}
