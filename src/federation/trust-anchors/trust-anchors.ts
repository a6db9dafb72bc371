import type { AuditEvent } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { JwtInspector } from '../../ports/jwt-inspector.ts';
import type { KeyMaker } from '../../ports/key-maker.ts';
import type { Log } from '../../ports/log.ts';
import type { TrustAnchorStore } from '../../ports/trust-anchor-store.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { type SoundStatement, STATEMENT_ALGORITHMS } from '../entity-statement.ts';
import type { TrustAnchor } from '../trust-chain/validate-chain.ts';
import {
  type AnchorKey,
  type AnchorRecord,
  type NamedKey,
  NOTHING_SEEN,
  type Pins,
  parseRecord,
  trustedKeys,
} from './anchor-record.ts';
import {
  type AnchorEvent,
  type AnchorEventKind,
  acceptedByOperator,
  type Observation,
  observed,
  type Rollover,
} from './anchor-rollover.ts';

/** The keys of trust anchors: those of the settings, and those that were accepted since. */
export interface AnchorKeys {
  /** Returns the anchors with the keys that are trusted now. */
  current(anchors: readonly TrustAnchor[]): Promise<readonly TrustAnchor[]>;
  /**
   * Looks at the configuration of a trust anchor for new and missing keys (§11.2). Returns whether a trusted key signed it.
   * Never rejects.
   */
  observe(configuration: SoundStatement): Promise<boolean>;
}

/** The keys of the settings and no others. */
export const PINNED_ONLY: AnchorKeys = {
  current: async (anchors) => anchors,
  observe: async () => true,
};

export interface TrustAnchorsNeeds {
  /** The anchors of the settings. */
  readonly anchors: readonly TrustAnchor[];
  readonly store: TrustAnchorStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
  readonly inspector: JwtInspector;
  readonly keyMaker: Pick<KeyMaker, 'thumbprint'>;
  readonly count: (event: AnchorEventKind | 'untrusted') => void;
  readonly follow: boolean;
  /** Seconds. */
  readonly delay: number;
}

/** A trust anchor as an operator sees it. */
export interface AnchorView {
  readonly entity_id: string;
  readonly pins: Pins;
  readonly record: AnchorRecord;
  readonly trusted: readonly NamedKey[];
}

interface Kept extends AnchorView {
  /** 0 without a record. */
  readonly version: number;
}

const ACTIONS = {
  announced: 'trust-anchor.announce',
  accepted: 'trust-anchor.accept',
  missing: undefined,
  withdrawn: 'trust-anchor.withdraw',
} as const satisfies Readonly<Record<AnchorEventKind, AuditEvent['action'] | undefined>>;

/** A newer configuration with the same keys is stored this often, in seconds. */
const REFRESH = 3600;

/** Follows the keys of the configured trust anchors of one tenant. */
export class TrustAnchors implements AnchorKeys {
  readonly #needs: TrustAnchorsNeeds;
  readonly #pins = new Map<string, Promise<Pins>>();
  /** The last configuration of each anchor that changed nothing. */
  readonly #settled = new Map<string, string>();
  readonly #told = new Set<string>();

  constructor(needs: TrustAnchorsNeeds) {
    this.#needs = needs;
  }

  async current(anchors: readonly TrustAnchor[]): Promise<readonly TrustAnchor[]> {
    const stored = await this.#needs.store.all();
    // Nothing is known beside the settings: the usual case.
    if (stored.length === 0) return anchors;
    return await Promise.all(
      anchors.map(async (anchor) => {
        const found = stored.find(({ entity_id }) => entity_id === anchor.entity_id);
        if (found === undefined) return anchor;
        const pins = await this.#pinsOf(anchor.entity_id);
        return { ...anchor, keys: trustedKeys(pins, parseRecord(found.content)).map(({ jwk }) => jwk) };
      }),
    );
  }

