import type { ClientStore } from '../ports/client-store.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Restoration } from '../ports/storage.ts';
import type { MetadataLimits } from '../spec/client-metadata-checks.ts';
import type { JsonLimits } from '../spec/json.ts';
import type { AccessTokenNeeds } from '../tokens/access-token.ts';
import type { MasterToken } from '../tokens/bearer-token.ts';
import type { AuditNeeds } from './audit-trail.ts';
import type { NetworkLimits } from './rate-limits.ts';
import type { SoftwareStatementNeeds } from './registration/software-statement.ts';

export interface RegistrySettings {
  readonly allowOpenRegistration: boolean;
  /** Scope values that an open registration may set (decision 6). */
  readonly openScopeValues: readonly string[];
  readonly masterTokens: readonly MasterToken[];
  /** Limit of openly registered clients; undefined = no limit. */
  readonly openClientsMax: number | undefined;
  /** Whether identical open registrations of a public client return the same client. */
  readonly openIdempotent: boolean;
  /** Seconds; 0 = a secret never expires. */
  readonly clientSecretLifetime: number;
  /** Seconds in which the previous secret stays valid after an update. */
  readonly previousSecretGrace: number;
  readonly clientIdLength: number;
  readonly clientSecretLength: number;
  readonly registrationTokenLength: number;
  readonly bearerTokenLengthMax: number;
  readonly json: JsonLimits;
  readonly metadata: MetadataLimits;
}

/** The stores and settings of one tenant that operations on its client registry need. */
export interface RegistryNeeds extends AuditNeeds {
  readonly issuer: string;
  readonly clients: ClientStore;
  readonly accessTokens: AccessTokenNeeds;
  readonly sealer: Sealer;
  readonly outbound: OutboundHttp;
  readonly openLimits: NetworkLimits;
  /** Present if the registry was restored from a backup. */
  readonly restoration?: Restoration;
  /** Absent if no issuer of software statements is trusted. */
  readonly softwareStatements?: SoftwareStatementNeeds;
  readonly random: Random;
  readonly settings: RegistrySettings;
}
