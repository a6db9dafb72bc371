import type { Clock } from '../../ports/clock.ts';
import type { JwtInspector } from '../../ports/jwt-inspector.ts';
import type { OutboundHttp, OutboundProblem } from '../../ports/outbound-http.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { configurationUrl } from '../entity-id.ts';
import type { SoundStatement } from '../entity-statement.ts';
import { FEDERATION_ENTITY, RELYING_PARTY } from '../entity-statement.ts';
import { isObject, type JsonMembers } from '../json-value.ts';
import type { EntityMetadata } from '../metadata-policy/apply-policy.ts';
import type { CheckTrace, Reason, ReasonCode } from '../reason.ts';
import type { StatementLimits } from '../statement-checks/statement-check.ts';
import type { AnchorKeys } from '../trust-anchors/trust-anchors.ts';
import { holdRequiredMarks, type TrustMarkNeeds } from '../trust-marks/trust-mark.ts';
import type { MarkIssuer, TrustMarkStatuses } from '../trust-marks/trust-mark-status.ts';
import { type ClimbNeeds, loadConfiguration, soundTrace } from './climb.ts';
import { type OwnConstraints, ownConstraintsHeld } from './own-constraints.ts';
import { resolveMetadata } from './resolve-metadata.ts';
import { type Arrival, type Reached, type SearchLimits, searchUpwards } from './search.ts';
import type { ChainTrace, GrowingNode, SearchNode } from './search-tree.ts';
import { type ResolutionBudget, Snapshot } from './snapshot.ts';
import type { Requester, StatementSource } from './statement-source.ts';
import type { TrustAnchor } from './validate-chain.ts';
import { validateChain } from './validate-chain.ts';

export interface TrustLimits {
  /** The least age in milliseconds of a cached statement that is fetched again because a key is unknown. */
  readonly lookMs: number;
  readonly statement: StatementLimits;
  readonly search: SearchLimits;
  readonly budget: ResolutionBudget;
}

export interface TrustNeeds {
  readonly inspector: JwtInspector;
  readonly source: StatementSource;
  readonly clock: Clock;
  readonly outbound: Pick<OutboundHttp, 'urlProblem'>;
  /** The trust anchors with the keys of the settings. The subject chooses among them. */
  readonly anchors: readonly TrustAnchor[];
  /** The keys of the anchors at this moment. */
  readonly anchorKeys: AnchorKeys;
  readonly limits: TrustLimits;
  readonly allowHttp: boolean;
  /** Undefined for entities that are no subject, such as issuers of trust marks. */
  readonly constraints: OwnConstraints | undefined;
  /** The types of trust marks that every subject must have. */
  readonly requiredTrustMarks: readonly string[];
  readonly markStatuses: Pick<TrustMarkStatuses, 'check' | 'wants'>;
  /** Called at the end of each resolution, for the metrics. */
  readonly measure?: (resolution: Resolution, seconds: number) => void;
}

/** The entity to resolve: one whose configuration is fetched, or one that submitted its configuration. */
export type TrustSubject = (
  | {
      readonly entity_id: string;
      /** Replaces the relying party's metadata of the configuration, before the superiors change it. */
      readonly stated?: (published: JsonMembers) => JsonMembers;
    }
  | {
      /** A sound statement, so that nothing is fetched before its signature is verified (decision 36). */
      readonly configuration: SoundStatement;
      readonly checks: readonly CheckTrace[];
    }
) & {
  /** The entities of a chain that the subject gave. They are asked first. */
  readonly preferred?: readonly string[];
  /** The trust anchor at the root of that chain: no other one is accepted (§12.2.3). */
  readonly anchor?: string | undefined;
};

export interface TrustQuestion {
  readonly subject: TrustSubject;
  /** The entity type that the resolved metadata must have, such as `openid_relying_party`. Undefined accepts every type. */
  readonly entityType: string | undefined;
  /** The IP address of the request that asks. Absent on the command line. */
  readonly remoteAddress?: string | undefined;
  readonly purpose?: Requester['purpose'];
  /** Whether the configuration of the subject is fetched, also if a copy is cached: it has keys that are not known yet. */
  readonly look?: boolean;
}

