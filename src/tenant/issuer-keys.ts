import type { SettingsProblem } from '../config/settings-error.ts';
import { clientJwkProblem } from '../keys/client-jwk.ts';
import { duplicateKeyId } from '../keys/client-jwk-set.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

/** The public keys of somebody who is trusted, or where they are, as `chancery.yaml` has them. */
interface ConfiguredKeys {
  readonly jwks?: { readonly keys: readonly JsonWebKey[] } | undefined;
  readonly 'jwks-uri'?: string | undefined;
}

export function issuerKeys({
  jwks,
  'jwks-uri': jwks_uri,
}: ConfiguredKeys): { readonly jwks: readonly JsonWebKey[] } | { readonly jwks_uri: string } {
  return jwks_uri === undefined ? { jwks: jwks?.keys ?? [] } : { jwks_uri };
}

/** Keys and addresses that could never be used: better known at start than at the first signature. */
export function keyProblems(
  { jwks, 'jwks-uri': jwks_uri }: ConfiguredKeys,
  path: string,
  outbound: OutboundHttp,
): readonly SettingsProblem[] {
  const refused = (at: string, rule: string): SettingsProblem => ({
    path: path + at,
    source: 'at start',
    rule,
  });
  const keys = jwks?.keys ?? [];
  const unsound = keys.flatMap((key, index) => {
    const problem = clientJwkProblem(key);
    return problem === undefined ? [] : [refused(`.jwks.keys[${index}]`, problem)];
  });
  const twice = duplicateKeyId(keys) ? [refused('.jwks', 'has two keys with the same kid and use')] : [];
  const address = jwks_uri === undefined ? undefined : outbound.urlProblem(jwks_uri);
  const uncallable =
    address === undefined
      ? []
      : [refused('.jwks-uri', `cannot be called: ${address.reason} (${address.detail})`)];
  return [...unsound, ...twice, ...uncallable];
}
