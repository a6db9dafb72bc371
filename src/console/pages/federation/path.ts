import type { AdminFederationEntity, AdminResolution } from '../../../client/client.ts';

type Found = Pick<AdminResolution, 'search' | 'chain' | 'reason'>;

/**
 * Returns the entities of the valid chain, the subject first. Without a chain: the way to the step that explains the failure, or
 * the subject alone.
 */
export function shownPath({ search, chain, reason }: Found): readonly AdminFederationEntity[] {
  const isEnd = (entity: AdminFederationEntity): boolean =>
    chain === null
      ? isSame(entity.chain?.reason ?? entity.reason, reason)
      : entity.chain !== undefined && entity.chain.reason === undefined;
  return pathTo(search, isEnd) ?? [search];
}

/** Returns the superiors beside the path that were tried as well. */
export function triedBeside(path: readonly AdminFederationEntity[]): readonly AdminFederationEntity[] {
  return path.flatMap(({ superiors }, index) =>
    superiors.filter((superior) => superior !== path[index + 1]).flatMap(withSuperiors),
  );
}

/** Says whether the chain breaks at an entity: one of its statements does not hold, or the path ends there. */
export function isBroken({
  configuration,
  statement,
  chain,
  reason,
  superiors,
}: AdminFederationEntity): boolean {
  const failures = [configuration?.reason, statement?.reason, chain?.reason];
  if (failures.some((failure) => failure !== undefined)) return true;
  return reason !== undefined && superiors.length === 0;
}

/** Says whether a superior has a sound statement about the entity below it. */
export const vouches = ({ statement }: Pick<AdminFederationEntity, 'statement'>): boolean =>
  statement !== undefined && statement.reason === undefined;

const withSuperiors = (entity: AdminFederationEntity): readonly AdminFederationEntity[] => [
  entity,
  ...entity.superiors.flatMap(withSuperiors),
];

function pathTo(
  entity: AdminFederationEntity,
  isEnd: (entity: AdminFederationEntity) => boolean,
): readonly AdminFederationEntity[] | undefined {
  if (isEnd(entity)) return [entity];
  for (const superior of entity.superiors) {
    const rest = pathTo(superior, isEnd);
    if (rest !== undefined) return [entity, ...rest];
  }
  return undefined;
}

type Reason = AdminResolution['reason'];

const isSame = (one: Reason, other: Reason): boolean =>
  one !== undefined && other !== undefined && one.code === other.code && one.words === other.words;