/** A valid chain to a configured trust anchor. */
export interface TrustChain {
  readonly trust_anchor: string;
  /** The issuer of the statement about the subject. */
  readonly immediate_superior: string;
  readonly statements: readonly SoundStatement[];
  /** The federation keys of the subject, as its superior states them. */
  readonly keys: readonly JsonWebKey[];
  /** In seconds since the Unix epoch: "the minimum (`exp`) value within the Trust Chain" (§10.4). */
  readonly expires_at: number;
  /** The subject's metadata after the superior's metadata, constraints and policies. */
  readonly metadata: EntityMetadata;
}

export interface Resolution {
  readonly search: SearchNode;
  readonly chain: TrustChain | undefined;
  /** Why there is no chain, as `closestReason` selects it. */
  readonly reason: Reason | undefined;
  readonly fetches: number;
  /**
   * Seconds until a retry. Present without a chain if this server was too busy for a fetch, or if the reason is a server that
   * gave no answer: then nothing is known about the trust.
   */
  readonly retryAfter?: number | undefined;
}

/**
 * Searches for a trust chain from an entity to a configured anchor (§10) and records every step. If a signature fails, or a
 * statement has expired, cached statements that are not quite new are fetched once more: an entity may have rolled its keys. Never
 * throws.
 */
export async function resolveTrust(needs: TrustNeeds, question: TrustQuestion): Promise<Resolution> {
  const { clock, measure } = needs;
  const began = clock.milliseconds();
  const resolution = await resolveWithLooks(needs, question);
  measure?.(resolution, (clock.milliseconds() - began) / 1000);
  return resolution;
}

async function resolveWithLooks(needs: TrustNeeds, question: TrustQuestion): Promise<Resolution> {
  const { source, clock, limits } = needs;
  const { subject, remoteAddress, purpose = 'statements' } = question;
  const of = subjectOf(subject);
  const shared = { source, clock, requester: { remoteAddress, subject: of, purpose } };
  const began = clock.milliseconds();
  const own = configurationUrl(of);
  const first = new Snapshot({
    ...shared,
    budget: limits.budget,
    ...(question.look === true ? { ageMaxMs: (url) => (url === own ? 0 : Infinity) } : {}),
  });
  const resolution = await resolveFrom(needs, first, question);
  const mayBeOld = resolution.chain === undefined && first.oldestMs > limits.lookMs;
  if (!mayBeOld || !isOutdated(resolution.search)) return resolution;
  const { fetches, timeMs, bytes } = limits.budget;
  const left = { bytes, fetches: fetches - first.loaded, timeMs: timeMs - (clock.milliseconds() - began) };
  const second = new Snapshot({ ...shared, budget: left, ageMaxMs: () => limits.lookMs });
  const again = await resolveFrom(needs, second, question);
  return { ...again, fetches: first.fetches + second.fetches };
}

