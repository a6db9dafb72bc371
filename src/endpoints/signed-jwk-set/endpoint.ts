import { keyNames, type SignedDocumentNeeds, signedDocument } from '../../federation/signed-document.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const TYPE = 'jwk-set+jwt';

export interface SignedJwkSetNeeds {
  readonly issuer: string;
  readonly keys: Pick<ServerKeys, 'jwks'>;
  readonly document: SignedDocumentNeeds;
  /** Seconds for which a cache may keep it. */
  readonly maxAge: number;
}

/** Serves the JWK set, signed with the federation key. Without a federation it answers `federation_not_enabled` (decision 37). */
export function signedJwkSet(needs: SignedJwkSetNeeds | undefined): Endpoint {
  if (needs === undefined) {
    return {
      contract,
      handle() {
        throw new OAuthError('federation_not_enabled', {
          error_description: 'OpenID Federation is not enabled',
        });
      },
    };
  }
  const { issuer, keys, document, maxAge } = needs;
  const signed = signedDocument(document, {
    typ: TYPE,
    basis: async () => keyNames(await keys.jwks()),
    claims: async (_, iat) => ({ iss: issuer, sub: issuer, iat, keys: (await keys.jwks()).keys }),
  });
  const headers = { 'content-type': `application/${TYPE}`, 'cache-control': `public, max-age=${maxAge}` };
  return {
    // §5.2.1. Metadata names the address only with a federation.
    contract: { ...contract, advertisedAs: 'signed_jwks_uri' },
    handle: async () => ({ status: 200, headers, body: await signed() }),
  };
}
