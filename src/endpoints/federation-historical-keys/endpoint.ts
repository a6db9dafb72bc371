import { historicalKey } from '../../federation/historical-keys.ts';
import { type SignedDocumentNeeds, signedDocument } from '../../federation/signed-document.ts';
import type { ServerKeyStore } from '../../ports/server-key-store.ts';
import type { Endpoint } from '../contract.ts';
import { contract } from './contract.ts';

const TYPE = 'jwk-set+jwt';

export interface HistoricalKeysNeeds {
  readonly issuer: string;
  readonly removed: ServerKeyStore['removed'];
  readonly document: SignedDocumentNeeds;
  /** Seconds for which a cache may keep it. */
  readonly maxAge: number;
}

/** Serves the federation keys that are no longer published, so that their signatures can be verified later (OpenID Federation 1.0 §8.7). */
export function federationHistoricalKeys({
  issuer,
  removed,
  document,
  maxAge,
}: HistoricalKeysNeeds): Endpoint {
  const past = async () => (await removed()).filter(({ use }) => use === 'federation');
  const signed = signedDocument(document, {
    typ: TYPE,
    basis: async () => (await past()).map(({ kid }) => kid).join(' '),
    claims: async (_, iat) => ({ iss: issuer, iat, keys: (await past()).map(historicalKey) }),
  });
  const headers = { 'content-type': `application/${TYPE}`, 'cache-control': `public, max-age=${maxAge}` };
  return { contract, handle: async () => ({ status: 200, headers, body: await signed() }) };
}
