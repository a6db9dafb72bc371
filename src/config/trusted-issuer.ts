import * as z from 'zod/mini';

const KEYS_MAX = 20;

export const said = (error: string): { readonly error: string } => ({ error });

/** Refuses private keys here, so that no output shows one. The server checks the rest of a key when it starts. */
const publicKey = () =>
  z
    .looseObject({ kty: z.string(said('must be a key type (RFC 7517 §4.1)')) }, said('must be a JWK'))
    .check(z.refine((key) => !('d' in key || 'k' in key), said('must not be a private or symmetric key')));

/** Public keys of a trusted issuer. */
export const jwks = () =>
  z.strictObject(
    {
      keys: z
        .array(publicKey(), said('must be a list of JWKs'))
        .check(
          z.minLength(1, said('must hold a key')),
          z.maxLength(KEYS_MAX, said(`must not hold more than ${KEYS_MAX} keys`)),
        ),
    },
    mapError('must be a JWK set'),
  );

/** The URL where a trusted issuer publishes its keys. */
export const jwksUri = () =>
  z
    .string(said('must be an http or https URL'))
    .check(z.regex(/^https?:\/\/[^\s#@]+$/u, said('must be an http or https URL')));

export const identifier = (rule: string): z.ZodMiniString =>
  z.string(said(rule)).check(z.regex(/^[^\s\p{Cc}]{1,512}$/u, said(rule)));

/** Returns the error of a map. The loader reports unknown keys itself, with their path. */
export function mapError(words: string): {
  error: (issue: { readonly code?: string }) => string | undefined;
} {
  return { error: ({ code }) => (code === 'unrecognized_keys' ? undefined : words) };
}
