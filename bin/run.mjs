import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { installWhatIsMissing, root, runtime } from './install.mjs';

/** Runs a source file of this repository with the pinned runtime, and ends as it ends. */
export function run(file, parameters) {
  installWhatIsMissing();
  const child = spawn(runtime(), ['--disable-warning=ExperimentalWarning', join(root, file), ...parameters], {
    stdio: 'inherit',
    env: { ...process.env, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compile') },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
