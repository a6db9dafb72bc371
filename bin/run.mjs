import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { installWhatIsMissing, root, runtime } from './install.mjs';

/** Runs a source file of this repository with the pinned runtime, and ends as it ends. */
export function run(file, parameters) {
  installWhatIsMissing();
  const program = runtime();
  const words = ['--disable-warning=ExperimentalWarning', join(root, file), ...parameters];
  const compiled = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compile');
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
  if (typeof process.execve === 'function') replaceThisProcess(program, words, env);
  else startChild(program, words, env);
}

/** From Node 22.15 on: the program takes this process's place, so that signals and kills reach it directly. */
function replaceThisProcess(program, words, env) {
  process.removeAllListeners('warning');
  process.execve(program, [program, ...words], env);
}

function startChild(program, words, env) {
  const child = spawn(program, words, {
    // The last one is the lifeline: it closes when this process ends, however it ends.
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...env, CHANCERY_LIFELINE: '3' },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
