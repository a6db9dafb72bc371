import type { StoredClient } from '../../ports/client-store.ts';
import { preferredSecret } from '../../spec/client-metadata-checks.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { JsonValue } from '../../spec/json.ts';
import { type Mistake, sentenceOf } from '../../spec/metadata-mistake.ts';
import { type AuditTrail, doneEvent } from '../audit-trail.ts';
import {
  type DeclaredClient,
  differences,
  refusalSentences,
  requestOf,
} from '../declared/declared-client.ts';
import { secretOutcome } from '../declared/declared-secret.ts';
import { admitDeclaration } from '../declared/plan-clients.ts';
import { newClient } from '../registration/register-client.ts';
import type { Registrant } from '../registration/registration-authority.ts';
import {
  examineMetadata,
  isConfidential,
  type ValidatedMetadata,
} from '../registration/validate-metadata.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { makeRegistrationToken } from '../secrets/client-secrets.ts';
import type { ForeignClient, Members } from './foreign-client.ts';

/** The report about one client of another server. */
export interface ForeignOutcome {
  readonly client_id: string;
  readonly outcome: 'imported' | 'unchanged' | 'refused';
  /** The members that were carried over. */
  readonly carried: readonly string[];
  readonly changed: readonly string[];
  readonly lost: readonly string[];
  /** Why the client was refused. */
  readonly refused: readonly string[];
}

export interface ForeignImportOptions {
  readonly registrant: Registrant;
  /** The owner of the imported clients (`chancery apply`); null for none. */
  readonly owner: string | null;
  readonly dryRun: boolean;
}

/** Imports one client of another server. Idempotent: a client that is there as the export has it is left alone. */
export async function importForeignClient(
  needs: RegistryNeeds,
  foreign: ForeignClient,
  options: ForeignImportOptions,
  trail: AuditTrail,
): Promise<ForeignOutcome> {
  trail.client_id = foreign.client_id;
  const fitted = fit(needs, foreign);
  const { declared, changed, lost } = fitted;
  const told = { client_id: foreign.client_id, changed, lost };
  try {
    const validated = await admitDeclaration(needs, declared, options.registrant);
    const carried = carriedMembers(validated, declared, foreign);
    const dropped = [...lost, ...validated.dropped.map(sentenceOf)];
    const present = await needs.clients.find(declared.client_id);
    const outcome =
      present === undefined
        ? await create(
            needs,
            validated,
            { ...foreign, client_secret: declared.client_secret },
            options,
            trail,
          )
        : compare(needs, present, validated, declared);
    return { ...told, lost: dropped, outcome, carried, refused: [] };
  } catch (failure) {
    if (!(failure instanceof OAuthError)) throw failure;
    return { ...told, outcome: 'refused', carried: [], refused: refusalSentences(failure) };
  }
}

interface Fitted {
  readonly declared: DeclaredClient;
  readonly changed: readonly string[];
  readonly lost: readonly string[];
}

/** Members without which a client works: one that this server refuses is left out, and reported. */
const ESSENTIAL: ReadonlySet<string> = new Set([
  'grant_types',
  'token_endpoint_auth_method',
  'preferred_client_id',
  'jwks',
  'jwks_uri',
  'sector_identifier_uri',
]);

/** Leaves out the values that this server would refuse, each with its reason, so that the rest of the client is registered. */
function fit(needs: RegistryNeeds, foreign: ForeignClient): Fitted {
  const lost = [...foreign.lost];
  const changed = [...foreign.changed];
  const client_id = foreign.client_id as ClientId;
  let members: Members = foreign.metadata;
  let secret = foreign.client_secret;
  const problem = secret === undefined ? undefined : secretProblem(needs, secret);
  if (problem !== undefined) {
    changed.push(problem);
    secret = undefined;
  }
  const declaration = (): DeclaredClient => ({
    client_id,
    metadata: JSON.stringify(members),
    ...(secret === undefined ? {} : { client_secret: secret }),
  });
  try {
    const { validated, mistakes } = examineMetadata(requestOf(needs, declaration()), needs.metadataLimits);
    if (secret !== undefined && !isConfidential(validated.metadata)) secret = undefined;
    const minor = mistakes.filter((mistake) => canBeLeftOut(mistake, members));
    for (const mistake of minor) lost.push(`left out: ${sentenceOf(mistake)}`);
    members = without(members, minor);
  } catch (failure) {
    // The registration refuses it in the same words.
    if (!(failure instanceof OAuthError)) throw failure;
  }
  return { declared: declaration(), changed, lost };
}

