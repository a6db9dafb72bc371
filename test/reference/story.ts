import type { Settings } from '../../src/config/settings.ts';
import { type Recorded, recorded } from '../../src/testing/exchange-story.ts';
import { type TestTenant, type TestTenantOptions, testTenant } from '../../src/testing/tenant.ts';

/** Sends requests to the endpoints of one folder, and shows some of them in the reference. */
export type Story = () => Promise<Recorded<TestTenant>>;

/** The issuer of all stories; tests of endpoints have it too. */
export function storyTenant(
  settings: Partial<Settings> = {},
  options: TestTenantOptions = {},
): Recorded<TestTenant> {
  return recorded(testTenant({ ...options, settings }));
}
