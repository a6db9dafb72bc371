import { utf8Text } from '../../spec/percent-encoding.ts';
import { CHAIN_STATEMENTS_MAX, RELYING_PARTY, type SoundStatement } from '../entity-statement.ts';
import { examineStatement, type StatementRefusal } from '../examine-statement.ts';
import { isObject } from '../json-value.ts';
import type { CheckTrace, Reason } from '../reason.ts';
import type { RequestRules, StatementRules } from '../statement-checks/statement-check.ts';
import { type Resolution, resolveTrust, type TrustNeeds } from '../trust-chain/resolve-trust.ts';
import { type ChainWishes, readGivenChains } from './given-chains.ts';

export type RegistrationDialect = RequestRules['dialect'];

/** The media types of an explicit registration request, and the dialect of each (decision 34). */
export const REGISTRATION_TYPES = {
  'application/jose': 'interface',
  'application/entity-statement+jwt': 'final',
  'application/trust-chain+json': 'final',
} as const satisfies Readonly<Record<string, RegistrationDialect>>;

export type RegistrationType = keyof typeof REGISTRATION_TYPES;

const TRUST_CHAIN_TYPE = 'application/trust-chain+json';

export interface RegistrationSettings {
  /** The entity identifier of this server. */
  readonly entity_id: string;
  /** Whether the interface's dialect requires `aud`. The Final dialect always requires it (decision 35). */
  readonly requireAudience: boolean;
  /** The maximum age of `iat` in seconds. */
  readonly ageMax: number;
  /** The maximum time from now to `exp` in seconds. */
  readonly lifetimeMax: number;
}

export interface RegistrationRequest {
  readonly mediaType: RegistrationType;
  readonly body: Uint8Array;
  /** The IP address that the request comes from. */
  readonly remoteAddress: string;
}

/** A relying party whose statement passed every check. Whether it is trusted is not known yet. */
export interface Applicant extends ChainWishes {
  readonly statement: SoundStatement;
  readonly checks: readonly CheckTrace[];
}

/** Why a request is refused before anything is fetched. */
export interface ApplicantRefusal {
  readonly reason: Reason;
  readonly about: StatementRefusal['about'] | 'chain';
}

/** Checks a request against every rule of §3.2 and §12.2.1. Fetches nothing. Never throws. */
export async function receiveApplicant(
  trust: TrustNeeds,
  settings: RegistrationSettings,
  { mediaType, body }: Pick<RegistrationRequest, 'mediaType' | 'body'>,
): Promise<Applicant | ApplicantRefusal> {
  const text = utf8Text(body);
  if (text === undefined) return malformed('the body is not valid UTF-8');
  const chain = mediaType === TRUST_CHAIN_TYPE ? parsedChain(text) : [text];
  const [own, ...others] = chain ?? [];
  if (own === undefined)
    return malformed(`the body is not a JSON array of 1 to ${CHAIN_STATEMENTS_MAX} entity statements`);
  const { checks, outcome } = await examineStatement(
    trust.inspector,
    own,
    rulesOf(trust, settings, mediaType),
  );
  if ('reason' in outcome) return outcome;
  const { statement } = outcome;
  const problem = roleProblem(statement);
  if (problem !== undefined) return problem;
  const wishes = readGivenChains(trust, settings.entity_id, {
    header: statement.jwt.header,
    chain: others,
  });
  if ('reason' in wishes) return { ...wishes, about: 'chain' };
  return { statement, checks, ...wishes };
}

function rulesOf(
  trust: TrustNeeds,
  settings: RegistrationSettings,
  mediaType: RegistrationType,
): StatementRules {
  const dialect = REGISTRATION_TYPES[mediaType];
  const { entity_id: audience, ageMax, lifetimeMax, requireAudience } = settings;
  return {
    kind: 'request',
    now: trust.clock.now(),
    limits: trust.limits.statement,
    allowHttp: trust.allowHttp,
    addressProblem: (entityId) => trust.outbound.urlProblem(entityId),
    request: {
      dialect,
      audience,
      audienceRequired: dialect === 'final' || requireAudience,
      ageMax,
      lifetimeMax,
    },
  };
}

/** Parses a trust chain. Its first entry is the configuration of the relying party (§12.2.1). */
function parsedChain(text: string): readonly string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(value) || value.length > CHAIN_STATEMENTS_MAX) return undefined;
  const statements: readonly unknown[] = value;
  return statements.every((statement) => typeof statement === 'string') ? statements : undefined;
}

function roleProblem({ metadata }: SoundStatement): StatementRefusal | undefined {
  if (isObject(metadata[RELYING_PARTY])) return undefined;
  const words = `the entity statement must have metadata for ${RELYING_PARTY}`;
  return { reason: { code: 'statement_metadata', words }, about: 'form' };
}

function malformed(words: string): StatementRefusal {
  const reason: Reason = { code: 'statement_not_signed_jwt', words };
  return { reason, about: 'form' };
}

/** Searches for a chain from the applicant, as a relying party, to a configured trust anchor (§12.2.2 3 to 5). */
export async function trustApplicant(
  trust: TrustNeeds,
  { statement: configuration, checks, preferred, anchor }: Applicant,
  remoteAddress: string,
): Promise<Resolution> {
  return await resolveTrust(trust, {
    subject: { configuration, checks, preferred, anchor },
    entityType: RELYING_PARTY,
    remoteAddress,
  });
}
