import { CLIENT_DOCUMENT_REGISTRATION } from './client-document-settings.ts';
import { choice, flag, integer, list, type Setting, SHA256_HEX, seconds } from './setting.ts';
import { softwareStatementIssuers } from './software-statement-issuers.ts';

const YEAR = 31_536_000;

/** Settings for the registration of clients, and for what the server issues to them. */
export const REGISTRATION_SETTINGS = {
  'registration.master-token-sha256': list({
    ...SHA256_HEX,
    description:
      'SHA-256 digests of the master tokens of the client registry. List several during a rotation. `LABEL:DIGEST` gives a token a name in the audit. Empty: no master token exists, and the list of clients answers 403.',
  }),
  'registration.allow-open-registration': flag({
    tenants: 'own',
    default: false,
    description:
      'Whether anyone may register a client for the grants authorization_code, implicit and refresh_token. By default every registration needs a token. Set the limits `registration.open-*` as well when you switch it on.',
  }),
  'registration.open-scope-values': list({
    tenants: 'own',
    default: [],
    items: 'scope values',
    // RFC 6749 §3.3: scope-token = 1*( %x21 / %x23-5B / %x5D-7E )
    pattern: /^[\x21\x23-\x5B\x5D-\x7E]+$/u,
    rule: 'must be a list of scope values, without spaces, quotes and backslashes',
    description:
      'Scope values that open registration accepts without a token. A client that registers without `scope` gets them as its default scope: it may ask for them, beside the scope of OpenID Connect, and a request without `scope` asks for them.',
  }),
  'registration.open-openid-scope': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether a client may register the scope values of OpenID Connect without a token. Without `scope` it may ask for them in any case. MCP clients register all values of `scopes_supported`, if their server names none.',
  }),
  'registration.open-other-grants': choice({
    tenants: 'inherited',
    default: 'refuse',
    values: ['refuse', 'drop'],
    description:
      'The answer to a registration without a token that names grant types beside authorization_code which need one, as Claude does with JWT bearer. `refuse`: 401. `drop`: the client is registered without them. Alone they are refused always.',
  }),
  'registration.private-schemes': choice({
    tenants: 'inherited',
    default: 'any',
    values: ['any', 'reverse-domain'],
    description:
      'The private-use schemes that redirection URIs of native clients may have. `any`: `scheme://host/path`, as editors and MCP clients use (`cursor://…`), or a domain name in reverse order (`com.example.app:/cb`). `reverse-domain`: only the latter (RFC 8252 §7.1). Schemes of browsers and of the operating system are refused always, and requests with such a URI must use PKCE.',
  }),
  ...CLIENT_DOCUMENT_REGISTRATION,
  'registration.software-statement-issuers': softwareStatementIssuers,
  'registration.open-rate-per-network': integer({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 1_000_000,
    unit: 'registrations per minute',
    description:
      'The maximum rate of registrations without a token from one network (an IPv4 address or an IPv6 /64), which may come in one burst. The server answers 429 beyond it. 0 = no limit. Behind a proxy, set `listen.trusted-proxies` first: without it all clients share one network.',
  }),
  'registration.open-rate': integer({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 1_000_000,
    unit: 'registrations per minute',
    description:
      'The maximum rate of registrations without a token from all networks together. 0 = no limit.',
  }),
  'registration.open-clients-max': integer({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 1_000_000_000,
    unit: 'clients',
    description:
      'The maximum number of clients registered without a token. Beyond it, a registration needs a token. 0 = no limit.',
  }),
  'registration.open-idempotent': flag({
    tenants: 'inherited',
    default: false,
    description:
      'Whether a second registration of a public client without a token, with the same metadata, returns the client that exists. All registrants share such a client: responses carry no registration token, and only the master token manages it.',
  }),
  'registration.idle-client-lifetime': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description:
      'When the server deletes a client registered without a token: after this time without use, and never while it may have live access tokens. 0 = never. Set it above `refresh-token.lifetime`: the refresh tokens of a deleted client end with it. The client can register again.',
  }),
  'registration.advertise': choice({
    tenants: 'inherited',
    default: 'register',
    values: ['register', 'clients'],
    description:
      'The address that discovery publishes as registration_endpoint: `/register`, which answers 201 (RFC 7591 §3.2.1), or `/clients`, which answers 200. Both always work.',
  }),
  'registration.client-secret-lifetime': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: 10 * YEAR,
    description: 'How long a client secret is valid. 0 = it does not expire (RFC 7591 §3.2.1).',
  }),
  'registration.previous-secret-grace': seconds({
    tenants: 'inherited',
    default: 0,
    min: 0,
    max: YEAR,
    description:
      'Grace period in which the previous client secret stays valid after an update made a new one. Set it when clients cannot switch secrets at once.',
  }),
  'registration.client-id-length': integer({
    tenants: 'inherited',
    default: 24,
    min: 16,
    max: 80,
    unit: 'characters',
    description: 'The length of generated client identifiers. Each character holds 5.95 bits.',
  }),
  'registration.client-secret-length': integer({
    tenants: 'inherited',
    default: 43,
    min: 43,
    max: 128,
    unit: 'characters',
    description: 'The length of generated client secrets. 43 characters hold 256 bits.',
  }),
  'registration.registration-token-length': integer({
    tenants: 'inherited',
    default: 43,
    min: 43,
    max: 128,
    unit: 'characters',
    description: 'The length of registration access tokens. 43 characters hold 256 bits.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
