// Run by the machine's own Node (20 or later): finds the pinned runtime among the packages, and starts a file on it.
import { spawn } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install } from './install.mjs';
import { missingPackages } from './installed.mjs';
import { runtime } from './runtime.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs a source file of this repository with the pinned runtime, and ends as it ends.
 *
 * Installs missing packages where `npm start` or another script of this checkout asks for it. A server that is started in
 * another way finds its packages, or says what to do.
 * @param {{ tools: boolean }} wanted whether the packages for development are needed too
 */
export async function run(file, parameters, { tools }) {
  const missing = missingPackages(root, { tools });
  if (missing.length > 0) {
    if (!tools && !isScriptOfCheckout()) {
      const [first] = missing;
      return fail(
        `${first} is not installed, or has another version than package-lock.json names: run npm ci --omit=dev in ${root}`,
      );
    }
    const failure = await install(root, { tools });
    if (failure !== undefined) return fail(failure);
  }
  const { program, failure } = runtime(join(root, 'node_modules'));
  if (failure !== undefined) return fail(failure);
  const words = ['--disable-warning=ExperimentalWarning', join(root, file), ...parameters];
  const compiled = process.env.NODE_COMPILE_CACHE ?? join(root, 'node_modules/.cache/compile');
  const env = { ...process.env, NODE_COMPILE_CACHE: compiled };
  if (typeof process.execve === 'function') replaceThisProcess(program, words, env);
  else startChild(program, words, env);
}

function fail(why) {
  process.stderr.write(`chancery: ${why}\n`);
  process.exitCode = 1;
}

/** npm tells the commands that it runs which package.json they come from. */
function isScriptOfCheckout() {
  const { npm_lifecycle_event: script, npm_package_json: about } = process.env;
  if (script === undefined || about === undefined) return false;
  try {
    return realpathSync(about) === realpathSync(join(root, 'package.json'));
  } catch {
    return false;
  }
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
