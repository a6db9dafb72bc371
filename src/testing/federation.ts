import assert from 'node:assert/strict';
import { configurationUrl, fetchUrl } from '../federation/entity-id.ts';
import { STATEMENT_TYPE } from '../federation/entity-statement.ts';
import { PINNED_ONLY } from '../federation/trust-anchors/trust-anchors.ts';
import { type Resolution, resolveTrust, type TrustNeeds } from '../federation/trust-chain/resolve-trust.ts';
import { statementSource } from '../federation/trust-chain/statement-source.ts';
import { joseJwtInspector } from '../jose/jwt-verifier.ts';
import type { Fetched, OutboundFailure, OutboundHttp } from '../ports/outbound-http.ts';
import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import { ampleCaches } from './caches.ts';
import { signedJwt, type TestKey, testKey } from './jwt.ts';

export const NOW = 1_800_000_000;
const LIFETIME = 3600;

/** The response of an address in the simulated network: a statement, the name of a failure, or a function that makes one per call. */
type Document = string | (() => string) | (() => Promise<Fetched>);

const FAILURES: ReadonlySet<string> = new Set<OutboundFailure>([
  'redirected',
  'timeout',
  'status',
  'media-type',
  'too-large',
  'unresolvable',
]);

export interface TestEntity {
  readonly id: string;
  readonly key: TestKey;
  /** Returns its configuration. `claims` replace the usual claims, and undefined removes one. */
  configuration(claims?: object, header?: object, key?: TestKey): string;
  /** Returns its statement about another entity. */
  about(subject: Pick<TestEntity, 'id' | 'key'>, claims?: object, header?: object, key?: TestKey): string;
}

export function testEntity(id: string, algorithm: SignatureAlgorithm = 'ES256'): TestEntity {
  const key = testKey(algorithm, `${id}#1`);
  const times = { iat: NOW - 10, exp: NOW + LIFETIME };
  const typ = { typ: STATEMENT_TYPE };
  return {
    id,
    key,
    configuration: (claims = {}, header = {}, signer = key) =>
      signedJwt(
        signer,
        { iss: id, sub: id, ...times, jwks: { keys: [key.jwk] }, ...claims },
        { ...typ, ...header },
      ),
    about: (subject, claims = {}, header = {}, signer = key) =>
      signedJwt(
        signer,
        { iss: id, sub: subject.id, ...times, jwks: { keys: [subject.key.jwk] }, ...claims },
        { ...typ, ...header },
      ),
  };
}

/** A network of entities in this process that records every fetch. */
export class TestFederation {
  readonly documents = new Map<string, Document>();
  readonly fetched: string[] = [];
  milliseconds = NOW * 1000;

  readonly outbound: OutboundHttp = {
    urlProblem: (url) =>
      url.startsWith('https://inside.')
        ? { reason: 'forbidden-address', detail: '10.0.0.1: private' }
        : undefined,
    get: async (url) => {
      const problem = this.outbound.urlProblem(url);
      if (problem !== undefined) return { status: 'failed', ...problem };
      this.fetched.push(url);
      const document = this.documents.get(url) ?? 'status';
      const answer = typeof document === 'function' ? await document() : document;
      if (typeof answer !== 'string') return answer;
      if (FAILURES.has(answer)) return { status: 'failed', reason: answer as OutboundFailure, detail: url };
      return { status: 'ok', body: Buffer.from(answer), mediaType: `application/${STATEMENT_TYPE}` };
    },
  };

  /** Publishes the configuration of an entity and its superiors' statements about it. */
  join(entity: TestEntity, superiors: readonly TestEntity[], claims: object = {}, stated: object = {}): void {
    const hints = superiors.map(({ id }) => id);
    this.documents.set(
      configurationUrl(entity.id),
      entity.configuration({
        ...(hints.length === 0 ? {} : { authority_hints: hints }),
        metadata: { federation_entity: { federation_fetch_endpoint: `${entity.id}/fetch` } },
        ...claims,
      }),
    );
    for (const superior of superiors) this.state(superior, entity, stated);
  }

  /** Publishes the statement of one entity about another. */
  state(superior: TestEntity, entity: TestEntity, claims: object = {}): void {
    this.documents.set(statementUrl(superior, entity), superior.about(entity, claims));
  }

  needs(anchors: readonly TestEntity[], changes: Partial<TrustNeeds> = {}): TrustNeeds {
    const clock = { now: () => NOW, milliseconds: () => this.milliseconds };
    return {
      inspector: joseJwtInspector,
      source: statementSource({
        outbound: this.outbound,
        clock,
        keptMs: 0,
        failedMs: 0,
        caches: ampleCaches(),
      }),
      clock,
      outbound: this.outbound,
      anchors: anchors.map(({ id, key }) => ({ entity_id: id, keys: [key.jwk] })),
      anchorKeys: PINNED_ONLY,
      limits: LIMITS,
      allowHttp: false,
      markStatuses: { wants: () => false, check: async () => assert.fail('no status is wanted') },
      constraints: undefined,
      requiredTrustMarks: [],
      ...changes,
    };
  }

  async resolve(
    subject: Pick<TestEntity, 'id'>,
    anchors: readonly TestEntity[],
    changes: Partial<TrustNeeds> = {},
    entityType?: string,
  ): Promise<Resolution> {
    const question = { subject: { entity_id: subject.id }, entityType };
    return await resolveTrust(this.needs(anchors, changes), question);
  }
}

export function statementUrl(superior: Pick<TestEntity, 'id'>, entity: Pick<TestEntity, 'id'>): string {
  return fetchUrl(`${superior.id}/fetch`, entity.id) ?? '';
}

export const LIMITS = {
  lookMs: 10_000,
  statement: { length: 65_536, keys: 16, authorityHints: 50 },
  search: { hints: 5, depth: 5, paths: 100 },
  budget: { fetches: 20, bytes: 524_288, timeMs: 10_000 },
} as const;
