import { execFileSync } from 'node:child_process';

/** Returns the version of an installed package. */
export function debianVersion(name: string): string {
  return execFileSync('dpkg-query', ['--show', '--showformat=${Version}', name], { encoding: 'utf8' });
}
