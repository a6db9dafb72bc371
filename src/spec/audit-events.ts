/** Where the server writes an event: `row` into the audit table and the log, `line` into the log only (ADR 71). */
export type AuditPlace = 'row' | 'line';

interface AuditEventKind {
  /** One sentence, for the reference. */
  readonly words: string;
  readonly place: AuditPlace;
  /** The values that `detail` may have; absent: always null, or the error code of a refusal. */
  readonly detail?: string;
}

/** Every action that an audit event can have. The reference is made from this table. */
const ANCHOR_KEY = 'the anchor, the `kid` and the thumbprint of the key';

export const AUDIT_EVENTS = {
  'client.create': {
    words: 'A client was registered, or a registration by an authenticated party was refused.',
    place: 'row',
    detail: '`dry run`, `identical client`, or null',
  },
  'client.read': {
    words: 'A party read the metadata of a client.',
    place: 'row',
    detail: '`expired secret renewed`, or null',
  },
  'client.update': {
    words: 'The metadata of a client was replaced.',
    place: 'row',
    detail: '`dry run`, or null',
  },
  'client.delete': {
    words: 'A client was deleted.',
    place: 'row',
    detail: '`purged`, or null if the client can be restored',
  },
  'client.restore': {
    words: 'A former version of a client, or a deleted client, was restored.',
    place: 'row',
    detail:
      '`dry run`, `version N` or `deleted client`, then `with secrets` where those of the version were restored',
  },
  'client.purge': {
    words: 'The former versions of a client, or a deleted client, were deleted before their time.',
    place: 'row',
  },
  'client.list': { words: 'A party listed clients.', place: 'row' },
  'client.secret': {
    words: 'A secret of a client was made, retired or renewed.',
    place: 'row',
    detail: 'the change',
  },
  'client.prune': { words: 'An idle client was deleted.', place: 'row' },
  'client.expire': { words: 'The registration of a client ended with its lifetime.', place: 'row' },
  'client.supersede': { words: 'A registration by a federation replaced an earlier one.', place: 'row' },
  'client.import': { words: 'A command imported a client.', place: 'row' },
  'account.create': {
    words: 'An account was made: by a command, or at the first sign-in on the page of the operator.',
    place: 'row',
    detail: '`signed in elsewhere`, or null',
  },
  'account.update': {
    words: 'An account was changed.',
    place: 'row',
    detail: 'the change, such as `password`, `disabled` or `claims`',
  },
  'account.delete': { words: 'An account was deleted.', place: 'row' },
  'account.revoke': {
    words: 'A trusted party ended all sessions, grants and tokens of a person.',
    place: 'row',
  },
  'account.locked': {
    words: 'An account had too many attempts to sign in. At most once an hour and process.',
    place: 'row',
    detail: '`too many attempts`',
  },
  'session.create': {
    words: 'An end-user signed in, and a session began.',
    place: 'row',
    detail: 'the methods of authentication (`amr`), separated by spaces, or null',
  },
  'session.end': {
    words: 'A session was ended: by its end-user, or by a command.',
    place: 'row',
    detail: '`sid` and the identifier of the session',
  },
  'sign-in.refuse': {
    words: 'An attempt to sign in was refused.',
    place: 'line',
    detail:
      'the reason: `unknown-user`, `wrong-password`, `disabled-account`, `account-changed`, `too-many-sign-ins` or `sign-ins-wait`',
  },
  'consent.grant': {
    words: 'An end-user agreed to the request of a client.',
    place: 'row',
    detail: 'the scope, cut after 500 characters',
  },
  'consent.withdraw': {
    words: 'Access of a client was withdrawn: the consent of the end-user ended with all grants for it.',
    place: 'row',
    detail: '`by the end-user`, or null',
  },
  'consent.revoke': {
    words:
      'A consent ended before the end-user was asked again, because the document of the client had changed.',
    place: 'row',
    detail: '`the document of the client changed`',
  },
  'backchannel.request': {
    words: 'A client without a browser asked a person for a sign-in (CIBA).',
    place: 'row',
    detail: 'how the client gets its tokens: `poll`, `ping` or `push`',
  },
  'backchannel.allow': {
    words: 'A person allowed the request of a client without a browser.',
    place: 'row',
    detail: 'how the client gets its tokens: `poll`, `ping` or `push`',
  },
  'backchannel.deny': {
    words: 'A person or an administrator refused the request of a client without a browser.',
    place: 'row',
  },
  'backchannel.block': {
    words: 'A person blocked a client: its requests no longer reach the person.',
    place: 'row',
  },
  'backchannel.unblock': { words: 'A person no longer blocks a client.', place: 'row' },
  'device.deny': {
    words: 'An administrator refused a device, in place of its person.',
    place: 'row',
  },
  'code.issue': {
    words: 'A client received an authorisation code.',
    place: 'line',
    detail: 'the response type',
  },
  'token.issue': {
    words:
      'A client received tokens for an end-user. Tokens of clients that act for themselves are counted only.',
    place: 'line',
    detail: 'the grant type, or the response type at the authorisation endpoint',
  },
  'token.refresh': {
    words: 'A client used a refresh token for an end-user.',
    place: 'line',
    detail: '`refresh_token`',
  },
  'token.exchange': {
    words: 'A client exchanged a token for another, for itself or for the one that acts (RFC 8693).',
    place: 'row',
    detail: 'the client of the subject token, the actor and the audience',
  },
  'grant.end': {
    words:
      'A grant ended with all its tokens: its client or a command revoked it, or a token was used twice.',
    place: 'row',
    detail: 'the reason, or null',
  },
  'token.revoke': { words: 'A client revoked an access token.', place: 'row' },
  'initial-access-token.create': {
    words: 'An initial access token was issued.',
    place: 'row',
    detail: 'its label',
  },
  'initial-access-token.revoke': {
    words: 'An initial access token was revoked.',
    place: 'row',
    detail: 'its label',
  },
  'federation.resolve': {
    words: 'An operator tried a resolution over the administration API.',
    place: 'row',
    detail: 'the entity identifier',
  },
  'federation.refresh': {
    words: 'An operator resolved the clients of an entity again over the administration API.',
    place: 'row',
    detail: 'the entity identifier',
  },
  'trust-anchor.look': {
    words: 'An operator fetched the configuration of a trust anchor over the administration API.',
    place: 'row',
    detail: 'the anchor',
  },
  'tenant.create': { words: 'A tenant was made.', place: 'row' },
  'tenant.update': { words: 'The settings or names of a tenant were changed.', place: 'row' },
  'tenant.disable': { words: 'A tenant was disabled.', place: 'row' },
  'tenant.enable': { words: 'A tenant was enabled.', place: 'row' },
  'tenant.delete': {
    words:
      'The deletion of a tenant began: it is closed for good. The audit of the default tenant has the event.',
    place: 'row',
    detail:
      'the tenant, its issuer, and what became of its audit: `dropped`, or its events and the SHA-256 of their file',
  },
  'tenant.clear': {
    words: 'The last row of a deleted tenant was removed. The audit of the default tenant has the event.',
    place: 'row',
    detail: 'the tenant',
  },
  'server-key.add': { words: 'A server key was added.', place: 'row', detail: 'its `kid`' },
  'server-key.announce': {
    words: 'The successor of a server key was published.',
    place: 'row',
    detail: 'its `kid`',
  },
  'server-key.activate': { words: 'A server key began to sign.', place: 'row', detail: 'its `kid`' },
  'server-key.remove': { words: 'A server key was removed.', place: 'row', detail: 'its `kid`' },
  'trust-anchor.announce': {
    words: 'A trust anchor announced a key that is not trusted yet.',
    place: 'row',
    detail: ANCHOR_KEY,
  },
  'trust-anchor.accept': {
    words: 'A key of a trust anchor is trusted, by an operator or by `federation.follow-trust-anchor-keys`.',
    place: 'row',
    detail: ANCHOR_KEY,
  },
  'trust-anchor.withdraw': {
    words: 'A key that its trust anchor no longer publishes is not trusted any more.',
    place: 'row',
    detail: ANCHOR_KEY,
  },
  'trust-anchor.reset': {
    words: 'The observations of a trust anchor were deleted: the keys of the settings count.',
    place: 'row',
    detail: 'the entity identifier',
  },
  'server-key.revoke': { words: 'A compromised server key was revoked.', place: 'row', detail: 'its `kid`' },
  'webhook.create': { words: 'A webhook was made.', place: 'row', detail: 'its identifier' },
  'webhook.update': {
    words: 'A webhook was changed, enabled or disabled.',
    place: 'row',
    detail: 'its identifier, and the change',
  },
  'webhook.delete': { words: 'A webhook was deleted.', place: 'row', detail: 'its identifier' },
  'webhook.secret': { words: 'A webhook got a new secret.', place: 'row', detail: 'its identifier' },
  'webhook.redeliver': {
    words: 'Failed deliveries of a webhook are tried again.',
    place: 'row',
    detail: 'the identifier of the webhook, and the delivery or `all`',
  },
  'webhook.drop': {
    words: 'Failed deliveries of a webhook were dropped.',
    place: 'row',
    detail: 'the identifier of the webhook, and the delivery or `all`',
  },
  'backup.create': {
    words: 'A backup was begun over the administration API, or made by a command.',
    place: 'row',
    detail: 'its identifier, or `to` and the file that the command named',
  },
  'backup.verify': {
    words: 'The verification of a backup was begun over the administration API.',
    place: 'row',
    detail: 'its identifier',
  },
  'backup.download': {
    words:
      'A party began to download a backup, or a range of it. The event is stored before the first octet.',
    place: 'row',
    detail: 'its identifier',
  },
  'backup.delete': {
    words: 'A backup was deleted over the administration API, or by a command.',
    place: 'row',
    detail: 'its identifier',
  },
  'stream.create': {
    words: 'A client or an operator made a stream of security events.',
    place: 'row',
    detail: 'its identifier',
  },
  'stream.update': {
    words: 'A stream of security events got another configuration or status.',
    place: 'row',
    detail: 'its identifier, and the change',
  },
  'stream.delete': {
    words: 'A stream of security events was deleted.',
    place: 'row',
    detail: 'its identifier',
  },
  'stream.redeliver': {
    words: 'Failed security events of a stream wait for delivery again.',
    place: 'row',
    detail: 'the identifier of the stream, and the number of the event or `all`',
  },
  'stream.drop': {
    words: 'Failed security events of a stream were dropped.',
    place: 'row',
    detail: 'the identifier of the stream, and the number of the event or `all`',
  },
  'storage.restore': { words: 'The database was restored from a backup.', place: 'row' },
  'clock.confirm': { words: 'An operator confirmed the time of the clock.', place: 'row' },
} as const satisfies Readonly<Record<string, AuditEventKind>>;

