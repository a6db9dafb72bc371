import { flag, integer, list, type Setting, SHA256_HEX, seconds } from './setting.ts';

/** Settings for streams of security events (OpenID Shared Signals Framework 1.0), and for revocations that others ask for. */
export const SIGNAL_SETTINGS = {
  'signals.enabled': flag({
    default: false,
    tenants: 'inherited',
    description:
      'Lets clients with the scope value `ssf.manage` make streams, on which the server tells them that sessions and grants ended, and that credentials and claims changed (OpenID Shared Signals Framework 1.0). While it is off, streams that exist keep their place, and nothing is delivered.',
  }),
  'signals.streams-per-client': integer({
    default: 5,
    min: 1,
    max: 100,
    unit: 'streams',
    tenants: 'inherited',
    description: 'The maximum number of streams of a client.',
  }),
  'signals.held-max': integer({
    default: 10_000,
    min: 10,
    max: 1_000_000,
    unit: 'events',
    tenants: 'inherited',
    description:
      'The maximum number of events that the outbox of a stream holds: those that wait, and those that failed. The last place is for the event that says that the stream is disabled; later events are not kept. Applies to streams that are made or changed from then on.',
  }),
  'signals.subjects-max': integer({
    default: 1000,
    min: 0,
    max: 100_000,
    unit: 'subjects',
    tenants: 'inherited',
    description: 'The maximum number of subjects that a stream leaves out.',
  }),
  'signals.attempts-max': integer({
    default: 15,
    min: 1,
    max: 50,
    unit: 'attempts',
    tenants: 'inherited',
    description:
      'The maximum number of attempts to push an event. With the default and the default delay they take about seven hours. Then the event has failed, and the next one is tried.',
  }),
  'signals.retry-delay': seconds({
    default: 10,
    min: 1,
    max: 3600,
    tenants: 'inherited',
    description:
      'Delay before the first retry of a push. It doubles with each retry, up to an hour, with random jitter of up to a half.',
  }),
  'signals.verification-interval': seconds({
    default: 60,
    min: 0,
    max: 86_400,
    tenants: 'inherited',
    description:
      'The minimum time between two verification events that a client asks for on one stream. The server answers 429 before that (`min_verification_interval`).',
  }),
  'signals.poll-wait': seconds({
    default: 10,
    min: 0,
    max: 300,
    tenants: 'inherited',
    description:
      'How long the answer to a poll waits for an event if the client permits it (RFC 8936 §2.2). Waiting polls count among `events.streams`, and ask the database once a second. 0 = every poll is answered at once.',
  }),
  'signals.delivery-interval': seconds({
    default: 1,
    min: 1,
    max: 3600,
    description: 'How often the server looks for events to push, in each process.',
  }),
  'global-revocation.token-sha256': list({
    ...SHA256_HEX,
    tenants: 'own',
    description:
      'SHA-256 digests of the tokens with which trusted parties, such as an incident tool, end all sessions, grants and tokens of a person (`POST /global-token-revocation`). `LABEL:DIGEST` gives a token a name in the audit. Empty: the endpoint does not stand.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