async function resolveFrom(
  needs: TrustNeeds,
  snapshot: Snapshot,
  question: TrustQuestion,
): Promise<Resolution> {
  const anchors = await needs.anchorKeys.current(needs.anchors);
  const resolution = await resolveWithin({ ...needs, anchors, snapshot, now: needs.clock.now() }, question);
  const { fetches } = snapshot;
  const retryAfter =
    resolution.chain === undefined ? (snapshot.retryAfter ?? resolution.reason?.retryAfter) : undefined;
  return { ...resolution, fetches, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** Reasons that a later version of a statement would explain: its owner has rolled a key, or made it anew. */
const OUTDATED: ReadonlySet<ReasonCode> = new Set([
  'statement_kid',
  'statement_signature',
  'statement_expired',
  'chain_signature',
  'chain_expired',
]);

/** Says whether a statement somewhere in the search may be outdated. */
function isOutdated({ configuration, statement, chain, superiors }: SearchNode): boolean {
  const reasons = [configuration?.reason, statement?.reason, chain?.reason];
  return reasons.some((one) => one !== undefined && OUTDATED.has(one.code)) || superiors.some(isOutdated);
}

const subjectOf = (subject: TrustSubject): string =>
  'entity_id' in subject ? subject.entity_id : subject.configuration.sub;

interface SharedNeeds extends TrustNeeds {
  readonly snapshot: Snapshot;
  readonly now: number;
}

async function resolveWithin(
  needs: SharedNeeds,
  { subject, entityType }: TrustQuestion,
): Promise<Omit<Resolution, 'fetches' | 'retryAfter'>> {
  const climb = climbNeeds(needs);
  const start = await beginning(climb, subject);
  if (start.reached === undefined) return { search: start.node, chain: undefined, reason: start.node.reason };
  const { reached } = start;
  const preferred = new Set(subject.preferred);
  const search = { ...climb, searchLimits: needs.limits.search, preferred };
  let { node } = start;
  for (const anchors of anchorsInTurn(needs.anchors, subject, reached)) {
    // A further search begins anew. Nothing is fetched again.
    node = { ...start.node, superiors: [] };
    let chain: TrustChain | undefined;
    await searchUpwards({ ...search, anchors }, { ...reached, node }, async (arrival) => {
      chain = await judge(needs, arrival, entityType);
      return chain !== undefined;
    });
    if (chain !== undefined) return { search: node, chain, reason: undefined };
  }
  return { search: node, chain: undefined, reason: closestReason(node) };
}

/**
 * Returns the anchors that one search after the other accepts: the root of the chain that the subject brought, and no other;
 * otherwise those of its `trust_anchor_hints` that are configured, then all, because it may trust others too. Between two chains of
 * one length its order of superiors decides.
 */
function anchorsInTurn(
  anchors: readonly TrustAnchor[],
  subject: TrustSubject,
  { configuration }: Reached,
): readonly (readonly TrustAnchor[])[] {
  const { anchor: root } = subject;
  if (root !== undefined) return [anchors.filter(({ entity_id }) => entity_id === root)];
  const hinted = anchors.filter(({ entity_id }) => configuration.trust_anchor_hints.includes(entity_id));
  const isSubset = hinted.length > 0 && hinted.length < anchors.length;
  return isSubset ? [hinted, anchors] : [anchors];
}

export function climbNeeds({
  inspector,
  snapshot,
  now,
  limits,
  allowHttp,
  outbound,
}: SharedNeeds): ClimbNeeds {
  const addressProblem = (entityId: string): OutboundProblem | undefined => outbound.urlProblem(entityId);
  return { inspector, snapshot, now, limits: limits.statement, allowHttp, addressProblem };
}

async function beginning(
  needs: ClimbNeeds,
  subject: TrustSubject,
): Promise<{ readonly node: GrowingNode; readonly reached: Reached | undefined }> {
  const entity_id = subjectOf(subject);
  const loaded =
    'entity_id' in subject
      ? await loadConfiguration(needs, entity_id)
      : {
          statement: subject.configuration,
          trace: soundTrace(subject.configuration, 'submitted', subject.checks),
        };
  const node: GrowingNode = { entity_id, is_trust_anchor: false, configuration: loaded.trace, superiors: [] };
  const statement = loaded.statement === undefined ? undefined : asStated(loaded.statement, subject);
  if (statement === undefined) {
    if (loaded.trace.reason !== undefined) node.reason = loaded.trace.reason;
    return { node, reached: undefined };
  }
  const reached = { node, configuration: statement, statements: [statement], visited: new Set([entity_id]) };
  return { node, reached };
}

function asStated(configuration: SoundStatement, subject: TrustSubject): SoundStatement {
  const published = configuration.metadata[RELYING_PARTY];
  if (!('stated' in subject) || subject.stated === undefined || !isObject(published)) return configuration;
  const metadata = { ...configuration.metadata, [RELYING_PARTY]: subject.stated(published) };
  return { ...configuration, metadata };
}

/** Checks a complete chain against §10.2, §6 and §7. Returns undefined and records the reason if it fails. */
async function judge(
  needs: SharedNeeds,
  { node, anchor, configuration, statements: below }: Arrival,
  entityType: string | undefined,
): Promise<TrustChain | undefined> {
  const statements = [...below, configuration];
  const expires_at = Math.min(...statements.map(({ exp }) => exp));
  const trace = {
    trust_anchor: anchor.entity_id,
    entities: [...new Set(statements.map(({ sub }) => sub))],
    expires_at,
  };
  const record = (more: Omit<ChainTrace, keyof typeof trace>): void => {
    node.chain = { ...trace, ...more };
  };
  await needs.anchorKeys.observe(configuration);
  const validated = await validateChain({ statements, anchor, now: needs.now, inspector: needs.inspector });
  if (validated.reason !== undefined) {
    record({ ...validated, policy: [], ignored_operators: [], reason: validated.reason });
    return undefined;
  }
  const { metadata, steps, ignored, reason } = resolveMetadata(statements);
  const own =
    needs.constraints === undefined ? [] : ownConstraintsHeld(needs.constraints, { statements, metadata });
  const told = { checks: [...validated.checks, ...own], policy: steps, ignored_operators: ignored };
  const refusal = reason ?? entityTypeReason(metadata, entityType) ?? own.at(-1)?.reason;
  if (refusal !== undefined) {
    record({ ...told, reason: refusal });
    return undefined;
  }
  const marks = await requiredMarks(needs, statements, anchor);
  const checks = [...told.checks, ...marks.checks];
  record({ ...told, checks, ...(marks.reason === undefined ? {} : { reason: marks.reason }) });
  const [, statement] = statements;
  if (marks.reason !== undefined || statement === undefined) return undefined;
  const { iss: immediate_superior, keys } = statement;
  return { trust_anchor: anchor.entity_id, immediate_superior, statements, keys, expires_at, metadata };
}

function entityTypeReason(metadata: EntityMetadata, entityType: string | undefined): Reason | undefined {
  if (entityType === undefined || metadata.has(entityType)) return undefined;
  const words = `the resolved metadata has no ${entityType}: the subject does not state it, or a constraint removes it`;
  return { code: 'constraint_entity_types', words };
}

async function requiredMarks(
  needs: SharedNeeds,
  statements: readonly SoundStatement[],
  anchor: TrustAnchor,
): ReturnType<typeof holdRequiredMarks> {
  const [holder, subordinate] = statements;
  const configuration = statements.at(-1);
  if (holder === undefined || subordinate === undefined || configuration === undefined) {
    return { checks: [], reason: undefined };
  }
  const trustedIssuer = async (entityId: string): Promise<MarkIssuer | undefined> => {
    if (entityId === anchor.entity_id)
      return markIssuer(anchor.keys, configuration.metadata[FEDERATION_ENTITY]);
    if (entityId === holder.sub) return markIssuer(subordinate.keys, holder.metadata[FEDERATION_ENTITY]);
    // The issuer of a mark needs no mark. Otherwise each issuer would need another issuer without end.
    const issuer = { ...needs, anchors: [anchor], requiredTrustMarks: [], constraints: undefined };
    const { chain } = await resolveWithin(issuer, {
      subject: { entity_id: entityId },
      entityType: undefined,
    });
    const entity = chain?.metadata.get(FEDERATION_ENTITY) ?? [];
    return chain && markIssuer(chain.keys, Object.fromEntries(entity));
  };
  const { inspector, now, requiredTrustMarks, snapshot, markStatuses } = needs;
  const statusOf: TrustMarkNeeds['statusOf'] = async (mark, issuer) =>
    markStatuses.wants(mark, issuer)
      ? await snapshot.spend(async (requester) => await markStatuses.check(mark, issuer, requester))
      : undefined;
  const marks = { inspector, now, trustedIssuer, statusOf };
  return await holdRequiredMarks(marks, holder, configuration, requiredTrustMarks);
}

function markIssuer(keys: readonly JsonWebKey[], entity: JsonValue | undefined): MarkIssuer {
  const endpoint = isObject(entity) ? entity['federation_trust_mark_status_endpoint'] : undefined;
  return { keys, status_endpoint: typeof endpoint === 'string' ? endpoint : undefined };
}

const rankOf = ({ code }: Reason): number =>
  code.startsWith('statement_') ? 400 : code.endsWith('_exhausted') ? 200 : 0;

/**
 * Prefers the reason of a complete but invalid chain, then a statement that is not sound, then a limit of the search: beyond it there
 * may be a chain. Between equals the longest path decides.
 */
function closestReason(root: SearchNode): Reason {
  let best: { readonly rank: number; readonly reason: Reason } | undefined;
  const visit = (node: SearchNode, depth: number): void => {
    const reason = node.chain?.reason ?? node.reason;
    const rank =
      reason === undefined ? 0 : depth + (node.chain?.reason === undefined ? rankOf(reason) : 1000);
    if (reason !== undefined && (best === undefined || rank > best.rank)) best = { rank, reason };
    for (const superior of node.superiors) visit(superior, depth + 1);
  };
  visit(root, 0);
  return (
    best?.reason ?? { code: 'unknown_trust_anchor', words: 'no path leads to a configured trust anchor' }
  );
}