  async observe(configuration: SoundStatement): Promise<boolean> {
    const { sub: entity_id, jwt } = configuration;
    if (this.#settled.get(entity_id) === jwt.compact) return true;
    try {
      return await this.#observe(configuration);
    } catch (cause) {
      this.#needs.log.error({ trust_anchor: entity_id, cause }, 'keys of a trust anchor were not recorded');
      return false;
    }
  }

  async #observe(configuration: SoundStatement): Promise<boolean> {
    const { clock, follow, delay } = this.#needs;
    const { sub: entity_id, iat, exp, jwt } = configuration;
    const before = await this.#kept(entity_id);
    if (before === undefined) return false;
    const keys = await this.#named(configuration.keys.filter(isOfSignature));
    const signer = await this.#signer(before, configuration);
    if (signer === undefined) {
      this.#tellUntrusted(before, configuration);
      return false;
    }
    const seen: Observation = { iat, exp, keys, signer };
    const after = observed(before.pins, before.record, seen, { now: clock.now(), follow, delay });
    if (!isNews(before.record, after)) {
      this.#tellWaiting(before);
      // With `follow`, time alone can bring news about a key that is not settled.
      if (!follow || after.record.keys.every((key) => isSettled(key, before)))
        this.#settled.set(entity_id, jwt.compact);
      return true;
    }
    // If another process was faster, the next look sees its record.
    if (await this.#put(before, after, { actor: 'server', request_id: 'trust-anchor' }))
      this.#tellWaiting({ ...before, record: after.record });
    return true;
  }

  /** Returns every configured anchor with its observations, in the order of the settings. */
  async view(): Promise<readonly AnchorView[]> {
    const kept = await Promise.all(this.#needs.anchors.map(({ entity_id }) => this.#kept(entity_id)));
    return kept.filter((one) => one !== undefined);
  }

  /**
   * Trusts the keys that an anchor announces, and no longer those that its newest configuration lacks. Returns the changes;
   * undefined for an anchor that is not configured, or if another change came between.
   */
  async accept(
    entity_id: string,
    by: Pick<AuditEvent, 'actor' | 'request_id'>,
  ): Promise<readonly AnchorEvent[] | undefined> {
    const before = await this.#kept(entity_id);
    if (before === undefined) return undefined;
    const after = acceptedByOperator(before.pins, before.record, this.#needs.clock.now());
    if (after.events.length === 0) return [];
    return (await this.#put(before, after, by)) ? after.events : undefined;
  }

  /** Forgets the observations of an anchor, so that its keys are those of the settings. Returns false if there are none. */
  async reset(entity_id: string, by: Pick<AuditEvent, 'actor' | 'request_id'>): Promise<boolean> {
    const event = this.#event({ ...by, action: 'trust-anchor.reset', detail: entity_id });
    return await this.#needs.store.remove(entity_id, event);
  }

  async #kept(entity_id: string): Promise<Kept | undefined> {
    if (this.#needs.anchors.every((anchor) => anchor.entity_id !== entity_id)) return undefined;
    const pins = await this.#pinsOf(entity_id);
    const found = (await this.#needs.store.all()).find((one) => one.entity_id === entity_id);
    const record = found === undefined ? NOTHING_SEEN : parseRecord(found.content);
    return { entity_id, pins, record, trusted: trustedKeys(pins, record), version: found?.version ?? 0 };
  }

  async #pinsOf(entity_id: string): Promise<Pins> {
    const known = this.#pins.get(entity_id);
    if (known !== undefined) return await known;
    const configured = this.#needs.anchors.find((anchor) => anchor.entity_id === entity_id);
    const pins = this.#named(configured?.keys ?? []).then(
      (keys) => new Map(keys.map((key) => [key.thumbprint, key] as const)),
    );
    this.#pins.set(entity_id, pins);
    return await pins;
  }

  async #named(keys: readonly JsonWebKey[]): Promise<readonly NamedKey[]> {
    const { keyMaker } = this.#needs;
    return await Promise.all(keys.map(async (jwk) => ({ thumbprint: await keyMaker.thumbprint(jwk), jwk })));
  }

  /** Returns the thumbprint of the trusted key that signed a configuration. */
  async #signer({ trusted }: Kept, { jwt }: SoundStatement): Promise<string | undefined> {
    for (const { thumbprint, jwk } of trusted) {
      const problem = await this.#needs.inspector.signatureProblem(jwt, [jwk], STATEMENT_ALGORITHMS);
      if (problem === undefined) return thumbprint;
    }
    return undefined;
  }

  async #put(
    { entity_id, version }: Kept,
    { record, events }: Rollover,
    by: Pick<AuditEvent, 'actor' | 'request_id'>,
  ): Promise<boolean> {
    const { store, log, count } = this.#needs;
    const recorded = events.flatMap(({ kind, key }) => {
      const action = ACTIONS[kind];
      const detail = `${entity_id} ${String(key.jwk['kid'])} ${key.thumbprint}`;
      return action === undefined ? [] : [this.#event({ ...by, action, detail })];
    });
    const content = JSON.stringify(record);
    if (!(await store.put({ entity_id, version: version + 1, content }, recorded))) return false;
    for (const event of recorded) log.info({ ...event }, 'audit');
    for (const { kind, key } of events) {
      if (kind === 'announced') continue;
      count(kind);
      log.warn({ trust_anchor: entity_id, ...shown(key) }, WORDS[kind]);
    }
    return true;
  }

  /** Warns once in the life of a process about each key that waits to be accepted. */
  #tellWaiting({ entity_id, pins, record }: Kept): void {
    const { follow, delay, log, count } = this.#needs;
    const trusted = new Set(trustedKeys(pins, record).map(({ thumbprint }) => thumbprint));
    for (const key of record.keys) {
      const id = `${entity_id} ${key.thumbprint} ${key.since}`;
      if (key.missing_since !== null || trusted.has(key.thumbprint) || this.#told.has(id)) continue;
      this.#told.add(id);
      count('announced');
      log.warn(
        {
          trust_anchor: entity_id,
          ...shown(key),
          ...(follow ? { trusted_from: new Date((key.since + delay) * 1000).toISOString() } : {}),
          command: `chancery federation trust-anchors accept ${entity_id}`,
        },
        'a trust anchor announces a key that is not trusted yet',
      );
    }
  }

  /** Warns once about each key that signs without being trusted: chains to this anchor are refused. */
  #tellUntrusted({ entity_id, record }: Kept, { jwt: { header } }: SoundStatement): void {
    const kid = typeof header['kid'] === 'string' ? header['kid'].slice(0, KID_SHOWN_MAX) : '';
    const id = `${entity_id} ${kid}`;
    if (this.#told.has(id) || this.#told.size >= TOLD_MAX) return;
    this.#told.add(id);
    this.#needs.count('untrusted');
    const isAnnounced = record.keys.some(
      ({ jwk, missing_since }) => jwk['kid'] === kid && missing_since === null,
    );
    this.#needs.log.warn(
      { trust_anchor: entity_id, kid, announced: isAnnounced },
      isAnnounced
        ? 'a trust anchor signs with a key that it announced and that is not trusted yet'
        : 'the configuration of a trust anchor is signed with a key that is not trusted',
    );
  }

