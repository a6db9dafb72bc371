import { DELIVERY_MODES } from '../spec/server-capabilities.ts';
import { flag, integer, list, type Setting, seconds } from './setting.ts';

/** Settings for clients that ask a person elsewhere (OpenID Connect Client-Initiated Backchannel Authentication, CIBA). */
export const BACKCHANNEL_SETTINGS = {
  'ciba.enabled': flag({
    tenants: 'own',
    default: false,
    description:
      'Whether clients may ask a person for a sign-in on another device (OpenID Connect CIBA). A client needs a registration for it too. It lets clients call on people who have not begun anything, so switch it on only if your clients need it. Off: registration drops the grant type, and discovery does not list it.',
  }),
  'ciba.delivery-modes': list({
    tenants: 'inherited',
    default: ['poll', 'ping'],
    items: 'modes',
    pattern: /^(?:poll|ping|push)$/u,
    rule: `must be a list out of ${DELIVERY_MODES.join(', ')}`,
    description:
      'How clients may get their tokens. `poll`: they ask again and again. `ping`: the server tells them when there is an answer. `push`: the server sends the tokens to them; no client authenticates for these, and they cannot be bound to a key.',
  }),
  'ciba.request-lifetime': seconds({
    tenants: 'inherited',
    default: 120,
    min: 30,
    max: 3600,
    description:
      'How long a person has to answer if the client does not ask for another time (`requested_expiry`).',
  }),
  'ciba.request-lifetime-max': seconds({
    tenants: 'inherited',
    default: 600,
    min: 30,
    max: 86_400,
    description: 'The longest time that a client gets with `requested_expiry`.',
  }),
  'ciba.interval': seconds({
    tenants: 'inherited',
    default: 5,
    min: 1,
    max: 60,
    description:
      'How long a client waits between two requests for its tokens. A client that comes sooner is told `slow_down`, and has to wait 5 seconds longer from then on.',
  }),
  'ciba.open-per-person': integer({
    tenants: 'inherited',
    default: 3,
    min: 1,
    max: 100,
    unit: 'requests',
    description:
      'How many requests of all clients may wait for one person. The server answers 429 beyond it, so that clients cannot wear a person down.',
  }),
  'ciba.open-per-client': integer({
    tenants: 'inherited',
    default: 100,
    min: 1,
    max: 100_000,
    unit: 'requests',
    description: 'How many requests of one client may wait for an answer. The server answers 429 beyond it.',
  }),
  'ciba.block-lifetime': seconds({
    tenants: 'inherited',
    default: 31_536_000,
    min: 3600,
    max: 315_360_000,
    description:
      'How long a client stays blocked for a person who blocked it. The client is not told: its requests expire without an answer.',
  }),
  'ciba.attempts-max': integer({
    tenants: 'inherited',
    default: 5,
    min: 1,
    max: 50,
    unit: 'attempts',
    description: 'How often the server tries to send a notification (`ping`, `push`).',
  }),
  'ciba.retry-delay': seconds({
    tenants: 'inherited',
    default: 5,
    min: 1,
    max: 3600,
    description:
      'Delay before the first retry of a notification. It doubles with each retry, up to an hour, with random jitter of up to a half.',
  }),
  'ciba.delivery-interval': seconds({
    default: 1,
    min: 1,
    max: 3600,
    description: 'How often the server looks for notifications to send, in each process.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