export type AuditAction = keyof typeof AUDIT_EVENTS;

/** The actors that have a label or an identifier after a colon. */
export const ACTOR_KINDS: ReadonlySet<string> = new Set([
  'admin',
  'admin:account',
  'admin:client',
  'client',
  'federation',
  'initial',
  'master',
  'sign-in',
  'statement',
]);

interface AuditMember {
  /** One sentence, for the reference. */
  readonly words: string;
  /** Whether it is, or leads to, a person. */
  readonly personal: boolean;
}

/** The members of an event. A row and its log line use the same names. */
export const AUDIT_MEMBERS = {
  at: { words: 'Seconds since the Unix epoch.', personal: false },
  action: { words: 'One of the actions below.', personal: false },
  outcome: { words: '`done` or `refused`.', personal: false },
  actor: {
    words:
      '`master:LABEL`, `initial:LABEL`, `registration` (the token of the client itself), `statement:ISSUER`, `federation:ENTITY`, `open`, `document`, `sign-in:LABEL` (the page of the operator), `client:ID`, `end-user`, `cli`, `server`, or `unknown` (no known credential).',
    personal: false,
  },
  client_id: {
    words: 'The client concerned. For a refusal, the client that the caller tried to reach. Otherwise null.',
    personal: false,
  },
  request_id: { words: 'The same as in the other log lines about the request.', personal: false },
  detail: {
    words: 'For a refusal its reason or error code. Otherwise see the action. Null without a detail.',
    personal: false,
  },
  sub: { words: 'The subject: the account concerned. Absent where no account is known.', personal: true },
  address: {
    words:
      'The network address of the browser or client that acted, shortened by `log.address-bits-ipv4` and `log.address-bits-ipv6`. Absent for commands and the server.',
    personal: true,
  },
  user_agent: {
    words:
      'The `User-Agent` of the request: at most 200 characters of printable ASCII, others escaped. Absent where none was sent.',
    personal: true,
  },
  reason: {
    words: 'Why the operator acted, in the words of the request or command. Absent where none were given.',
    personal: true,
  },
} as const satisfies Readonly<Record<string, AuditMember>>;
