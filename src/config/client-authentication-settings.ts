import { AUTH_METHODS } from '../spec/client-metadata.ts';
import { choice, list, seconds } from './setting.ts';

/** How clients authenticate. The settings of certificates are with those of TLS. */
export const CLIENT_AUTHENTICATION_SETTINGS = {
  'client-authentication.methods': list({
    tenants: 'inherited',
    default: AUTH_METHODS,
    items: 'methods',
    pattern: /^[a-z_]{1,64}$/u,
    accepts: (method) => AUTH_METHODS.some((known) => known === method),
    rule: `must be a list of methods out of ${AUTH_METHODS.join(', ')}`,
    description:
      'The methods by which clients may register and authenticate. `none` stands for public clients. Registration refuses every other method, and so does each endpoint, for clients that registered earlier. The methods with certificates also need TLS settings.',
  }),
  'client-authentication.assertion-audience': choice({
    tenants: 'inherited',
    default: 'issuer',
    values: ['issuer', 'issuer-string', 'legacy'],
    description:
      'The `aud` that client assertions (`client_secret_jwt`, `private_key_jwt`) must have. `issuer`: the issuer as the only value. `issuer-string`: the same, and as a text, not in a list (FAPI 2.0 Security Profile §5.3.2.1). `legacy`: also the URL of an endpoint where clients authenticate (tokens, introspection, revocation, pushed requests, devices, CIBA), and several values. `legacy` is for clients older than draft-ietf-oauth-rfc7523bis: each recipient named in an assertion can use it at the others.',
  }),
  'client-authentication.assertion-lifetime-max': seconds({
    tenants: 'inherited',
    default: 3600,
    min: 60,
    max: 86_400,
    description:
      'The maximum time until a client assertion expires (`exp`), and its maximum age (`iat`). Clocks may differ by 60 seconds more. The server remembers each assertion for that time and accepts it once. The default suits libraries that make assertions for an hour. Lower it if all clients make assertions just before they use them.',
  }),
  'client-authentication.secret-transport': choice({
    tenants: 'inherited',
    default: 'any',
    values: ['any', 'registered'],
    description:
      'Where a client with a secret may send it. `any`: by HTTP Basic or in the form, whichever of `client_secret_basic` and `client_secret_post` it registered (RFC 6749 §2.3.1 requires Basic for every client with a password). `registered`: only by the registered method. All other methods are always as registered.',
  }),
};