/** A single address can be left out, but not the whole list. */
function canBeLeftOut({ member, index }: Mistake, members: Members): boolean {
  if (ESSENTIAL.has(member) || !Object.hasOwn(members, member)) return false;
  return index !== undefined || !member.endsWith('redirect_uris');
}

function secretProblem(needs: RegistryNeeds, secret: string): string | undefined {
  const checked = preferredSecret(secret, needs.metadataLimits);
  if (!('problems' in checked)) return undefined;
  return `the secret of ${secret.length} characters ${checked.problems[0]?.rule ?? ''}: the client gets a new one`;
}

function without(members: Members, mistakes: readonly Mistake[]): Members {
  const result: { [name: string]: JsonValue | undefined } = { ...members };
  for (const [member, found] of Map.groupBy(mistakes, (mistake) => mistake.member)) {
    const value = members[member];
    const indices = new Set(found.map(({ index }) => index));
    if (Array.isArray(value) && !indices.has(undefined))
      result[member] = (value as readonly JsonValue[]).filter((_, index) => !indices.has(index));
    else delete result[member];
  }
  return result;
}

function carriedMembers(
  { metadata, data, dropped }: ValidatedMetadata,
  { client_secret }: DeclaredClient,
  foreign: ForeignClient,
): readonly string[] {
  const partly = new Set(dropped.map(({ member }) => member));
  const given = Object.keys(foreign.metadata).filter(
    (name) => (metadata[name] !== undefined || (name === 'data' && data !== null)) && !partly.has(name),
  );
  return [
    ...given.toSorted(),
    ...(client_secret === undefined ? [] : ['client_secret']),
    ...(foreign.registration_access_token === undefined ? [] : ['registration_access_token']),
  ];
}

function compare(
  needs: RegistryNeeds,
  present: StoredClient,
  validated: ValidatedMetadata,
  { client_secret }: DeclaredClient,
): 'unchanged' {
  const isSame =
    differences(needs, present, validated).length === 0 &&
    secretOutcome(needs, present, validated.metadata, client_secret) !== 'given';
  if (isSame) return 'unchanged';
  throw new OAuthError('invalid_client_metadata', {
    error_description:
      'another client is registered with this client_id: delete it, or take the client out of the export',
  });
}

async function create(
  needs: RegistryNeeds,
  validated: ValidatedMetadata,
  foreign: Omit<ForeignClient, 'client_secret'> & { readonly client_secret: string | undefined },
  { registrant, owner, dryRun }: ForeignImportOptions,
  trail: AuditTrail,
): Promise<'imported'> {
  if (dryRun) return 'imported';
  const made = newClient(needs, registrant, validated);
  const { issued_at = made.issued_at, secret_expires_at, registration_access_token } = foreign;
  const client = {
    ...made,
    owner,
    issued_at,
    secrets: made.secrets.map((secret) => ({
      ...secret,
      expires_at:
        foreign.client_secret === undefined ? secret.expires_at : (secret_expires_at ?? secret.expires_at),
    })),
    ...(registration_access_token === undefined
      ? {}
      : makeRegistrationToken(needs, made, registration_access_token)),
  };
  const event = doneEvent(needs, trail);
  const outcome = await needs.clients.create(client, { reuseDeletedId: true, now: needs.clock.now(), event });
  if (outcome === 'created') {
    needs.log.info({ ...event }, 'audit');
    return 'imported';
  }
  throw new OAuthError('invalid_client_metadata', {
    error_description: 'another client was registered with this client_id meanwhile',
  });
}
