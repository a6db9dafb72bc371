import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../child.ts';
import { bundleProgram } from './bundle.ts';
import { emitClient, emitResourceServer } from './client.ts';
import { bundleConsole } from './console.ts';
import { licencesOf } from './licences.ts';

/** Where `npm run build` and the tests have the package. */
export const DIST = join(ROOT, 'dist');

const LICENCES = 'THIRD-PARTY-LICENSES.txt';
const DOCUMENTS = ['README.md', 'CHANGELOG.md', 'LICENSE'];

/** The members of the checkout's package.json that the package has too. */
interface Checkout {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

/**
 * Writes the npm package: the bundled program, its launcher, the typed client, the check of access tokens, the API description and documents. The same checkout gives the same octets.
 * A package that is there stays until the new one is whole.
 */
export async function buildPackage(folder: string): Promise<void> {
  const fresh = `${folder}.new-${process.pid}`;
  const former = `${folder}.old-${process.pid}`;
  try {
    mkdirSync(join(fresh, 'bin'), { recursive: true });
    const modules = await bundleProgram(join(fresh, 'program'));
    const shown = await bundleConsole(join(fresh, 'program/console'));
    await emitClient(join(fresh, 'client'));
    await emitResourceServer(join(fresh, 'resource-server'));
    copyFileSync(join(ROOT, 'docs/reference/openapi.json'), join(fresh, 'openapi.json'));
    cpSync(join(ROOT, 'src/pages/theme'), join(fresh, 'program/theme'), { recursive: true });
    copyFileSync(join(import.meta.dirname, 'launcher.sh'), join(fresh, 'bin/chancery'));
    chmodSync(join(fresh, 'bin/chancery'), 0o755);
    for (const document of DOCUMENTS) copyFileSync(join(ROOT, document), join(fresh, document));
    writeFileSync(join(fresh, LICENCES), licencesOf([...modules, ...shown]));
    writeFileSync(join(fresh, 'package.json'), `${JSON.stringify(packageJson(), null, 2)}\n`);
    renameIfThere(folder, former);
    renameSync(fresh, folder);
  } finally {
    for (const left of [fresh, former]) rmSync(left, { recursive: true, force: true });
  }
}

/** Everything is bundled, so that the package depends on nothing but a runtime, and on that only where there is one. */
function packageJson(): object {
  const checkout = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Checkout;
  const { name, version, description, license, optionalDependencies } = checkout;
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    // A launcher in the language of the shell starts in 1 ms and leaves no process behind.
    bin: { chancery: 'bin/chancery' },
    os: ['!win32'],
    exports: {
      './client': { types: './client/client.d.ts', default: './client/client.js' },
      './resource-server': {
        types: './resource-server/resource-server.d.ts',
        default: './resource-server/resource-server.js',
      },
      './openapi.json': './openapi.json',
      './package.json': './package.json',
    },
    files: ['bin', 'program', 'client', 'resource-server', 'openapi.json', LICENCES, ...DOCUMENTS],
    optionalDependencies,
  };
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'ENOENT') throw failure;
  }
}
