import type { ClientVersion, StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { JsonChange } from '../../spec/json-changes.ts';
import { sentenceOf } from '../../spec/metadata-mistake.ts';
import { isFederated } from '../federated-client.ts';
import { admitMetadata } from '../registration/admit-metadata.ts';
import { requireFreeOfOurNames } from '../registration/register-client.ts';
import type { Registrant } from '../registration/registration-authority.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import {
  type ClientProblem,
  type DeclaredClient,
  differences,
  type ExaminedDeclaration,
  examineDeclaration,
  refusalSentences,
  requestOf,
} from './declared-client.ts';
import { keptSecretProblem, type SecretOutcome, secretOutcome } from './declared-secret.ts';

/** One step of a plan for a client. `replace` ends the client with its tokens and registers it again. */
export interface PlannedClient {
  readonly action: 'create' | 'change' | 'replace' | 'delete';
  readonly client_id: ClientId;
  /** The registration that the plan has seen; null for a client that is not registered. */
  readonly seen: Pick<ClientVersion, 'instance' | 'version'> | null;
  /** Present if the step takes over a client from another owner, or from none. */
  readonly adopted_from?: string | null;
  readonly changes: readonly JsonChange[];
  readonly secret: SecretOutcome;
}

export interface PlanOptions {
  readonly owner: string;
  readonly registrant: Registrant;
  /** Says whether a client of another owner, or of none (null), may be taken over. */
  readonly adopts: (client_id: string, owner: string | null) => boolean;
  /** Says whether a client is to end and be registered again. */
  readonly replaces: (client_id: string) => boolean;
}

/** The steps for some clients. Clients that are as declared have none. */
export interface ClientPlan {
  /** In the order of the declarations. */
  readonly steps: readonly PlannedClient[];
  readonly problems: readonly ClientProblem[];
  /** Sentences about members and values that this server does not take. */
  readonly dropped: readonly ClientProblem[];
}

/** Clients that are looked up together. PostgreSQL answers them with one query. */
const TOGETHER = 200;

/** Compares declared clients with the registry. Changes nothing. */
export async function planClients(
  needs: RegistryNeeds,
  declared: readonly DeclaredClient[],
  options: PlanOptions,
): Promise<ClientPlan> {
  const steps: PlannedClient[] = [];
  const problems: ClientProblem[] = [];
  const dropped: ClientProblem[] = [];
  for (let start = 0; start < declared.length; start += TOGETHER) {
    const some = declared.slice(start, start + TOGETHER);
    const stored = await Promise.all(some.map(async ({ client_id }) => await needs.clients.find(client_id)));
    const planned = await Promise.all(
      some.map(async (one, index) => await planClient(needs, one, stored[index], options)),
    );
    for (const [index, { step, problems: words, dropped: sentences }] of planned.entries()) {
      const client_id = some[index]?.client_id ?? '';
      if (step !== undefined) steps.push(step);
      problems.push(...words.map((sentence) => ({ client_id, words: sentence })));
      dropped.push(...sentences.map((sentence) => ({ client_id, words: sentence })));
    }
  }
  return { steps, problems, dropped };
}

interface Planned {
  readonly step?: PlannedClient;
  readonly problems: readonly string[];
  readonly dropped: readonly string[];
}

async function planClient(
  needs: RegistryNeeds,
  declared: DeclaredClient,
  client: StoredClient | undefined,
  options: PlanOptions,
): Promise<Planned> {
  try {
    const examined = examineDeclaration(needs, declared);
    const dropped = examined.validated.dropped.map(sentenceOf);
    const problems = [...examined.problems, ...conflicts(client, declared, options)];
    const step = problems.length > 0 ? undefined : stepFor(needs, declared, client, examined, options);
    if (step === undefined) return { problems, dropped };
    const unfit =
      step.action === 'change' && client !== undefined && step.secret === 'kept'
        ? keptSecretProblem(needs, client, examined.validated.metadata)
        : undefined;
    // An unchanged client is not checked again: its metadata may name documents of other hosts.
    await admitDeclaration(needs, declared, options.registrant);
    return unfit === undefined ? { step, problems, dropped } : { problems: [unfit], dropped };
  } catch (failure) {
    if (!(failure instanceof OAuthError)) throw failure;
    return { problems: refusalSentences(failure), dropped: [] };
  }
}

