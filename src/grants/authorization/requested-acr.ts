import type { AuthorizationRequest, ClaimRequest } from './authorization-request.ts';

/** Values of `acr` that a request names; one of them is enough. */
export interface RequestedAcr {
  readonly values: readonly string[];
  /** Whether the request fails without one of them. */
  readonly required: boolean;
  /** Whether a stronger value does not count: the ID token must have one of them (OpenID Connect Core 1.0 §5.5.1.1). */
  readonly exact: boolean;
}

/**
 * Returns the `acr` values that a request names, the required ones first. An essential claim with values is a requirement
 * (OpenID Connect Core 1.0 §5.5.1.1). The parameter `acr_values` is a wish (§3.1.2.1: "requested as a Voluntary Claim"), and a
 * requirement if the operator says so (RFC 9470 §5: "SHOULD consider the requested acr value as necessary").
 * @param acrRequired `sign-in.acr-required`
 */
export function requestedAcr(
  { acr_values, claims }: Pick<AuthorizationRequest, 'acr_values' | 'claims'>,
  acrRequired: boolean,
): readonly RequestedAcr[] {
  const claim = claims.id_token['acr'];
  const isEssential = claim?.essential === true;
  const requests = [
    { values: valuesOf(claim), required: isEssential, exact: isEssential },
    { values: acr_values, required: acrRequired, exact: false },
  ];
  return requests
    .filter(({ values }) => values.length > 0)
    .toSorted((one, other) => Number(other.required) - Number(one.required));
}

function valuesOf(claim: ClaimRequest | undefined): readonly string[] {
  if (claim === undefined || claim === null) return [];
  const { value, values = [] } = claim;
  return [...values, ...(value === undefined ? [] : [value])].filter((acr) => typeof acr === 'string');
}
