import type { UpkeepStore } from '../../ports/upkeep-store.ts';
import { IS_SWEEPABLE } from '../sweepable.ts';
import type { TenantNoun } from './noun.ts';

export const upkeep: TenantNoun<UpkeepStore, 'isDue'> = {
  reads: {
    isDue({ lookUps }) {
      const due = lookUps.prepare(IS_SWEEPABLE);
      return (
        tenant,
        { now, settledBefore, auditedBefore, renewableBefore, versionsBefore, deletedBefore },
      ) =>
        due.get({
          tenant,
          now,
          settled_before: settledBefore,
          audited_before: auditedBefore,
          renewable_before: renewableBefore,
          versions_before: versionsBefore,
          deleted_before: deletedBefore,
        }) !== undefined;
    },
  },
  writes: {},
};
