import type { AuthenticationNeeds } from '../clients/client-authentication/method.ts';
import type { Mode } from '../config/rules.ts';
import type { AdminTokens } from '../endpoints/admin/authenticate.ts';
import type { ConsoleNeeds } from '../endpoints/console/endpoint.ts';
import type { Backups } from '../ports/backup-store.ts';
import type { ClientPages } from '../ports/client-pages.ts';
import type { Clock } from '../ports/clock.ts';
import type { DevelopmentFacts } from '../ports/development.ts';
import type { JweDecrypter, JweEncrypter } from '../ports/jwe.ts';
import type { JwtInspector } from '../ports/jwt-inspector.ts';
import type { JwtSigner } from '../ports/jwt-signer.ts';
import type { JwtVerifier } from '../ports/jwt-verifier.ts';
import type { KeyMaker } from '../ports/key-maker.ts';
import type { Log } from '../ports/log.ts';
import type { Counting } from '../ports/metrics.ts';
import type { OutboundForms, OutboundHttp } from '../ports/outbound-http.ts';
import type { Pages } from '../ports/pages.ts';
import type { PasswordHasher } from '../ports/password-hasher.ts';
import type { Random } from '../ports/random.ts';
import type { SamlAssertionVerifier } from '../ports/saml-assertion-verifier.ts';
import type { CompileSchema } from '../ports/schema-compiler.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { ServerFacts } from '../ports/server-facts.ts';
import type { Storage, TenantStorage } from '../ports/storage.ts';
import type { Streams } from '../ports/streams.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { Caches } from '../spec/caches.ts';
import type { TenantId } from '../spec/identifiers.ts';

/**
 * Holds everything that a tenant takes from the machine it runs on (ADR 30). A process has one for production, and
 * tests have one with a clock of their own.
 */
export interface Platform {
  readonly clock: Clock;
  /** Resolves after these seconds. Keeps no process running. */
  readonly sleep: (seconds: number) => Promise<void>;
  /** The streams of the process, of all tenants: those of the administration, and those of resource servers. */
  readonly streams: Streams;
  readonly revocationStreams: Streams;
  readonly random: Random;
  readonly jose: Jose;
  readonly saml: SamlAssertionVerifier;
  readonly compileSchema: CompileSchema;
  readonly outbound: OutboundHttp & OutboundForms;
  readonly storage: Pick<Storage, 'forTenant' | 'restoration'> & {
    readonly tenants: Pick<TenantStore, 'find'>;
  };
  /** Returns what renders long lists of the clients of a tenant; absent where nothing does, and for commands. */
  readonly clientPagesFor?: (tenant: TenantId) => ClientPages;
  /** The memory for caches. */
  readonly caches: Caches;
  /** Keeps records in memory. */
  readonly cached: (storage: TenantStorage, limits: RecordLimits, caches: Caches) => TenantStorage;
  /** Binds what it seals to the tenant: what one tenant sealed does not open for another. */
  readonly sealerFor: (tenant: TenantId) => Sealer;
  /** Has one queue for the passwords of all tenants. */
  readonly passwords: PasswordHasher;
  /**
   * Opens the pages of a theme; `undefined` is the theme of the product.
   * @throws ThemeInvalid
   */
  readonly openPages: (assetsPath: string, theme: string | undefined) => Pages;
  readonly log: Log;
  readonly metrics: Counting;
  /** Records spans; absent where none are recorded. */
  readonly tracing?: Pick<Tracing, 'span'>;
  /** Returns the authorities that may vouch for certificates of clients, as they are configured now. */
  readonly certificateAuthorities: AuthenticationNeeds['certificateAuthorities'];
  /** Returns the tokens of the default tenant, for the administration of another tenant; absent for the default tenant itself. */
  readonly superiorAdmins?: () => AdminTokens | undefined;
  /** For the administration; absent where no server runs. */
  readonly server?: ServerFacts;
  /** The tenants beside the default one, for its administration; absent for every other tenant, and for commands. */
  readonly tenants?: { readonly store: TenantStore; readonly mode: Mode };
  /** The backups of the database, for the administration of the default tenant; absent for every other tenant, and for commands. */
  readonly backups?: Backups;
  /** The console, for the default tenant; absent where it is switched off, for every other tenant, and for commands. */
  readonly console?: ConsoleNeeds;
  /** For the start page of a development server; absent in production. */
  readonly development?: DevelopmentFacts;
}

/** Maximum numbers of records in memory; undefined = only their bytes are limited. */
export interface RecordLimits {
  readonly clients: number | undefined;
  readonly accessTokens: number | undefined;
}

/** Signs, verifies, encrypts and decrypts JWTs. */
export interface Jose {
  readonly signer: JwtSigner;
  readonly verifier: JwtVerifier;
  readonly inspector: JwtInspector;
  readonly encrypter: JweEncrypter;
  readonly decrypter: JweDecrypter;
  readonly keyMaker: KeyMaker;
}
