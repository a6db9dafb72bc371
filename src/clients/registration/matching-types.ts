import type { ClientMetadata } from '../../spec/client-metadata.ts';
import { quotedValue } from '../../spec/errors.ts';
import { GRANT_TYPES, type GrantType, RESPONSE_TYPES, responseTypeName } from '../../spec/grant-types.ts';
import type { Dropped } from '../../spec/metadata-mistake.ts';

/** The two members that must go together (OpenID Connect Dynamic Client Registration 1.0 §2, "grant_types"). */
export type Types = Pick<ClientMetadata, 'grant_types' | 'response_types'>;

const grantsOf = (type: string): readonly GrantType[] => RESPONSE_TYPES[responseTypeName(type) ?? ''] ?? [];

/**
 * Drops the response types whose grant types the client does not register. Then drops the redirecting grant types that no remaining
 * response type needs. The client could not use what is dropped: oidc-agent names `token` beside the device grant. RFC 7591 §2.1 leaves it to the server how it prevents "an inconsistent state". Where no redirecting grant type
 * could stay, everything stays, and the rules refuse it: the client could not sign anyone in.
 */
export function matchingTypes(asked: Types): { readonly types: Types; readonly dropped: readonly Dropped[] } {
  const { grant_types, response_types } = asked;
  const fitting = response_types.filter((type) => grantsOf(type).every((one) => grant_types.includes(one)));
  const isNeeded = (grant: GrantType): boolean => fitting.some((type) => grantsOf(type).includes(grant));
  const redirecting = grant_types.filter((grant) => GRANT_TYPES[grant].redirects);
  if (redirecting.length > 0 && !redirecting.some(isNeeded)) return { types: asked, dropped: [] };
  const useless = redirecting.filter((grant) => !isNeeded(grant));
  const dropped = [
    ...useless.map((grant) => ({
      member: 'grant_types',
      value: quotedValue(grant),
      rule: 'is dropped, because no registered response type uses it',
    })),
    ...response_types
      .filter((type) => !fitting.includes(type))
      .map((type) => ({
        member: 'response_types',
        value: quotedValue(type),
        rule: `is dropped, because grant_types does not include ${grantsOf(type)
          .filter((grant) => !grant_types.includes(grant))
          .join(' and ')}`,
      })),
  ];
  const stays = (grant: GrantType): boolean => !useless.includes(grant);
  return { types: { grant_types: grant_types.filter(stays), response_types: fitting }, dropped };
}
