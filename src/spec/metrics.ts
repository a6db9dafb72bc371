/** Upper bounds of the buckets, in seconds. Most answers take well below a millisecond. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5] as const;
/** The same for resolutions of trust chains: milliseconds from memory, seconds over the network. */
const RESOLUTION_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
/** Upper bounds of the buckets of batches, in writes. */
const WRITES = [1, 2, 5, 10, 20, 50, 100, 200, 500] as const;

export interface MetricRow {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** One sentence. It stands in the exposition and in the reference. */
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
}

/**
 * Every metric of the product, in the order of the exposition. Label values come from closed lists: never a client, an
 * account, a tenant or an address.
 */
export const METRICS = {
  chancery_build_info: {
    kind: 'gauge',
    help: 'Always 1. The labels name the version of the program, of Node, and the storage engine.',
    labels: ['version', 'node', 'storage'],
  },
  chancery_http_requests_total: {
    kind: 'counter',
    help: 'Requests answered, by endpoint and status.',
    labels: ['endpoint', 'status'],
  },
  chancery_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the head of the request to the answer, by endpoint.',
    labels: ['endpoint'],
    buckets: SECONDS,
  },
  chancery_refusals_total: {
    kind: 'counter',
    help: 'Requests that an endpoint refused, by endpoint and error code.',
    labels: ['endpoint', 'reason'],
  },
  chancery_connections_refused_total: {
    kind: 'counter',
    help: 'Connections that this process refused or ended in their handshake, by the limit.',
    labels: ['reason'],
  },
  chancery_sign_ins_total: {
    kind: 'counter',
    help: 'Attempts of end-users to sign in, by method (password, external) and outcome (succeeded, or the reason of the refusal).',
    labels: ['method', 'outcome'],
  },
  chancery_sessions_ended_total: {
    kind: 'counter',
    help: 'Sessions that their end-users ended at the logout page.',
    labels: [],
  },
  chancery_consents_total: {
    kind: 'counter',
    help: 'Consents that were stored or withdrawn, by outcome.',
    labels: ['outcome'],
  },
  chancery_tokens_issued_total: {
    kind: 'counter',
    help: 'Access tokens issued, by grant type (response: at the authorisation endpoint; direct: by direct authorisation) and the keys that they are bound to (none, dpop, certificate, dpop-and-certificate).',
    labels: ['grant', 'binding'],
  },
  chancery_token_exchanges_total: {
    kind: 'counter',
    help: 'Tokens exchanged (RFC 8693), by kind: the new token names who acts (delegation), does not (impersonation), or is an identity assertion grant (id-jag).',
    labels: ['kind'],
  },
  chancery_introspections_total: {
    kind: 'counter',
    help: 'Tokens inspected, by result.',
    labels: ['result'],
  },
  chancery_registrations_total: {
    kind: 'counter',
    help: 'Registrations of clients over HTTP, by outcome and reason (none, or the error code). Dry runs are left out.',
    labels: ['outcome', 'reason'],
  },
  chancery_logout_attempts_total: {
    kind: 'counter',
    help: 'Attempts of this process to notify a client of the end of a session, by outcome.',
    labels: ['outcome'],
  },
  chancery_user_codes_total: {
    kind: 'counter',
    help: 'Codes of devices that people entered, by outcome (accepted, wrong: unknown, used or expired; limited: after too many wrong ones).',
    labels: ['outcome'],
  },
  chancery_backchannel_requests_total: {
    kind: 'counter',
    help: 'Requests of clients without a browser (CIBA), by outcome (begun, limited, allowed, denied).',
    labels: ['outcome'],
  },
  chancery_backchannel_notifications_total: {
    kind: 'counter',
    help: 'Attempts to notify clients without a browser, by outcome (delivered, postponed, failed, unneeded).',
    labels: ['outcome'],
  },
  chancery_webhook_deliveries_total: {
    kind: 'counter',
    help: 'Attempts to deliver events to webhooks, by outcome (delivered, postponed, failed).',
    labels: ['outcome'],
  },
  chancery_revocation_feed_streams_total: {
    kind: 'counter',
    help: 'Requests of resource servers for the revocation feed, by outcome (opened, refused because of a limit).',
    labels: ['outcome'],
  },
  chancery_revocation_feed_ends_total: {
    kind: 'counter',
    help: 'Streams of the revocation feed that ended, by reason (reader-left, caller-changed, slow-reader, server-stops, tenant-changed, unavailable).',
    labels: ['reason'],
  },
  chancery_webhook_missed_events_total: {
    kind: 'counter',
    help: 'Events whose lifetime in the audit ended before a webhook came to them.',
    labels: [],
  },
  chancery_webhook_events_behind: {
    kind: 'gauge',
    help: 'Events of the audit that enabled webhooks have not looked at, summed over the webhooks.',
    labels: [],
  },
  chancery_webhook_deliveries_waiting: {
    kind: 'gauge',
    help: 'Deliveries to webhooks by state: waiting for an attempt, or failed and waiting for an operator.',
    labels: ['state'],
  },
  chancery_webhook_oldest_delivery_seconds: {
    kind: 'gauge',
    help: 'How long the oldest waiting delivery to a webhook has waited.',
    labels: [],
  },
  chancery_signals_deliveries_total: {
    kind: 'counter',
    help: 'Outcomes of security events: pushed (delivered, postponed, failed), polled (acknowledged, refused), or not for the client (unneeded).',
    labels: ['outcome'],
  },
  chancery_signals_events: {
    kind: 'gauge',
    help: 'Security events in the outboxes of streams, by state: waiting for delivery, or failed and waiting for an operator.',
    labels: ['state'],
  },
  chancery_logouts_waiting: {
    kind: 'gauge',
    help: 'Notifications of logouts that wait for delivery, counted up to 10,000 for each tenant.',
    labels: [],
  },
  chancery_outbound_fetches_total: {
    kind: 'counter',
    help: 'Fetches from other servers, by purpose and outcome; busy: the limits of fetches refused it or ended it.',
    labels: ['purpose', 'outcome'],
  },
  chancery_outbound_queue: {
    kind: 'gauge',
    help: 'Fetches from other servers that run or wait for a slot, by purpose.',
    labels: ['purpose', 'state'],
  },
  chancery_storage_duration_seconds: {
    kind: 'histogram',
    help: 'Time that the database took, by kind: a batch of writes, or with PostgreSQL also the reads of one turn.',
    labels: ['kind'],
    buckets: SECONDS,
  },
  chancery_storage_batch_writes: {
    kind: 'histogram',
    help: 'Writes that were sent to the database together.',
    labels: [],
    buckets: WRITES,
  },
  chancery_storage_writes_waiting: {
    kind: 'gauge',
    help: 'Writes that the database has not answered yet.',
    labels: [],
  },
  chancery_storage_connections: {
    kind: 'gauge',
    help: 'Connections to PostgreSQL by pool and state; waiting: callers without a connection. None with SQLite.',
    labels: ['pool', 'state'],
  },
  chancery_storage_failed_reads_total: {
    kind: 'counter',
    help: 'Reads of the database that failed because of the disk or the data.',
    labels: [],
  },
  chancery_storage_objects: {
    kind: 'gauge',
    help: 'Rows held, by kind, as of the last sweep. SQLite counts up to 250,000; PostgreSQL estimates.',
    labels: ['kind'],
  },
  chancery_sqlite_bytes: {
    kind: 'gauge',
    help: 'Bytes of the SQLite file, of its free pages (within the file), and of its write-ahead log.',
    labels: ['part'],
  },
  chancery_journal_changes_total: {
    kind: 'counter',
    help: 'Changes of records that the caches of this process learned from the journal.',
    labels: [],
  },
  chancery_journal_resets_total: {
    kind: 'counter',
    help: 'Times that a cache was emptied because it was too far behind the journal.',
    labels: [],
  },
  chancery_journal_lag: {
    kind: 'gauge',
    help: 'Changes that the last reading with news had to catch up on.',
    labels: [],
  },
  chancery_sweep_rows_total: {
    kind: 'counter',
    help: 'Expired rows that this process removed.',
    labels: [],
  },
  chancery_sweep_backlog_tenants: {
    kind: 'gauge',
    help: 'Open tenants that still had expired rows when the last sweep ended.',
    labels: [],
  },
  chancery_sweep_duration_seconds: {
    kind: 'gauge',
    help: 'Time that the last sweep took, with its rests.',
    labels: [],
  },
  chancery_sweep_last_timestamp_seconds: {
    kind: 'gauge',
    help: 'When the last sweep ended, in seconds since the Unix epoch; absent before the first one.',
    labels: [],
  },
  chancery_server_key_events_total: {
    kind: 'counter',
    help: 'Changes of server keys made by this process, by kind.',
    labels: ['event'],
  },
  chancery_federation_resolutions_total: {
    kind: 'counter',
    help: 'Resolutions of trust chains, by outcome (valid, refused, timeout; busy: the limits of this server; unavailable: an authority gave no answer) and reason code (none: valid).',
    labels: ['outcome', 'reason'],
  },
  chancery_federation_resolution_duration_seconds: {
    kind: 'histogram',
    help: 'Time that a resolution of a trust chain took, its fetches included.',
    labels: [],
    buckets: RESOLUTION_SECONDS,
  },
  chancery_federation_registration_expiry_timestamp_seconds: {
    kind: 'gauge',
    help: 'When the registration of a federated client of an open tenant expires next, as of the last sweep; absent without one.',
    labels: [],
  },
  chancery_federation_anchor_expiry_timestamp_seconds: {
    kind: 'gauge',
    help: 'When the configuration of a trust anchor expires next, as the chains of this process had it at the last sweep; absent without one.',
    labels: [],
  },
  chancery_federation_trust_anchor_key_events_total: {
    kind: 'counter',
    help: "Events of trust anchors' keys: announced, accepted, missing, withdrawn, or untrusted (it signs, and chains to the anchor are refused).",
    labels: ['event'],
  },
  chancery_server_key_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest active server key of all open tenants, by use, as of the last sweep.',
    labels: ['use'],
  },
  chancery_backup_timestamp_seconds: {
    kind: 'gauge',
    help: 'When the newest complete backup in backup.directory was begun. Absent without one.',
    labels: [],
  },
  chancery_tls_certificate_expiry_timestamp_seconds: {
    kind: 'gauge',
    help: 'When the certificate of the listener, or the first authority for client certificates, expires.',
    labels: ['certificate'],
  },
  chancery_encryption_key_opens_database: {
    kind: 'gauge',
    help: '1 if encryption.key opens what the database holds, 0 if not.',
    labels: [],
  },
  chancery_clock_doubt_seconds: {
    kind: 'gauge',
    help: 'How far the clock is ahead of the remembered time while it is in doubt; negative behind, 0 without doubt.',
    labels: [],
  },
  chancery_tenant_openings_total: {
    kind: 'counter',
    help: 'Tenants that this process opened, failed to open, refused to open now, or closed for another one.',
    labels: ['outcome'],
  },
  chancery_cache_entries: { kind: 'gauge', help: 'Entries in memory, by cache.', labels: ['cache'] },
  chancery_cache_bytes: {
    kind: 'gauge',
    help: 'Estimated memory of the entries, by cache.',
    labels: ['cache'],
  },
  chancery_cache_bytes_max: {
    kind: 'gauge',
    help: 'The bound of the memory, by cache. cache.memory is their sum.',
    labels: ['cache'],
  },
  chancery_cache_hits_total: {
    kind: 'counter',
    help: 'Look-ups that found an entry, by cache.',
    labels: ['cache'],
  },
  chancery_cache_misses_total: {
    kind: 'counter',
    help: 'Look-ups that found no entry, by cache.',
    labels: ['cache'],
  },
  chancery_cache_evictions_total: {
    kind: 'counter',
    help: 'Entries that made room for others, by cache.',
    labels: ['cache'],
  },
  chancery_resident_memory_bytes: {
    kind: 'gauge',
    help: 'Resident memory of the process: its own (anonymous), and pages of program files, which the system may take back (file).',
    labels: ['kind'],
  },
  chancery_trace_spans_total: {
    kind: 'counter',
    help: 'Spans of traces, by outcome: exported, failed, or dropped because the queue was full.',
    labels: ['outcome'],
  },
} as const satisfies Readonly<Record<string, MetricRow>>;

type Rows = typeof METRICS;
export type MetricName = keyof Rows;
type NameOf<Kind extends MetricRow['kind']> = {
  readonly [Name in MetricName]: Rows[Name]['kind'] extends Kind ? Name : never;
}[MetricName];
export type CounterName = NameOf<'counter'>;
export type GaugeName = NameOf<'gauge'>;
export type HistogramName = NameOf<'histogram'>;

/** The labels of a metric; every one of them. */
export type LabelsOf<Name extends MetricName> = {
  readonly [Label in Rows[Name]['labels'][number]]: string | number;
};
