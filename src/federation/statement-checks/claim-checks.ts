import type { JsonValue } from '../../spec/json.ts';
import { isSoleAudience } from '../../spec/sole-audience.ts';
import { constraintsFormProblem } from '../constraints.ts';
import { entityIdProblem } from '../entity-id.ts';
import { STATEMENT_CLAIMS, type StatementKind } from '../entity-statement.ts';
import { isArray, isNameList, isObject } from '../json-value.ts';
import { parseMetadataPolicy } from '../metadata-policy/metadata-policy.ts';
import { type Examined, type StatementCheck, shownMember } from './statement-check.ts';

/** This server knows no extension, so it rejects every critical claim (§13.4). */
export const critCheck: StatementCheck = {
  number: 13,
  name: 'crit',
  code: 'statement_crit',
  about: 'trust',
  problem: ({ jwt: { claims } }) => {
    const { crit } = claims;
    if (crit === undefined) return undefined;
    const isProper =
      isNameList(crit) && crit.every((name) => Object.hasOwn(claims, name) && !STATEMENT_CLAIMS.has(name));
    return isProper
      ? 'has a critical claim that this server does not support'
      : 'has a crit that is not an array of extension claims of this statement';
  },
};

export const authorityHintsCheck: StatementCheck = {
  number: 14,
  name: 'authority_hints',
  code: 'statement_authority_hints',
  about: 'form',
  problem: (examined) => {
    const { jwt, kind, limits, addressProblem } = examined;
    const { authority_hints: hints, iss } = jwt.claims;
    if (hints === undefined) return kind === 'request' ? 'has no authority_hints' : undefined;
    const problem = hintsProblem(examined, hints, 'authority_hints');
    if (problem !== undefined) return problem;
    const list = [...new Set(hints as readonly string[])];
    if (list.length > limits.authorityHints)
      return `has ${list.length} authority_hints, and at most ${limits.authorityHints} are allowed`;
    if (kind !== 'request') return undefined;
    if (list.some((hint) => hint === iss)) return 'has its own iss in authority_hints';
    return list.some((hint) => addressProblem(hint) !== undefined)
      ? 'has authority_hints that are not public addresses'
      : undefined;
  },
};

export const trustAnchorHintsCheck: StatementCheck = {
  number: 15,
  name: 'trust_anchor_hints',
  code: 'statement_trust_anchor_hints',
  about: 'form',
  problem: (examined) => {
    const hints = examined.jwt.claims['trust_anchor_hints'];
    return hints === undefined ? undefined : hintsProblem(examined, hints, 'trust_anchor_hints');
  },
};

/** §3.1.2: an array of entity identifiers that "MUST NOT be the empty array", in configurations only. No text forbids to repeat one. */
function hintsProblem({ kind, allowHttp }: Examined, hints: JsonValue, name: string): string | undefined {
  if (kind === 'subordinate') return `has ${name}, which a subordinate statement must not have`;
  if (!isArray(hints) || hints.length === 0)
    return `has ${name} that are not a non-empty array of entity identifiers`;
  return hints.some((hint) => entityIdProblem(hint, allowHttp) !== undefined)
    ? `has ${name} with a value that is not an entity identifier`
    : undefined;
}

export const metadataCheck: StatementCheck = {
  number: 16,
  name: 'metadata',
  code: 'statement_metadata',
  about: 'form',
  problem: ({ jwt: { claims } }) => {
    const { metadata } = claims;
    if (metadata === undefined) return undefined;
    if (!isObject(metadata) || !Object.values(metadata).every(isObject)) {
      return 'has metadata that is not an object of objects';
    }
    const isNull = Object.values(metadata).some((members) => Object.values(members ?? {}).includes(null));
    return isNull ? 'has null as a metadata value' : undefined;
  },
};

