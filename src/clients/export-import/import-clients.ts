import type { ClientUse, CreateOutcome, StoredClient } from '../../ports/client-store.ts';
import { OAuthError } from '../../spec/errors.ts';
import type { ClientInstance } from '../../spec/identifiers.ts';
import { sentenceOf } from '../../spec/metadata-mistake.ts';
import { ALL_PRIVILEGES } from '../../spec/registration-privileges.ts';
import { type AuditTrail, doneEvent } from '../audit-trail.ts';
import { storeChange } from '../change-client.ts';
import { newInstance } from '../client-instance.ts';
import { NOT_FEDERATED } from '../federated-client.ts';
import { requireCallableUrls } from '../registration/admit-metadata.ts';
import { sharedDigest } from '../registration/identical-client.ts';
import { requireFreeOfOurNames } from '../registration/register-client.ts';
import type { RegistryNeeds } from '../registry-needs.ts';
import { makeRegistrationToken, makeSecret } from '../secrets/client-secrets.ts';
import { exportedRegistration } from './export-clients.ts';
import { type ImportedClient, readImportedClient } from './imported-client.ts';

export type ImportOutcome = 'imported' | 'replaced' | 'unchanged';

export interface ImportOptions {
  /** Whether to replace a client that differs and to register a deleted one again. */
  readonly replace: boolean;
  readonly dryRun: boolean;
  /** Receives a sentence for each member or value that this server does not take. */
  readonly onDropped?: (sentence: string) => void;
}

/** Attempts at one client. After a lost race the client exists now, so it is compared again. */
const ATTEMPTS_MAX = 10;

/**
 * Imports one client of an export with its identifier, secrets and registration token, encrypted with the
 * current key of this server. Idempotent: the second import changes nothing.
 * @throws OAuthError for an invalid line, and for a conflict with an existing client
 */
export async function importClient(
  needs: RegistryNeeds,
  line: Uint8Array,
  options: ImportOptions,
  trail: AuditTrail,
): Promise<ImportOutcome> {
  const imported = readImportedClient(needs, line, (client_id) => {
    trail.client_id = client_id;
  });
  for (const dropped of imported.dropped) options.onDropped?.(sentenceOf(dropped));
  requireFreeOfOurNames(needs, imported.client_id);
  requireCallableUrls(needs, imported.metadata);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const present = await needs.clients.find(imported.client_id);
    const outcome =
      present === undefined
        ? await create(needs, imported, options, trail)
        : await compare(needs, imported, present, options, trail);
    if (outcome !== undefined) return outcome;
  }
  throw new Error(`other requests changed the client during each of ${ATTEMPTS_MAX} attempts`);
}

/** Creates the client; returns undefined if another request registered the identifier first. */
async function create(
  needs: RegistryNeeds,
  imported: ImportedClient,
  { replace, dryRun }: ImportOptions,
  trail: AuditTrail,
): Promise<ImportOutcome | undefined> {
  if (dryRun) return 'imported';
  const instance = newInstance(needs);
  const client = encryptedHere(needs, imported, instance, 1);
  const conditions = { reuseDeletedId: replace, now: needs.clock.now(), event: doneEvent(needs, trail) };
  const outcome = await needs.clients.create(client, conditions);
  if (outcome === 'client_id_taken') return undefined;
  if (outcome !== 'created') throw inTheWay(outcome);
  await needs.clients.recordUses(usesOf(client, imported));
  return 'imported';
}

/**
 * Compares with the stored client and replaces it if allowed; returns undefined if another request changed it
 * meanwhile.
 */
async function compare(
  needs: RegistryNeeds,
  imported: ImportedClient,
  present: StoredClient,
  { replace, dryRun }: ImportOptions,
  trail: AuditTrail,
): Promise<ImportOutcome | undefined> {
  const client = encryptedHere(needs, imported, present.instance, present.version + 1);
  if (exportedRegistration(needs, client) === exportedRegistration(needs, present)) return 'unchanged';
  if (!replace)
    throw refused('another client is registered with this client_id; the option replace overwrites it');
  if (dryRun) return 'replaced';
  const event = doneEvent(needs, trail, 'replaced');
  if ((await storeChange(needs, client, present.version, event)) !== 'done') return undefined;
  await needs.clients.recordUses(usesOf(client, imported));
  return 'replaced';
}

function encryptedHere(
  needs: RegistryNeeds,
  imported: ImportedClient,
  instance: ClientInstance,
  version: number,
): StoredClient {
  const owner = { client_id: imported.client_id, instance };
  return {
    ...owner,
    version,
    issued_at: imported.issued_at,
    metadata: JSON.stringify(imported.metadata),
    data: imported.data,
    secrets: imported.secrets.map(({ client_secret, created_at, expires_at }) => ({
      ...makeSecret(needs, owner, imported.metadata, client_secret),
      created_at,
      expires_at,
    })),
    ...makeRegistrationToken(needs, owner, imported.registration_access_token),
    privileges: JSON.stringify(imported.privileges),
    registered_via: imported.registered_via,
    shared_digest: imported.shared ? digestWhereShared(needs, imported) : null,
    ...NOT_FEDERATED,
    owner: imported.owner,
  };
}

/** Computes the digest of a shared client, whether or not this server shares open registrations. */
function digestWhereShared(
  needs: RegistryNeeds,
  { metadata }: ImportedClient,
): StoredClient['shared_digest'] {
  const settings = { ...needs.settings, 'registration.open-idempotent': true };
  const registrant = { kind: 'open', name: 'open', privileges: ALL_PRIVILEGES } as const;
  return sharedDigest({ ...needs, settings }, registrant, metadata);
}

function usesOf(client: StoredClient, { last_used }: ImportedClient): readonly ClientUse[] {
  return last_used.map(({ secret, at }) => ({
    client_id: client.client_id,
    instance: client.instance,
    secret_digest: secret === null ? null : (client.secrets[secret]?.digest ?? null),
    last_used_at: at,
  }));
}

function inTheWay(outcome: Exclude<CreateOutcome, 'created' | 'client_id_taken'>): Error {
  if (outcome === 'client_id_deleted')
    return refused('a client with this client_id was deleted; the option replace registers it again');
  if (outcome === 'identical_exists')
    return refused('an identical shared client is registered with another client_id');
  return new Error(`unexpected outcome of an import: ${outcome}`);
}

function refused(error_description: string): OAuthError {
  return new OAuthError('invalid_client_metadata', { error_description });
}
