import type { ClientHistory, FormerVersion } from '../../ports/client-history.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { resealedSecrets } from '../secrets/client-secrets.ts';

const PAGE = 100;

/**
 * Encrypts the secrets of every former version with the current key. Clients come first: a change meanwhile keeps what they are
 * sealed with.
 * @returns the number of changed versions
 */
export async function resealVersions(
  history: Pick<ClientHistory, 'sealedPage' | 'reseal'>,
  sealer: Sealer,
): Promise<number> {
  let after: FormerVersion | undefined;
  let changed = 0;
  while (true) {
    const page: readonly FormerVersion[] = await history.sealedPage(after, PAGE);
    const outcomes = await Promise.all(
      page.map(async (version) => {
        const secrets = resealedSecrets(sealer, version);
        if (secrets === undefined) return 0;
        await history.reseal(version, secrets);
        return 1;
      }),
    );
    changed += outcomes.reduce<number>((sum, one) => sum + one, 0);
    after = page.at(-1);
    if (page.length < PAGE) return changed;
  }
}
