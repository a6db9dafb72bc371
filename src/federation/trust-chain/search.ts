import type { SoundStatement } from '../entity-statement.ts';
import type { Reason } from '../reason.ts';
import {
  type ClimbNeeds,
  type LoadedStatement,
  loadConfiguration,
  loadSubordinateStatement,
} from './climb.ts';
import type { GrowingNode } from './search-tree.ts';
import type { TrustAnchor } from './validate-chain.ts';

export interface SearchLimits {
  /** The maximum number of `authority_hints` of one entity that are followed. */
  readonly hints: number;
  /** The maximum number of superiors in a chain, including the trust anchor. */
  readonly depth: number;
  /** The maximum number of paths in one search. */
  readonly paths: number;
}

export interface SearchNeeds extends ClimbNeeds {
  readonly anchors: readonly TrustAnchor[];
  readonly searchLimits: SearchLimits;
  /** The entities in a chain that the request brought. They are tried first and prove nothing. */
  readonly preferred: ReadonlySet<string>;
}

/** An entity that the search reached, with the statements on the path to it. */
export interface Reached {
  readonly node: GrowingNode;
  readonly configuration: SoundStatement;
  /** From the subject upwards, without the configurations of intermediates. */
  readonly statements: readonly SoundStatement[];
  readonly visited: ReadonlySet<string>;
}

/** A path that ends at a trust anchor. */
export interface Arrival extends Reached {
  readonly anchor: TrustAnchor;
}

/**
 * Searches upwards from the subject, level by level, so that shorter chains come first (§10.3). Offers the arrivals of one
 * level in the order in which the entities name their superiors. The paths of one level run in parallel.
 * @param accept is called for each arrival; true ends the search
 */
export async function searchUpwards(
  needs: SearchNeeds,
  subject: Reached,
  accept: (arrival: Arrival) => Promise<boolean>,
): Promise<void> {
  const walk = new Walk(needs);
  let level: readonly Reached[] = [subject];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === needs.searchLimits.depth) {
      for (const { node, configuration } of level) {
        if (configuration.authority_hints.length > 0) node.reason ??= DEPTH_EXHAUSTED;
      }
      return;
    }
    const above = (await Promise.all(level.map(async (reached) => await walk.above(reached)))).flat();
    for (const arrival of arrivals(above, needs.anchors)) if (await accept(arrival)) return;
    level = above;
  }
}

const DEPTH_EXHAUSTED: Reason = {
  code: 'depth_exhausted',
  words: 'the path has more superiors than one search follows',
};

function arrivals(reached: readonly Reached[], anchors: readonly TrustAnchor[]): readonly Arrival[] {
  return reached.flatMap((one) =>
    anchors
      .filter(({ entity_id }) => entity_id === one.configuration.sub)
      .map((anchor) => ({ ...one, anchor })),
  );
}

class Walk {
  readonly #needs: SearchNeeds;
  readonly #configurations = new Map<string, Promise<LoadedStatement>>();
  #paths = 0;

  constructor(needs: SearchNeeds) {
    this.#needs = needs;
  }

  /** Returns the superiors in `authority_hints` that have a sound statement about the entity. */
  async above(reached: Reached): Promise<readonly Reached[]> {
    const { node, configuration } = reached;
    const hints = this.#inOrder(configuration.authority_hints);
    if (hints.length === 0) {
      node.reason ??= node.is_trust_anchor ? NO_MORE_HINTS : UNKNOWN_ANCHOR;
      return [];
    }
    const followed = hints.slice(0, this.#needs.searchLimits.hints);
    if (followed.length < hints.length) node.reason ??= hintsExhausted(node.entity_id, hints, followed);
    const found = await Promise.all(followed.map(async (hint) => await this.#step(reached, hint)));
    return found.filter((one) => one !== undefined);
  }

  #inOrder(hints: readonly string[]): readonly string[] {
    const { preferred, anchors } = this.#needs;
    const isAnchor = (hint: string): boolean => anchors.some(({ entity_id }) => entity_id === hint);
    const rank = (hint: string): number => (preferred.has(hint) ? 0 : isAnchor(hint) ? 1 : 2);
    return hints.toSorted((one, other) => rank(one) - rank(other));
  }

  async #step(reached: Reached, hint: string): Promise<Reached | undefined> {
    const is_trust_anchor = this.#needs.anchors.some(({ entity_id }) => entity_id === hint);
    const node: GrowingNode = { entity_id: hint, is_trust_anchor, superiors: [] };
    reached.node.superiors.push(node);
    const obstacle = this.#obstacle(reached, hint);
    if (obstacle !== undefined) {
      node.reason = obstacle;
      return undefined;
    }
    const { trace, statement: superior } = await this.#configuration(hint);
    node.configuration = trace;
    if (superior === undefined) return ended(node, trace.reason);
    const loaded = await loadSubordinateStatement(this.#needs, superior, reached.configuration);
    if ('reason' in loaded) return ended(node, loaded.reason);
    node.statement = loaded.trace;
    if (loaded.statement === undefined) return ended(node, loaded.trace.reason);
    return {
      node,
      configuration: superior,
      statements: [...reached.statements, loaded.statement],
      visited: new Set([...reached.visited, hint]),
    };
  }

  /** Returns why a hint is not followed, before any request is sent. */
  #obstacle({ visited }: Reached, hint: string): Reason | undefined {
    if (visited.has(hint)) return { code: 'loop', words: `${hint} is already on this path` };
    const problem = this.#needs.addressProblem(hint);
    if (problem !== undefined) {
      return {
        code: 'superior_address',
        words: `this server does not connect to the address of ${hint}`,
        detail: `${problem.reason}: ${problem.detail}`,
      };
    }
    this.#paths += 1;
    return this.#paths > this.#needs.searchLimits.paths ? PATHS_EXHAUSTED : undefined;
  }

  async #configuration(entityId: string): Promise<LoadedStatement> {
    const loading = this.#configurations.get(entityId) ?? loadConfiguration(this.#needs, entityId);
    this.#configurations.set(entityId, loading);
    return await loading;
  }
}

function ended(node: GrowingNode, reason: Reason | undefined): undefined {
  if (reason !== undefined) node.reason = reason;
}

const NO_MORE_HINTS: Reason = {
  code: 'no_authority_hints',
  words: 'the path ends at a trust anchor without superiors',
};
const UNKNOWN_ANCHOR: Reason = {
  code: 'unknown_trust_anchor',
  words: 'the path ends at an entity that is not a configured trust anchor',
};
const hintsExhausted = (entityId: string, hints: readonly string[], followed: readonly string[]): Reason => ({
  code: 'hints_exhausted',
  words: `${entityId} has ${hints.length} authority_hints, and one search follows ${followed.length}; a chain in trust_chain shows the way`,
});
const PATHS_EXHAUSTED: Reason = {
  code: 'paths_exhausted',
  words: 'the search has more paths than one resolution may follow',
};