/** Rejects a claim that the other kind of statement defines (§3.1.2, §3.1.3). */
function ofKind(
  kind: StatementKind,
  other: 'configuration' | 'subordinate',
  name: string,
): string | undefined {
  const isSubordinate = kind === 'subordinate';
  if (isSubordinate === (other === 'subordinate')) return undefined;
  return `has ${name}, which only a ${other === 'subordinate' ? 'subordinate statement' : 'configuration'} may have`;
}

/** Checks the policy without critical operators: the whole chain decides which operators are critical. */
export const metadataPolicyCheck: StatementCheck = {
  number: 17,
  name: 'metadata_policy',
  code: 'statement_metadata_policy',
  about: 'trust',
  problem: ({ jwt: { claims }, kind }) => {
    const { metadata_policy } = claims;
    if (metadata_policy === undefined) return undefined;
    const misplaced = ofKind(kind, 'subordinate', 'metadata_policy');
    if (misplaced !== undefined) return misplaced;
    const parsed = parseMetadataPolicy(metadata_policy, new Set());
    return parsed.ok ? undefined : `has an invalid metadata_policy: ${parsed.problem.words}`;
  },
};

/** Rejects every list: this server knows only standard operators, and "defined by this specification" ones must not be listed. */
export const metadataPolicyCritCheck: StatementCheck = {
  number: 18,
  name: 'metadata_policy_crit',
  code: 'statement_metadata_policy_crit',
  about: 'trust',
  problem: ({ jwt: { claims }, kind }) => {
    const { metadata_policy_crit: crit } = claims;
    if (crit === undefined) return undefined;
    const misplaced = ofKind(kind, 'subordinate', 'metadata_policy_crit');
    if (misplaced !== undefined) return misplaced;
    return isNameList(crit)
      ? 'has a critical policy operator that this server does not support'
      : 'has a metadata_policy_crit that is not an array of operator names';
  },
};

export const constraintsCheck: StatementCheck = {
  number: 19,
  name: 'constraints',
  code: 'statement_constraints',
  about: 'trust',
  problem: ({ jwt: { claims }, kind }) => {
    const { constraints } = claims;
    if (constraints === undefined) return undefined;
    return ofKind(kind, 'subordinate', 'constraints') ?? constraintsFormProblem(constraints);
  },
};

export const sourceEndpointCheck: StatementCheck = {
  number: 23,
  name: 'source_endpoint',
  code: 'statement_source_endpoint',
  about: 'trust',
  problem: ({ jwt: { claims }, kind }) => {
    const { source_endpoint } = claims;
    if (source_endpoint === undefined) return undefined;
    const misplaced = ofKind(kind, 'subordinate', 'source_endpoint');
    if (misplaced !== undefined) return misplaced;
    return typeof source_endpoint === 'string' && URL.canParse(source_endpoint)
      ? undefined
      : 'has a source_endpoint that is not a URL';
  },
};

/**
 * §3.1.4: "MUST be the Entity Identifier of the OP and MUST NOT include any other values". An array of several would let each
 * server in it replay the statement. The interface's dialect requires `aud` only if `federation.require-audience` is set.
 */
export const audienceCheck: StatementCheck = {
  number: 26,
  name: 'aud',
  code: 'statement_audience',
  about: 'trust',
  problem: ({ jwt: { claims }, request }) => {
    const { aud } = claims;
    if (request === undefined)
      return aud === undefined ? undefined : 'has an aud, which only a registration request may have';
    if (aud === undefined && !request.audienceRequired) return undefined;
    return isSoleAudience(aud, request.audience)
      ? undefined
      : `has ${shownMember('aud', aud)}; it must be ${request.audience}`;
  },
};

export const trustAnchorCheck: StatementCheck = {
  number: 27,
  name: 'trust_anchor',
  code: 'statement_trust_anchor',
  about: 'trust',
  problem: ({ jwt: { claims } }) =>
    claims['trust_anchor'] === undefined
      ? undefined
      : 'has a trust_anchor, which only a registration response may have',
};
