import * as z from 'zod/mini';

const KEYS_MAX = 20;

export const said = (error: string): { readonly error: string } => ({ error });

/** Whether a key is sound is found out at start; here a private one is refused, so that it is not shown anywhere. */
const publicKey = z
  .looseObject({ kty: z.string(said('must be a key type (RFC 7517 §4.1)')) }, said('must be a JWK'))
  .check(z.refine((key) => !('d' in key || 'k' in key), said('must not be a private or symmetric key')));

/** Public keys of somebody whose word is taken. */
export const jwks = z.strictObject(
  {
    keys: z
      .array(publicKey, said('must be a list of JWKs'))
      .check(
        z.minLength(1, said('must hold a key')),
        z.maxLength(KEYS_MAX, said(`must not hold more than ${KEYS_MAX} keys`)),
      ),
  },
  mapError('must be a JWK set'),
);

/** Where they are published. */
export const jwksUri = z
  .string(said('must be an http or https URL'))
  .check(z.regex(/^https?:\/\/[^\s#@]+$/u, said('must be an http or https URL')));

export const identifier = (rule: string): z.ZodMiniString =>
  z.string(said(rule)).check(z.regex(/^[^\s\p{Cc}]{1,512}$/u, said(rule)));

/** A key that is not known is named by the loader, with its path. */
export function mapError(words: string): {
  error: (issue: { readonly code?: string }) => string | undefined;
} {
  return { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : words) };
}
