import { issuerPath } from '../spec/issuer.ts';

/** The names of one host, by path. */
interface HostNames {
  readonly byPath: Map<string, string>;
  /** By each path above theirs. */
  readonly below: Map<string, string[]>;
}

/**
 * The names that issuers have. An issuer may lie below the path of another one, but not where an endpoint stands: one would
 * hide the other. A question takes the same time with thousands of names.
 */
export class TakenNames {
  readonly #endpointPaths: readonly string[];
  readonly #hosts = new Map<string, HostNames>();

  /** @param endpointPaths as the contracts have them */
  constructor(endpointPaths: readonly string[]) {
    this.#endpointPaths = endpointPaths;
  }

  add(name: string): void {
    const { host } = new URL(name);
    const names = this.#hosts.get(host) ?? { byPath: new Map(), below: new Map() };
    this.#hosts.set(host, names);
    const path = issuerPath(name);
    names.byPath.set(path, name);
    for (const above of pathsAbove(path)) {
      const list = names.below.get(above) ?? [];
      names.below.set(above, list);
      list.push(name);
    }
  }

  /** Explains in a sentence why `name` cannot be a further issuer; undefined if it can. */
  problem(name: string): string | undefined {
    const names = this.#hosts.get(new URL(name).host);
    if (names === undefined) return undefined;
    const path = issuerPath(name);
    if (names.byPath.has(path)) return `${name} is the name of another issuer already`;
    const above = pathsAbove(path)
      .flatMap((one) => names.byPath.get(one) ?? [])
      .find((other) => this.#hides(other, name));
    const hidden = above ?? names.below.get(path)?.find((other) => this.#hides(name, other));
    return hidden === undefined
      ? undefined
      : `${name} would hide an endpoint of ${hidden}, or be hidden by one`;
  }

  /** Tells whether `lower`, which lies below `upper`, stands where `upper` has an endpoint. */
  #hides(upper: string, lower: string): boolean {
    const rest = issuerPath(lower).slice(issuerPath(upper).length);
    return this.#endpointPaths.some((path) => {
      const fixed = path.replace(/\/\{id\}$/, '');
      return `${fixed}/`.startsWith(`${rest}/`) || (fixed !== path && rest.startsWith(`${fixed}/`));
    });
  }
}

/** Returns the paths that end before a slash of `path`: `''` and `/a` for `/a/b`. */
function pathsAbove(path: string): readonly string[] {
  return [...path.matchAll(/\//gu)].map(({ index }) => path.slice(0, index));
}
