import {
  type DecryptionNeeds,
  decryptedRequestObject,
  REQUEST_OBJECT_LENGTH_MAX,
} from '../../grants/authorization/request-object.ts';
import { stringsOf } from '../json-value.ts';
import { type ChainWishes, readGivenChains } from './given-chains.ts';
import type { FederatedClientNeeds } from './register-automatically.ts';
import { registrationRefusal } from './registration-refusal.ts';

export interface WishNeeds extends Pick<FederatedClientNeeds, 'trust' | 'registry'> {
  readonly requestObjects: DecryptionNeeds;
}

/**
 * Returns what the trust chains of a request object wish for. Nothing in the object is verified yet: the keys for that are in the
 * metadata, which the trust chain ends with. §12.1.1.1.2: "the OP MAY use the received Trust Chain as a hint for which path to
 * take". An object that cannot be read wishes for nothing, and is refused later.
 * @throws OAuthError if the chains contradict each other, or end at an anchor of others
 */
export async function wishesOf(
  { trust, registry, requestObjects }: WishNeeds,
  requestObject: string,
): Promise<Partial<ChainWishes>> {
  const decrypted = await decryptedRequestObject(requestObjects, requestObject);
  const jwt =
    'jwt' in decrypted ? trust.inspector.inspect(decrypted.jwt, REQUEST_OBJECT_LENGTH_MAX) : undefined;
  if (jwt === undefined || 'reason' in jwt) return {};
  const { header, claims } = jwt;
  // The header parameter "is RECOMMENDED over the use of this parameter; it is retained for historical reasons".
  const wishes = readGivenChains(trust, registry.issuer, { header, chain: stringsOf(claims['trust_chain']) });
  if ('reason' in wishes) throw registrationRefusal('final', 'chain', wishes.reason);
  return wishes;
}
