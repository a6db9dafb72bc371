import { choice, flag, integer, list, type Setting, SHA256_HEX, seconds, text } from './setting.ts';

const DAY = 86_400;

/** Accounts, sign-in and sessions of end-users. */
export const END_USER_SETTINGS = {
  'password.memory': integer({
    default: 19_456,
    min: 19_456,
    max: 1_048_576,
    unit: 'KiB',
    description:
      'The memory of one hash of a password (Argon2id, RFC 9106). No less than the OWASP Password Storage Cheat Sheet asks for; hashes made with other parameters are made again at the next sign-in.',
  }),
  'password.passes': integer({
    default: 2,
    min: 2,
    max: 100,
    unit: 'passes',
    description: 'How often one hash of a password goes through its memory.',
  }),
  'password.lanes': integer({
    default: 1,
    min: 1,
    max: 16,
    unit: 'lanes',
    description: 'How many lanes the memory of one hash of a password has.',
  }),
  'password.concurrency': integer({
    default: 2,
    min: 1,
    max: 64,
    unit: 'hashes',
    description:
      'How many passwords a process hashes at a time. Each takes `password.memory` and a thread of a pool of four (UV_THREADPOOL_SIZE) that files need too.',
  }),
  'password.waiting-max': integer({
    default: 64,
    min: 0,
    max: 10_000,
    unit: 'passwords',
    description: 'How many passwords may wait to be hashed; whoever comes then is told to come again.',
  }),

  'sign-in.attempts-per-account-and-network': integer({
    default: 20,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'attempts per hour',
    description:
      'How many failed attempts to sign in one network (an IPv4 address, an IPv6 /64) may make at one account, as many at once as in an hour; each browser that has signed in as the account before has as many for itself. 0 = no limit. Counted for all processes together.',
  }),
  'sign-in.attempts-per-account': integer({
    default: 60,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'attempts per hour',
    description:
      'How many failed attempts all networks together may make at one account; browsers that have signed in as the account before are not counted, so that its owner is not locked out. 0 = no limit.',
  }),
  'sign-in.attempts-per-network': integer({
    default: 300,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'attempts per hour',
    description:
      'How many failed attempts one network may make at all accounts together. Behind a proxy that `listen.trusted-proxies` does not name everybody is one network. 0 = no limit.',
  }),
  'sign-in.browser-lifetime': seconds({
    default: 180 * DAY,
    tenants: 'inherited',
    min: 0,
    max: 400 * DAY,
    description: 'How long after a sign-in its browser is known as one of the owner of the account.',
  }),
  'sign-in.consent': choice({
    default: 'third-party',
    tenants: 'inherited',
    values: ['third-party', 'always'],
    description:
      'Who is asked whether a client may know what it asks for: with `third-party` nobody is for clients that the operator registered, with a master token or by command, unless the client asks for that or for `offline_access`; with `always` everybody is, for every client. What was agreed to is remembered until the client is registered anew.',
  }),

  'sign-in.open-client-errors': choice({
    default: 'redirect',
    tenants: 'inherited',
    values: ['page', 'redirect'],
    description:
      'How a client that anybody could have registered (`registration.allow-open-registration`) hears of an error: with `redirect` the browser goes at once, as for all other clients; with `page` the end-user is asked before leaving for it (RFC 9700 §4.11.2). The answers to `prompt=none`, and the no of an end-user, always go at once.',
  }),
  'sign-in.external-url': text({
    default: 'none',
    tenants: 'own',
    pattern:
      /^(?:none|https:\/\/[^\s#@]{1,2000}|http:\/\/(?:127\.0\.0\.1|localhost)(?::\d{1,5})?\/[^\s#@]{0,2000})$/u,
    rule: 'must be none or an https address without fragment and user (http on loopback)',
    description:
      'The operator’s own sign-in page: whoever has to sign in is sent there, with the parameter `interaction`, and its server asks what is wanted and says what came of it (docs/sign-in.md). `none`: the page that comes with the server.',
  }),
  'sign-in.token-sha256': list({
    ...SHA256_HEX,
    description:
      'SHA-256 digests of the tokens with which the operator’s own sign-in page speaks to the server; several at once for a roll-over.',
  }),

  'session.idle-lifetime': seconds({
    default: DAY,
    tenants: 'inherited',
    min: 60,
    max: 400 * DAY,
    description: 'After how long without use a session of an end-user ends.',
  }),
  'session.lifetime': seconds({
    default: 14 * DAY,
    tenants: 'inherited',
    min: 60,
    max: 400 * DAY,
    description: 'After how long a session of an end-user ends however much it is used.',
  }),
  'session.per-account-max': integer({
    default: 25,
    tenants: 'inherited',
    min: 1,
    max: 10_000,
    unit: 'sessions',
    description:
      'How many sessions an account may have at a time; a further sign-in ends the one that was not seen for longest.',
  }),

  'authorization-code.lifetime': seconds({
    default: 60,
    tenants: 'inherited',
    min: 1,
    max: 600,
    description: 'How long an authorisation code can be redeemed.',
  }),
  'pushed-request.lifetime': seconds({
    default: 60,
    tenants: 'inherited',
    min: 5,
    max: 600,
    description: 'How long a pushed authorisation request (RFC 9126) waits for its end-user to come.',
  }),

  'pages.theme': text({
    default: 'none',
    tenants: 'inherited',
    pattern: /^[^\0]+$/u,
    rule: 'must be none or the path of a folder',
    description:
      'The folder of a theme for the pages that people see: what is in it replaces what comes with the server, file by file. `none`: the pages as they come.',
  }),
  'pages.error-details': flag({
    default: false,
    defaultWords: '`false`; `true` in development',
    tenants: 'inherited',
    description:
      'Whether error pages say what went wrong, for developers; otherwise they show an identifier that finds it in the log.',
  }),

  'interaction.rate-per-network': integer({
    default: 600,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'requests per minute',
    description:
      'How many requests that wait for somebody (sign-in, sign-out, requests that public clients push) one network (an IPv4 address, an IPv6 /64) may begin without being signed in, as many at once as in a minute; further ones are answered 429. 0 = no limit, for a server behind a proxy that `listen.trusted-proxies` does not name: everybody is one network there. Development: 0 unless it is set.',
  }),
  'interaction.rate': integer({
    default: 0,
    tenants: 'inherited',
    min: 0,
    max: 1_000_000,
    unit: 'requests per minute',
    description:
      'How many such requests all networks together may begin: whoever uses them up keeps everybody from signing in. 0 = no limit.',
  }),
  'interaction.lifetime': seconds({
    default: 900,
    tenants: 'inherited',
    min: 60,
    max: 3600,
    description: 'How long a page waits for its end-user: to sign in, to consent, to sign out.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
