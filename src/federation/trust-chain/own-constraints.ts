import { matchesAnyName } from '../constraints.ts';
import { RELYING_PARTY, type SoundStatement } from '../entity-statement.ts';
import type { EntityMetadata } from '../metadata-policy/apply-policy.ts';
import type { CheckTrace, OwnConstraintReason } from '../reason.ts';

/** The constraints of this server's operator, as if they stood above every trust anchor (§6.2). */
export interface OwnConstraints {
  /** The maximum number of intermediates between a trust anchor and a relying party. */
  readonly maxPathLength: number;
  /** Hosts and domains, as in `naming_constraints`. Empty permits every name. */
  readonly permittedNames: readonly string[];
  readonly excludedNames: readonly string[];
  /** Entity types that the resolved metadata of a relying party must have. */
  readonly requiredEntityTypes: readonly string[];
}

interface OwnConstraint {
  readonly section: string;
  readonly setting: string;
  readonly code: OwnConstraintReason;
  /** Returns a sentence, or undefined if the chain complies. */
  readonly problem: (constraints: OwnConstraints, chain: ResolvedChain) => string | undefined;
}

interface ResolvedChain {
  readonly statements: readonly SoundStatement[];
  readonly metadata: EntityMetadata;
}

const OWN_CONSTRAINTS: readonly OwnConstraint[] = [
  {
    section: '§6.2.1',
    setting: 'federation.max-path-length',
    code: 'own_constraint_path_length',
    problem({ maxPathLength }, { statements }) {
      const intermediates = below(statements).length - 1;
      return intermediates > maxPathLength
        ? `this server allows ${maxPathLength} intermediates below a trust anchor, and the chain has ${intermediates}`
        : undefined;
    },
  },
  {
    section: '§6.2.2',
    setting: 'federation.permitted-names and federation.excluded-names',
    code: 'own_constraint_naming',
    problem({ permittedNames, excludedNames }, { statements }) {
      const refused = below(statements).find(
        (entityId) =>
          matchesAnyName(entityId, excludedNames) ||
          (permittedNames.length > 0 && !matchesAnyName(entityId, permittedNames)),
      );
      return refused === undefined ? undefined : `this server does not allow the name of ${refused}`;
    },
  },
  {
    section: '§6.2.3',
    setting: 'federation.required-entity-types',
    code: 'own_constraint_entity_types',
    problem({ requiredEntityTypes }, { metadata }) {
      if (!metadata.has(RELYING_PARTY)) return undefined;
      const missing = requiredEntityTypes.find((type) => !metadata.has(type));
      return missing === undefined
        ? undefined
        : `this server requires metadata of the entity type ${missing}, which the relying party does not have`;
    },
  },
];

/** The identifiers of all entities below the trust anchor, the subject first. */
function below(statements: readonly SoundStatement[]): readonly string[] {
  return [...new Set(statements.slice(0, -1).map(({ sub }) => sub))];
}

/** Checks a valid chain against the constraints of this server, up to the first that it breaks. */
export function ownConstraintsHeld(constraints: OwnConstraints, chain: ResolvedChain): readonly CheckTrace[] {
  const checks: CheckTrace[] = [];
  for (const { section, setting, code, problem } of OWN_CONSTRAINTS) {
    const words = problem(constraints, chain);
    const check = { section, number: 1, name: `${setting} of this server` };
    if (words !== undefined)
      return [...checks, { ...check, reason: { code, words: `${words} (${setting})` } }];
    checks.push(check);
  }
  return checks;
}
