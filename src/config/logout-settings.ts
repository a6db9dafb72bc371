import { flag, integer, type Setting, seconds } from './setting.ts';

const DAY = 86_400;

/** RP-Initiated Logout, and what clients are told of it (Back-Channel Logout). */
export const LOGOUT_SETTINGS = {
  'logout.endpoint': flag({
    default: true,
    tenants: 'inherited',
    description:
      'Whether clients can send end-users to `/logout`. Without it the path answers 404 and is not advertised; sessions that end otherwise are told to clients all the same.',
  }),
  'logout.hint-age-max': seconds({
    default: 0,
    tenants: 'inherited',
    min: 0,
    max: 3650 * DAY,
    description:
      'How old an ID token may be that comes as `id_token_hint`; 0 = any age. It may have expired in any case.',
  }),
  'logout.state-length-max': integer({
    default: 1024,
    tenants: 'inherited',
    min: 0,
    max: 8192,
    unit: 'characters',
    description: 'How long the `state` of a logout request may be.',
  }),
  'logout.wait': seconds({
    default: 2,
    tenants: 'inherited',
    min: 0,
    max: 10,
    description:
      'How long a browser waits, before it goes back to the client that sent it, for that client to be told that the session has ended. The others are told meanwhile.',
  }),
  'logout.attempts-max': integer({
    default: 10,
    tenants: 'inherited',
    min: 1,
    max: 50,
    unit: 'attempts',
    description:
      'How often a client that cannot be reached, or answers 408, 425, 429 or 5xx, is told that a session has ended, before it is given up.',
  }),
  'logout.retry-delay': seconds({
    default: 5,
    tenants: 'inherited',
    min: 1,
    max: 3600,
    description:
      'How long after a failed attempt a client is told again; after each further one twice as long, up to an hour. Each wait is longer by up to a half, by chance, so that a client that was away is not told of everything at once.',
  }),
  'logout.delivery-interval': seconds({
    default: 5,
    min: 1,
    max: 3600,
    description:
      'How often the server looks for clients that are to be told: again, or because somebody else, such as `chancery accounts disable`, has ended a session.',
  }),
  'logout.log-lifetime': seconds({
    default: 7 * DAY,
    tenants: 'inherited',
    min: 0,
    max: 3650 * DAY,
    description:
      'How long `chancery logouts list` shows which clients were told, or could not be told, that a session has ended.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
