import type { UpkeepStore } from '../../ports/upkeep-store.ts';
import { IS_SWEEPABLE } from '../sweepable.ts';
import type { TenantNoun } from './noun.ts';
import { statement } from './statement.ts';

const DUE = statement('upkeep_is_due', IS_SWEEPABLE);

export const upkeep: TenantNoun<UpkeepStore, 'isDue'> = {
  reads: {
    isDue:
      ({ primary }) =>
      async (
        tenant,
        { now, settledBefore, auditedBefore, renewableBefore, versionsBefore, deletedBefore },
      ) => {
        const times = {
          now,
          settled_before: settledBefore,
          audited_before: auditedBefore,
          renewable_before: renewableBefore,
          versions_before: versionsBefore,
          deleted_before: deletedBefore,
        };
        return (await primary.rows(tenant, DUE, times)).length > 0;
      },
  },
  writes: {},
};
