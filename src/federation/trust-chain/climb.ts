import type { JwtInspector } from '../../ports/jwt-inspector.ts';
import type { OutboundProblem } from '../../ports/outbound-http.ts';
import { configurationUrl, fetchUrl } from '../entity-id.ts';
import type { SoundStatement } from '../entity-statement.ts';
import { examineJwt } from '../examine-statement.ts';
import { isObject } from '../json-value.ts';
import type { Reason } from '../reason.ts';
import type { StatementLimits, StatementRules } from '../statement-checks/statement-check.ts';
import type { StatementTrace } from './search-tree.ts';
import type { Snapshot } from './snapshot.ts';

export interface ClimbNeeds {
  readonly inspector: JwtInspector;
  readonly snapshot: Snapshot;
  readonly now: number;
  readonly limits: StatementLimits;
  readonly allowHttp: boolean;
  readonly addressProblem: (entityId: string) => OutboundProblem | undefined;
}

export interface LoadedStatement {
  readonly trace: StatementTrace;
  /** Undefined if a check failed. */
  readonly statement: SoundStatement | undefined;
}

/** Fetches and examines the configuration of an entity (§9). */
export async function loadConfiguration(needs: ClimbNeeds, entityId: string): Promise<LoadedStatement> {
  return await load(needs, configurationUrl(entityId), { kind: 'configuration', subject: entityId });
}

/** Fetches and examines the statement of a superior about its subordinate (§8.1). */
export async function loadSubordinateStatement(
  needs: ClimbNeeds,
  superior: SoundStatement,
  subject: SoundStatement,
): Promise<LoadedStatement | { readonly reason: Reason }> {
  const { federation_entity } = superior.metadata;
  const endpoint = isObject(federation_entity) ? federation_entity['federation_fetch_endpoint'] : undefined;
  const url = typeof endpoint === 'string' ? fetchUrl(endpoint, subject.sub) : undefined;
  if (url === undefined) {
    return {
      reason: {
        code: 'no_fetch_endpoint',
        words: `${superior.sub} has no valid federation_fetch_endpoint in its metadata`,
      },
    };
  }
  return await load(needs, url, {
    kind: 'subordinate',
    subject: subject.sub,
    issuer: { entity_id: superior.sub, keys: superior.keys },
    subjectHints: subject.authority_hints,
  });
}

type Place = Pick<StatementRules, 'kind' | 'subject' | 'issuer' | 'subjectHints'>;

async function load(needs: ClimbNeeds, source: string, place: Place): Promise<LoadedStatement> {
  const fetched = await needs.snapshot.fetch(source);
  if ('reason' in fetched) {
    return { statement: undefined, trace: { kind: place.kind, source, checks: [], reason: fetched.reason } };
  }
  const { now, limits, allowHttp, addressProblem } = needs;
  const rules = { ...place, now, limits, allowHttp, addressProblem };
  const jwt = fetched.statement.inspected(needs.inspector, limits.length);
  const { checks, outcome } = await examineJwt(needs.inspector, jwt, rules);
  if ('reason' in outcome) {
    return { statement: undefined, trace: { kind: place.kind, source, checks, reason: outcome.reason } };
  }
  return { statement: outcome.statement, trace: soundTrace(outcome.statement, source, checks) };
}

export function soundTrace(
  { kind, jwt, iss, sub, iat, exp, keys }: SoundStatement,
  source: string,
  checks: StatementTrace['checks'],
): StatementTrace {
  // The check of the statement's `kid` held.
  const signer = jwt.header['kid'] as string;
  return {
    kind,
    source,
    issuer: iss,
    subject: sub,
    issued_at: iat,
    expires_at: exp,
    kid: signer,
    key_ids: keys.map(({ kid }) => String(kid)),
    checks,
  };
}
