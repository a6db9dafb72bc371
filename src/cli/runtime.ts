/** The first that held the security fixes of March 2026 from its beginning (CVE-2026-21710 among them). */
const NODE_MAJOR_MIN = 26;

/** What calls itself Node as well, and serves HTTP by code of its own. */
const OTHERS: Readonly<Record<string, string>> = { bun: 'Bun', deno: 'Deno' };

/**
 * Why the program does not start on this runtime: a sentence, or undefined where it does. How requests are taken apart is
 * tested on Node alone, and rests on it: on Bun a request that ought to be refused was answered with an empty 200 (ADR 28).
 * @param versions `process.versions`
 */
export function runtimeRefusal(versions: Readonly<Record<string, string | undefined>>): string | undefined {
  const other = Object.keys(OTHERS).find((name) => versions[name] !== undefined);
  const found = other === undefined ? `Node ${versions['node']}` : `${OTHERS[other]} ${versions[other]}`;
  if (other === undefined && Number(versions['node']?.split('.')[0]) >= NODE_MAJOR_MIN) return undefined;
  return `chancery runs on Node ${NODE_MAJOR_MIN} or later; this is ${found}`;
}
