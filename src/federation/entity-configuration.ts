import type { JsonWebKey } from '../spec/jwk.ts';
import { trustMarkType } from './statement-checks/trust-mark-checks.ts';

/** The claims of this server's entity configuration that settings decide. */
export interface OwnEntity {
  /** Equals the issuer: "issuer … MUST be equal to the Entity Identifier" (§5.1.3). */
  readonly entity_id: string;
  readonly authority_hints: readonly string[];
  /** The configured trust anchors: relying parties choose by them (§12). */
  readonly trust_anchor_hints: readonly string[];
  readonly trust_marks: readonly string[];
  readonly organization_name: string | undefined;
  readonly contacts: readonly string[];
  /** The URL of the historical keys (§8.7). */
  readonly historical_keys_endpoint: string;
  /** The provider metadata, as discovery publishes it. */
  readonly openid_provider: Readonly<Record<string, unknown>>;
  /** Seconds from `iat` to `exp`. */
  readonly lifetime: number;
}

/** Returns the claims of the entity configuration (§3.1, §5.1.1, §5.1.3). Omits claims without a value. */
export function entityConfiguration(
  entity: OwnEntity,
  keys: readonly JsonWebKey[],
  now: number,
): Readonly<Record<string, unknown>> {
  const { entity_id, authority_hints, trust_anchor_hints, trust_marks, organization_name, contacts } = entity;
  return {
    iss: entity_id,
    sub: entity_id,
    iat: now,
    exp: now + entity.lifetime,
    jwks: { keys },
    // "its value … MUST NOT be the empty array" (§3.1.2).
    ...(authority_hints.length === 0 ? {} : { authority_hints }),
    ...(trust_anchor_hints.length === 0 ? {} : { trust_anchor_hints }),
    ...(trust_marks.length === 0 ? {} : { trust_marks: trust_marks.map(shownMark) }),
    metadata: {
      federation_entity: {
        federation_historical_keys_endpoint: entity.historical_keys_endpoint,
        ...(organization_name === undefined ? {} : { organization_name }),
        ...(contacts.length === 0 ? {} : { contacts }),
      },
      openid_provider: entity.openid_provider,
    },
  };
}

function shownMark(trust_mark: string): object {
  return { trust_mark_type: trustMarkType(trust_mark), trust_mark };
}
