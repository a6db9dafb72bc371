import type { Settings } from '../config/settings.ts';
import type { ClientHistory } from '../ports/client-history.ts';
import type { ClientPages } from '../ports/client-pages.ts';
import type { ClientStore } from '../ports/client-store.ts';
import type { Counting } from '../ports/metrics.ts';
import type { OutboundHttp } from '../ports/outbound-http.ts';
import type { Random } from '../ports/random.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Restoration } from '../ports/storage.ts';
import type { MetadataLimits } from '../spec/client-metadata-checks.ts';
import type { FapiProfile } from '../spec/fapi-profiles.ts';
import type { JsonLimits } from '../spec/json.ts';
import type { AccessTokenNeeds } from '../tokens/access-token.ts';
import type { MasterToken } from '../tokens/bearer-token.ts';
import type { AuditNeeds } from './audit-trail.ts';
import type { ContestedChanges } from './change-client.ts';
import type { NetworkLimits } from './rate-limits.ts';
import type { SoftwareStatementNeeds } from './registration/software-statement.ts';

/** The client registry of one issuer: its stores, its settings, and everything that checks a registration. */
export interface RegistryNeeds extends AuditNeeds {
  readonly metrics: Pick<Counting, 'count'>;
  readonly issuer: string;
  readonly clients: ClientStore;
  /** Renders long lists beside the main thread; undefined where nothing does. */
  readonly clientPages?: ClientPages | undefined;
  readonly clientHistory: ClientHistory;
  readonly contested: ContestedChanges;
  readonly accessTokens: AccessTokenNeeds;
  readonly sealer: Sealer;
  readonly outbound: OutboundHttp;
  readonly openLimits: NetworkLimits;
  /** Present if the registry was restored from a backup. */
  readonly restoration?: Restoration;
  /** Absent if no issuer of software statements is trusted. */
  readonly softwareStatements?: SoftwareStatementNeeds;
  readonly random: Random;
  /** The tokens that open the registry. */
  readonly masterTokens: readonly MasterToken[];
  /** Limits of a request body. */
  readonly json: JsonLimits;
  readonly metadataLimits: MetadataLimits;
  /** Returns the limits that a profile would set. */
  readonly limitsUnder: (profile: FapiProfile) => MetadataLimits;
  readonly settings: Settings;
}
