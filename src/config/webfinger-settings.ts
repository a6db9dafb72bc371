import { list } from './setting.ts';

export const WEBFINGER_SETTINGS = {
  'webfinger.domains': list({
    default: [],
    tenants: 'own',
    items: 'domains',
    pattern: /^(?!-)[a-z0-9.-]{1,253}(?::\d{1,5})?$/u,
    rule: 'must be a list of domains in lower case, with a port where it is not 443',
    description:
      'The domains whose users this server signs in. `/.well-known/webfinger` then names the server as the issuer of `acct:anyone@<domain>` and of addresses at the domain (OpenID Connect Discovery 1.0 §2), whether or not there is such an account. Clients ask the domain itself: let its web server pass the path on. Empty: the endpoint does not exist.',
  }),
} as const;
