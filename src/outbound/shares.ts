/**
 * Places a fetch in the tree of those who share the slots, from the root down: purpose, tenant, network of the requester,
 * party. Each entry is the whole way from the root, so that two tenants with one network do not meet.
 */
export type Branch = readonly string[];

/** Makes a branch of its names. A name must not contain a line feed. */
export function branchOf(names: readonly string[]): Branch {
  return names.map((_, level) => names.slice(0, level + 1).join('\n'));
}

/** Counts fetches on every level of their branches. */
export class Shares {
  readonly #counts = new Map<string, number>();

  add(branch: Branch): void {
    for (const node of branch) this.#counts.set(node, (this.#counts.get(node) ?? 0) + 1);
  }

  remove(branch: Branch): void {
    for (const node of branch) {
      const left = (this.#counts.get(node) ?? 0) - 1;
      if (left > 0) this.#counts.set(node, left);
      else this.#counts.delete(node);
    }
  }

  /** Returns the fetches on each level of a branch, the purpose first. */
  of(branch: Branch): readonly number[] {
    return branch.map((node) => this.#counts.get(node) ?? 0);
  }

  /** Says whether `one` holds more than `other` on the first level where they part. False for the same party. */
  holdsMore(one: Branch, other: Branch): boolean {
    const level = one.findIndex((node, index) => node !== other[index]);
    const [own = '', its = ''] = [one[level], other[level]];
    return level >= 0 && (this.#counts.get(own) ?? 0) > (this.#counts.get(its) ?? 0);
  }
}

/** Compares the counts of two branches, the purpose first. Negative: the first one holds less. */
export function compareShares(one: readonly number[], other: readonly number[]): number {
  for (const [level, count] of one.entries()) {
    const difference = count - (other[level] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
