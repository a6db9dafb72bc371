import { CompactSign } from 'jose';
import type { JwtSigner } from '../ports/jwt-signer.ts';
import { privateKeys } from './private-keys.ts';

export function joseJwtSigner(): JwtSigner {
  const keyOf = privateKeys();
  return {
    async sign(claims, { alg, kid, typ }, privateKey) {
      return await new CompactSign(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg, kid, ...(typ === undefined ? {} : { typ }) })
        .sign(keyOf(privateKey));
    },
  };
}
