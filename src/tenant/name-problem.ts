import { issuerPath } from '../spec/issuer.ts';

/**
 * Explains in a sentence why `name` cannot be a further issuer beside those that are `taken`; undefined when it can. An
 * issuer may lie below the path of another one, but not where an endpoint stands: one would hide the other.
 * @param endpointPaths as the contracts have them
 */
export function tenantNameProblem(
  name: string,
  taken: readonly string[],
  endpointPaths: readonly string[],
): string | undefined {
  if (taken.includes(name)) return `${name} is the name of another issuer already`;
  const { host } = new URL(name);
  const hidden = taken
    .filter((other) => new URL(other).host === host)
    .find((other) => hides(other, name, endpointPaths) || hides(name, other, endpointPaths));
  return hidden === undefined
    ? undefined
    : `${name} would hide an endpoint of ${hidden}, or be hidden by one`;
}

/** Tells whether `lower` lies below `upper` where an endpoint of `upper` stands. */
function hides(upper: string, lower: string, endpointPaths: readonly string[]): boolean {
  const [above, below] = [issuerPath(upper), issuerPath(lower)];
  if (!below.startsWith(`${above}/`)) return false;
  const rest = below.slice(above.length);
  return endpointPaths.some((path) => {
    const fixed = path.replace(/\/\{id\}$/, '');
    return `${fixed}/`.startsWith(`${rest}/`) || (fixed !== path && rest.startsWith(`${fixed}/`));
  });
}
