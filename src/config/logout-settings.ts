import { flag, integer, type Setting, seconds } from './setting.ts';

const DAY = 86_400;

/** Settings for RP-Initiated Logout and for the notification of clients (Back-Channel Logout). */
export const LOGOUT_SETTINGS = {
  'logout.endpoint': flag({
    default: true,
    tenants: 'inherited',
    description:
      'Whether clients can send end-users to `/logout`. If false, the path answers 404 and discovery does not name it. Clients are still notified of sessions that end in other ways.',
  }),
  'logout.hint-age-max': seconds({
    default: 0,
    tenants: 'inherited',
    min: 0,
    max: 3650 * DAY,
    description:
      'The maximum age of an ID token in `id_token_hint`. 0 = any age. An expired ID token is accepted in either case.',
  }),
  'logout.state-length-max': integer({
    default: 1024,
    tenants: 'inherited',
    min: 0,
    max: 8192,
    unit: 'characters',
    description: 'The maximum length of `state` in a logout request.',
  }),
  'logout.wait': seconds({
    default: 2,
    tenants: 'inherited',
    min: 0,
    max: 10,
    description:
      'How long the browser waits for the notification of the client it returns to. Notifications to other clients run at the same time.',
  }),
  'logout.frames-max': integer({
    default: 20,
    tenants: 'inherited',
    min: 0,
    max: 100,
    unit: 'frames',
    description:
      'The maximum number of frames in the page after a logout, one for each client of the session that has a `frontchannel_logout_uri`. The client that sent the end-user comes first, then those with the latest use; the log names the others. 0 switches Front-Channel Logout off: discovery does not offer it, and registrations drop its members.',
  }),
  'logout.frames-wait': seconds({
    default: 5,
    tenants: 'inherited',
    min: 1,
    max: 30,
    description:
      'How long the page after a logout waits for its frames to load before the browser returns to the client. Set it longer if clients of your end-users answer slowly.',
  }),
  'logout.attempts-max': integer({
    default: 10,
    tenants: 'inherited',
    min: 1,
    max: 50,
    unit: 'attempts',
    description:
      'The maximum number of attempts to notify a client of a logout. The server retries after a failed connection and after 408, 425, 429 and 5xx.',
  }),
  'logout.retry-delay': seconds({
    default: 5,
    tenants: 'inherited',
    min: 1,
    max: 3600,
    description:
      'Delay before the first retry of a notification. The delay doubles with each retry, up to an hour. Random jitter of up to a half keeps a client that returns from getting all notifications at once.',
  }),
  'logout.delivery-interval': seconds({
    default: 5,
    min: 1,
    max: 3600,
    description:
      'How often the server looks for due notifications: retries, and sessions that another process ended, such as `chancery accounts disable`.',
  }),
  'logout.log-lifetime': seconds({
    default: 7 * DAY,
    tenants: 'inherited',
    min: 0,
    max: 3650 * DAY,
    description: 'How long `chancery logouts list` shows the outcome of notifications.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
