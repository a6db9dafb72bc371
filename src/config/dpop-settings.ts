import { choice, flag, seconds } from './setting.ts';

/** Settings for tokens that are bound to a key of the client (RFC 9449). */
export const DPOP_SETTINGS = {
  'dpop.enabled': flag({
    tenants: 'inherited',
    default: true,
    description:
      'Whether clients may bind tokens to a key of their own by a DPoP proof (RFC 9449). Off: the server passes over the `DPoP` header, and registration drops `dpop_bound_access_tokens`.',
  }),
  'dpop.proof-lifetime': seconds({
    tenants: 'inherited',
    default: 60,
    min: 1,
    max: 3600,
    description:
      'How long after its `iat` a DPoP proof is accepted. Clocks may differ by another 60 seconds. The server remembers each proof for this time, so that it is good for one request.',
  }),
  'dpop.nonces': choice({
    tenants: 'inherited',
    default: 'off',
    values: ['off', 'required'],
    description:
      'Whether a DPoP proof must contain a nonce of this server (RFC 9449 §8). `required`: a client gets the nonce by a refusal with `use_dpop_nonce`, and repeats its request. A thief then cannot prepare proofs for later with a key that it can use now.',
  }),
  'dpop.nonce-lifetime': seconds({
    tenants: 'inherited',
    default: 300,
    min: 10,
    max: 86_400,
    description:
      'How long the server hands out one nonce. It accepts the one before for as long again. All servers derive the same nonces, so nothing is stored.',
  }),
} as const;