  #event(about: Pick<AuditEvent, 'actor' | 'request_id' | 'action' | 'detail'>): AuditEvent {
    return { ...about, at: this.#needs.clock.now(), outcome: 'done', client_id: null };
  }
}

const KID_SHOWN_MAX = 100;
/** Strangers do not choose these texts unless they answer in the place of an anchor. */
const TOLD_MAX = 1000;

const WORDS = {
  accepted: 'a key of a trust anchor is trusted from now on',
  missing: 'a trusted key is no longer in the configuration of its trust anchor',
  withdrawn: 'a key of a trust anchor is no longer trusted',
} as const;

const shown = ({ thumbprint, jwk }: NamedKey) => ({ kid: jwk['kid'], thumbprint });

/** Keys that RFC 7638 names and statements can be signed with. */
const isOfSignature = ({ kty, use }: JsonWebKey): boolean =>
  (kty === 'RSA' || kty === 'EC') && (use === undefined || use === 'sig');

/** Says whether a key is trusted and shown, or neither. */
function isSettled({ thumbprint, missing_since }: AnchorKey, { trusted }: AnchorView): boolean {
  return (missing_since === null) === trusted.some((key) => key.thumbprint === thumbprint);
}

/** Says whether a record must be stored: its keys changed, or its configuration is much newer. */
function isNews(before: AnchorRecord, { record, events }: Rollover): boolean {
  if (record === before) return false;
  return (
    events.length > 0 ||
    record.iat >= before.iat + REFRESH ||
    JSON.stringify(record.keys) !== JSON.stringify(before.keys)
  );
}
