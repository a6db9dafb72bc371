import type { JsonWebKey } from '../../spec/jwk.ts';

/** Whom the operator trusts, by keys that came another way than over the network (§4; decision 36). */
export interface TrustAnchor {
  readonly entity_id: string;
  readonly keys: readonly JsonWebKey[];
}
