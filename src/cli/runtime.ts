/** The first major version whose first release had the security fixes of March 2026 (CVE-2026-21710 and others). */
const NODE_MAJOR_MIN = 26;

/** Runtimes that also claim to be Node, but serve HTTP with code of their own. */
const OTHERS: Readonly<Record<string, string>> = { bun: 'Bun', deno: 'Deno' };

/**
 * Returns a sentence that refuses this runtime, or undefined for one that can run the program. The tests of request
 * parsing run on Node only. On Bun, a request that must be refused got an empty 200 (ADR 28).
 * @param versions `process.versions`
 */
export function runtimeRefusal(versions: Readonly<Record<string, string | undefined>>): string | undefined {
  const other = Object.keys(OTHERS).find((name) => versions[name] !== undefined);
  const found = other === undefined ? `Node ${versions['node']}` : `${OTHERS[other]} ${versions[other]}`;
  if (other === undefined && Number(versions['node']?.split('.')[0]) >= NODE_MAJOR_MIN) return undefined;
  // npm leaves an optional package out without a word if it cannot fetch it.
  return `chancery runs on Node ${NODE_MAJOR_MIN} or later; this is ${found} (install Node ${NODE_MAJOR_MIN}, or the npm package with it for this platform: see docs/operate/install.md)`;
}
