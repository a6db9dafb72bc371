import { choice, flag, integer, list, type Setting, SHA256_HEX, seconds, text } from './setting.ts';

const DAY = 86_400;

/** Settings for accounts, sign-in and sessions of end-users. */
export const END_USER_SETTINGS = {
  'password.memory': integer({
    default: 19_456,
    min: 19_456,
    max: 1_048_576,
    unit: 'KiB',
    description:
      'The memory of one password hash (Argon2id, RFC 9106). The minimum is that of the OWASP Password Storage Cheat Sheet. After a change, the server rehashes each password at its next sign-in.',
  }),
  'password.passes': integer({
    default: 2,
    min: 2,
    max: 100,
    unit: 'passes',
    description: 'The number of passes over the memory of one password hash.',
  }),
  'password.lanes': integer({
    default: 1,
    min: 1,
    max: 16,
    unit: 'lanes',
    description: 'The number of lanes in the memory of one password hash.',
  }),
  'password.concurrency': integer({
    default: 2,
    min: 1,
    max: 64,
    unit: 'hashes',
    description:
      'The maximum number of passwords that a process hashes at the same time. Each takes `password.memory` and one of four pool threads (UV_THREADPOOL_SIZE), which file access needs too. With several workers, divide it by their number.',
  }),
  'password.waiting-max': integer({
    default: 64,
    min: 0,
    max: 10_000,
    unit: 'passwords',
    description:
      'The maximum number of sign-ins that wait for a hash. Further sign-ins get 429 with `Retry-After`.',
  }),

  'sign-in.attempts-per-account-and-network': integer({
    default: 20,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'attempts per hour',
    description:
      'The maximum rate of failed sign-ins at one account from one network (an IPv4 address or an IPv6 /64), which may come in one burst. Each browser that has signed in to the account before has its own allowance. 0 = no limit. All processes count together.',
  }),
  'sign-in.attempts-per-account': integer({
    default: 60,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'attempts per hour',
    description:
      'The maximum rate of failed sign-ins at one account from all networks together. Browsers that have signed in to the account before do not count, so that an attack does not lock out the owner. 0 = no limit.',
  }),
  'sign-in.attempts-per-network': integer({
    default: 300,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'attempts per hour',
    description:
      'The maximum rate of failed sign-ins from one network at all accounts together. 0 = no limit. Behind a proxy, set `listen.trusted-proxies` first: without it all clients share one network.',
  }),
  'sign-in.browser-lifetime': seconds({
    default: 180 * DAY,
    tenants: 'inherited',
    min: 0,
    max: 400 * DAY,
    description:
      'How long after a sign-in the server recognises the browser as one that the account’s owner uses.',
  }),
  'sign-in.consent': choice({
    default: 'third-party',
    tenants: 'inherited',
    values: ['third-party', 'always'],
    description:
      'When to show the consent page. `third-party`: for clients that registered themselves, and for every client that sends `prompt=consent` or asks for `offline_access`. Clients that the operator registered, by master token or by command, need none otherwise. `always`: for every client. The server remembers consent until the client is registered anew.',
  }),

  'sign-in.open-client-errors': choice({
    default: 'redirect',
    tenants: 'inherited',
    values: ['page', 'redirect'],
    description:
      'How the server reports an authorisation error to a client that anyone could have registered (`registration.allow-open-registration`). `redirect`: the browser goes to the client at once. `page`: the end-user confirms first (RFC 9700 §4.11.2). Answers to `prompt=none`, and an end-user’s refusal, always go at once.',
  }),
  'sign-in.external-url': text({
    default: 'none',
    tenants: 'own',
    pattern:
      /^(?:none|https:\/\/[^\s#@]{1,2000}|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?\/[^\s#@]{0,2000})$/u,
    rule: 'must be none or an https address without fragment and user (http on loopback)',
    description:
      'The URL of your own sign-in page. The server sends end-users there with the parameter `interaction`; your server reads the request and reports the outcome (docs/sign-in.md). `none`: the built-in page.',
  }),
  'sign-in.token-sha256': list({
    ...SHA256_HEX,
    description:
      'SHA-256 digests of the tokens with which your own sign-in page calls the server. List several during a rotation.',
  }),

  'sign-in.acr-values': list({
    default: [],
    tenants: 'own',
    items: 'acr values',
    pattern: /^[\x21\x23-\x5B\x5D-\x7E]{1,255}$/u,
    rule: 'must be a list of acr values of 1 to 255 visible ASCII characters, without quotation marks and backslashes',
    description:
      'The `acr` values that your own sign-in page can report. Discovery publishes them as `acr_values_supported`. An end-user whose session has none of the requested values signs in again if the list has one of them. Empty: the page may be able to report any value, and discovery names none. The built-in page has one value of its own: leave the list empty for it.',
  }),
  'sign-in.acr-ascending': flag({
    default: false,
    tenants: 'inherited',
    description:
      'Whether `sign-in.acr-values` goes from the weakest to the strongest value. A session with a stronger value then meets `acr_values` that name a weaker one, without a new sign-in. Tokens say the `acr` that there is, so resource servers must know the order too. An essential claim `acr` is met by its own values only.',
  }),
  'sign-in.acr-required': flag({
    default: false,
    tenants: 'inherited',
    description:
      'Whether a request fails with `unmet_authentication_requirements` if the sign-in has none of its `acr_values`. By default `acr_values` is a wish (OpenID Connect Core 1.0 §3.1.2.1), and tokens say which `acr` there is. Set it where resource servers ask for step-up (RFC 9470 §5): otherwise a client can get the same insufficient token again and again.',
  }),

  'session.idle-lifetime': seconds({
    default: DAY,
    tenants: 'inherited',
    min: 60,
    max: 400 * DAY,
    description: 'How long an end-user’s session lasts without use.',
  }),
  'session.lifetime': seconds({
    default: 14 * DAY,
    tenants: 'inherited',
    min: 60,
    max: 400 * DAY,
    description: 'How long an end-user’s session lasts at most.',
  }),
  'session.per-account-max': integer({
    default: 25,
    tenants: 'inherited',
    min: 1,
    max: 10_000,
    unit: 'sessions',
    description:
      'The maximum number of sessions of one account. A further sign-in ends the session with the oldest use.',
  }),

  'authorization-code.lifetime': seconds({
    default: 60,
    tenants: 'inherited',
    min: 1,
    max: 600,
    description: 'The lifetime of an authorisation code.',
  }),
  'pushed-request.lifetime': seconds({
    default: 60,
    tenants: 'inherited',
    min: 5,
    max: 600,
    description: 'The lifetime of a pushed authorisation request (RFC 9126).',
  }),

  'pages.theme': text({
    default: 'none',
    tenants: 'inherited',
    pattern: /^[^\0]+$/u,
    rule: 'must be none or the path of a folder',
    description:
      'The folder of a theme for the pages. Each file in it replaces the built-in file of the same name. `none`: the built-in pages.',
  }),
  'pages.cross-origin-opener-policy': choice({
    default: 'same-origin',
    values: ['same-origin', 'unsafe-none'],
    description:
      'The header Cross-Origin-Opener-Policy of the pages. With `same-origin` a site that opens a page in a window loses its hold on that window, and the window its `opener`. Set `unsafe-none` only for clients that sign in through a pop-up window and wait for a message from it.',
    tenants: 'inherited',
  }),
  'pages.logos': choice({
    default: 'all',
    values: ['all', 'vouched', 'none'],
    description:
      'The clients whose `logo_uri` is shown on the sign-in and consent pages. The server fetches the image (PNG, JPEG, GIF or WebP over https, without redirects) and serves it itself. `all`: a client that anyone could have registered shows a logo only if it has the host that the response goes to, or that of its metadata document. `vouched`: clients that were registered with a token or by the operator. Set `vouched` if strangers may register and could imitate a logo.',
    tenants: 'inherited',
  }),
  'pages.logo-size-max': integer({
    default: 262_144,
    min: 1024,
    max: 1_048_576,
    unit: 'bytes',
    tenants: 'inherited',
    description: 'The maximum size of a logo. A larger image is not shown.',
  }),
  'pages.logo-pixels-max': integer({
    default: 2048,
    min: 16,
    max: 8192,
    unit: 'pixels',
    tenants: 'inherited',
    description: 'The maximum width and height of a logo. A larger image is not shown.',
  }),
  'pages.logo-lifetime': seconds({
    default: 86_400,
    min: 60,
    max: 2_592_000,
    tenants: 'inherited',
    description:
      'How long a fetched logo is shown before it is fetched again. An address that gave no image is asked again after 5 minutes at most.',
  }),
  'pages.error-details': flag({
    default: false,
    defaultWords: '`false`; `true` in development',
    tenants: 'inherited',
    description:
      'Whether error pages show the cause, for developers. Otherwise they show an identifier that finds the cause in the log.',
  }),

  'interaction.rate-per-network': integer({
    default: 600,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'requests per minute',
    description:
      'The maximum rate at which one network (an IPv4 address or an IPv6 /64) may send authorisation requests without a session, start a sign-out without one, and push requests of public clients. An authorisation request that needs no page does not count. They may come in one burst. The server answers 429 beyond it. 0 = no limit, which is the default in development. Behind a proxy, set `listen.trusted-proxies` first, or set 0: without it all clients share one network.',
  }),
  'interaction.rate': integer({
    default: 0,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'requests per minute',
    description:
      'The maximum rate of such requests from all networks together. A stranger who exhausts it keeps every end-user from signing in. 0 = no limit.',
  }),
  'interaction.lifetime': seconds({
    default: 900,
    tenants: 'inherited',
    min: 60,
    max: 3600,
    description: 'How long a page waits for the end-user to sign in, consent or sign out.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
