import { environmentName } from '../config/environment.ts';
import { maskedValue } from '../config/masked-value.ts';
import { SETTING_PATHS, type SettingPath, type Settings, settingAt } from '../config/settings.ts';
import type { ServedFacts, ServerFacts } from '../ports/server-facts.ts';
import type { TenantId } from '../spec/identifiers.ts';

/** A setting as the administration shows it. */
export interface ShownSetting {
  readonly name: string;
  /** Masked for a secret; null if it is not set. */
  readonly value: unknown;
  /** `default`, the profile, file, environment variable or tenant that gave the value. */
  readonly origin: string;
  readonly default: unknown;
  readonly secret: boolean;
  readonly type: string;
  readonly unit: string | null;
  readonly tenants: 'process' | 'inherited' | 'own';
  readonly environment: string;
  readonly description: string;
}

/** The server as one tenant's administration sees it. */
export interface Administered {
  readonly settings: () => readonly ShownSetting[];
  /** All answers, and the refusals of requests to the tenant. The default tenant also sees those that reached no tenant. */
  readonly served: () => Promise<ServedFacts>;
  /** Undefined for a tenant other than the default one, which learns nothing about the others. */
  readonly server: ServerFacts | undefined;
  readonly started_at: number | null;
  readonly version: string | null;
}

interface OfTenant {
  readonly id: TenantId;
  /** Whether it is the default tenant, which sees the whole server. */
  readonly isFirst: boolean;
  readonly settings: Settings;
  readonly origins: Readonly<Partial<Record<SettingPath, string>>> | undefined;
  /** Absent where no server runs, as in commands. */
  readonly server: ServerFacts | undefined;
}

export function administered({ id, isFirst, settings, origins, server }: OfTenant): Administered {
  const sources = origins ?? server?.origins ?? {};
  return {
    settings: () => SETTING_PATHS.map((path) => shown(path, settings, sources[path] ?? 'default')),
    async served() {
      const { requests = {}, refusals = [] } = (await server?.served()) ?? {};
      const own = refusals.filter(({ tenant }) => tenant === id || (isFirst && tenant === ''));
      return { requests, refusals: own };
    },
    server: isFirst ? server : undefined,
    started_at: server?.started_at ?? null,
    version: server?.version ?? null,
  };
}

function shown(path: SettingPath, settings: Settings, origin: string): ShownSetting {
  const { secret, type, unit = null, tenants, description, default: byDefault } = settingAt(path);
  return {
    name: path,
    value: maskedValue(settings[path], secret) ?? null,
    origin,
    default: byDefault ?? null,
    secret,
    type,
    unit,
    tenants,
    environment: environmentName(path),
    description,
  };
}
