import { environmentName } from '../../src/config/environment.ts';
import { SETTING_PATHS, settingAt } from '../../src/config/settings.ts';
import { addTenant } from '../../src/testing/storage/add-tenant.ts';
import { openProgramStorage } from './storage-place.ts';

/**
 * Names the tenant that a started program's tests are to be run against. The issuer that they know is then that tenant's,
 * and the default tenant hangs below it: whatever they send is for the tenant, without a byte being different.
 */
export const TENANT_VARIABLE = 'TEST_TENANT';

type Environment = Readonly<Record<string, string | undefined>> & { readonly CHANCERY_ISSUER: string };

/** Removes the settings that a tenant can own from the default tenant, so that none of the test's tokens opens it. */
export function asDefaultTenant(environment: Environment): Environment {
  const own = new Set(overridable(environment).map(([, variable]) => variable));
  const rest = Object.entries(environment).filter(([name]) => !own.has(name));
  return { ...Object.fromEntries(rest), CHANCERY_ISSUER: `${environment.CHANCERY_ISSUER}/default-tenant` };
}

/** Creates the tenant in the folder's database; one that is there already, because a program is started again, stays. */
export async function createTenant(folder: string, id: string, environment: Environment): Promise<void> {
  const settings = overridable(environment).map(([path, , value]) => [path, value] as const);
  const storage = await openProgramStorage(folder);
  try {
    await addTenant(storage, {
      id,
      issuer: environment.CHANCERY_ISSUER,
      settings: Object.fromEntries(settings),
    });
  } finally {
    await storage.close();
  }
}

function overridable(environment: Environment): readonly (readonly [string, string, unknown])[] {
  return SETTING_PATHS.flatMap((path) => {
    const variable = environmentName(path);
    const text = environment[variable];
    const { tenants, fromText } = settingAt(path);
    return text === undefined || tenants === 'process' ? [] : [[path, variable, fromText(text)] as const];
  });
}