/**
 * Checks a declaration as a registration is checked.
 * @throws OAuthError invalid_client_metadata, invalid_redirect_uri, insufficient_scope
 */
export async function admitDeclaration(
  needs: RegistryNeeds,
  declared: DeclaredClient,
  { privileges, remoteAddress }: Registrant,
): Promise<ExaminedDeclaration['validated']> {
  const sender = { privileges, presentedToken: true, remoteAddress };
  const validated = await admitMetadata(needs, requestOf(needs, declared), sender);
  requireFreeOfOurNames(needs, declared.client_id);
  return validated;
}

function conflicts(
  client: StoredClient | undefined,
  { client_id }: DeclaredClient,
  { owner, adopts, replaces }: PlanOptions,
): readonly string[] {
  if (client === undefined) return [];
  const found: string[] = [];
  if (client.owner !== owner && !adopts(client_id, client.owner)) {
    const whose = client.owner === null ? 'no owner' : `the owner ${client.owner}`;
    found.push(`is registered and has ${whose}: adopt it explicitly, or take it out of the file`);
  }
  if (!replaces(client_id) && (client.document !== null || isFederated(client))) {
    const source = client.document === null ? 'a federation states' : 'a document at its client_id states';
    found.push(`${source} its metadata: replace it explicitly, or take it out of the file`);
  }
  return found;
}

function stepFor(
  needs: RegistryNeeds,
  { client_id, client_secret }: DeclaredClient,
  client: StoredClient | undefined,
  { validated }: ExaminedDeclaration,
  { owner, replaces }: PlanOptions,
): PlannedClient | undefined {
  const { metadata } = validated;
  if (client === undefined) {
    const secret = secretOutcome(needs, undefined, metadata, client_secret);
    return { action: 'create', client_id, seen: null, changes: creation(validated), secret };
  }
  const changes = differences(needs, client, validated);
  const { instance, version } = client;
  const adopted = client.owner === owner ? {} : { adopted_from: client.owner };
  const known = { client_id, seen: { instance, version }, ...adopted, changes };
  if (replaces(client_id)) {
    const secret = secretOutcome(needs, undefined, metadata, client_secret);
    return { action: 'replace', ...known, secret };
  }
  const secret = secretOutcome(needs, client, metadata, client_secret);
  const isSame = changes.length === 0 && client.owner === owner && (secret === 'kept' || secret === 'none');
  return isSame ? undefined : { action: 'change', ...known, secret };
}

function creation({ metadata, data }: ExaminedDeclaration['validated']): readonly JsonChange[] {
  const members = Object.entries({ ...metadata, ...(data === null ? {} : { data: JSON.parse(data) }) });
  return members
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, after]) => (after === undefined ? [] : [{ path: `/${name}`, after }]));
}

const PAGE = 500;

/** Returns a deletion for each client of the owner that no file declares, in the order of their ids. */
export async function planPrune(
  needs: Pick<RegistryNeeds, 'clients'>,
  owner: string,
  isDeclared: (client_id: string) => boolean,
): Promise<readonly PlannedClient[]> {
  const steps: PlannedClient[] = [];
  let after: ClientId | undefined;
  while (true) {
    const page: readonly StoredClient[] = await needs.clients.ofOwner(owner, after, PAGE);
    steps.push(...page.filter(({ client_id }) => !isDeclared(client_id)).map(deletion));
    if (page.length < PAGE) return steps;
    after = page.at(-1)?.client_id;
  }
}

function deletion({ client_id, instance, version, secrets }: StoredClient): PlannedClient {
  const secret = secrets.length === 0 ? 'none' : 'removed';
  return { action: 'delete', client_id, seen: { instance, version }, changes: [], secret };
}
