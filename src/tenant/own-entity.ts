import type { Settings } from '../config/settings.ts';
import { SettingsError } from '../config/settings-error.ts';
import type { Endpoint } from '../endpoints/contract.ts';
import { entityConfigurationEndpoint } from '../endpoints/entity-configuration/endpoint.ts';
import { contract as historicalKeysContract } from '../endpoints/federation-historical-keys/contract.ts';
import { federationHistoricalKeys } from '../endpoints/federation-historical-keys/endpoint.ts';
import type { SignedJwkSetNeeds } from '../endpoints/signed-jwk-set/endpoint.ts';
import type { SignedDocumentNeeds } from '../federation/signed-document.ts';
import { trustMarkType } from '../federation/statement-checks/trust-mark-checks.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import type { Clock } from '../ports/clock.ts';
import type { ServerKeyStore } from '../ports/server-key-store.ts';

const MARKS = 'federation.trust-marks';

/** Seconds for which one signature serves. */
const KEPT_FOR = 300;

interface Opened {
  readonly issuer: string;
  readonly settings: Settings;
  readonly keys: ServerKeys;
  readonly clock: Clock;
}

/** What `/jwks.jwt` needs; undefined without a federation. */
export function signedKeySetNeeds({ issuer, settings, keys, clock }: Opened): SignedJwkSetNeeds | undefined {
  if (!settings['federation.enabled']) return undefined;
  return { issuer, keys, document: documentNeeds(keys, clock), maxAge: settings['key-set.max-age'] };
}

/** What the provider metadata says of a federation (OpenID Federation §5.1.3, §5.2.2). */
export function federationMembers(settings: Settings): Readonly<Record<string, unknown>> {
  if (!settings['federation.enabled']) return {};
  const organization_name = settings['federation.organization-name'];
  return {
    client_registration_types_supported: [
      'explicit',
      ...(settings['federation.automatic-registration'] ? ['automatic'] : []),
    ],
    ...(organization_name === undefined ? {} : { organization_name }),
  };
}

/**
 * The endpoints that stand only in a federation.
 * @param provider the provider metadata, as discovery has it
 * @throws SettingsError for trust marks that are none
 */
export function federationEndpoints(
  { issuer, settings, keys, clock, removed }: Opened & Pick<ServerKeyStore, 'removed'>,
  provider: Readonly<Record<string, unknown>>,
): readonly Endpoint[] {
  if (!settings['federation.enabled']) return [];
  const problems = settings[MARKS].flatMap((mark, index) =>
    typeof trustMarkType(mark) === 'string'
      ? []
      : [{ path: `${MARKS}[${index}]`, source: 'at start', rule: 'is a JWT without trust_mark_type' }],
  );
  if (problems.length > 0) throw new SettingsError(problems);
  const entity = {
    entity_id: issuer,
    authority_hints: settings['federation.authority-hints'],
    trust_marks: settings[MARKS],
    organization_name: settings['federation.organization-name'],
    contacts: settings['federation.contacts'],
    historical_keys_endpoint: `${issuer}${historicalKeysContract.path}`,
    openid_provider: provider,
    lifetime: settings['federation.configuration-lifetime'],
  };
  const maxAge = settings['key-set.max-age'];
  const document = documentNeeds(keys, clock);
  return [
    entityConfigurationEndpoint({ entity, document, maxAge }),
    federationHistoricalKeys({ issuer, removed, document, maxAge }),
  ];
}

function documentNeeds(keys: ServerKeys, clock: Clock): SignedDocumentNeeds {
  return { keys: keys.federation, clock, keptFor: KEPT_FOR };
}
