// Checks the metrics, the alert rules and the dashboard with the real promtool and Prometheus. `npm run prometheus`.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../test/program/free-port.ts';
import { startProgram } from '../test/program/start.ts';

const DEPLOY = join(import.meta.dirname, '../deploy');
/** Long enough for a few scrapes, which `rate` needs. */
const SCRAPES_MS = 12_000;
let failed = false;

function check(
  what: string,
  command: readonly string[],
  options: { cwd?: string; input?: string } = {},
): void {
  const { status, stdout, stderr, error } = spawnSync(command[0] ?? '', command.slice(1), {
    ...options,
    encoding: 'utf8',
  });
  const passed = error === undefined && status === 0 && !/WARNING|FAILED/u.test(stdout + stderr);
  failed ||= !passed;
  console.log(`${passed ? '✔' : '✖'} ${what}`);
  if (!passed) console.log(error?.message ?? stdout + stderr);
}

const rules = join(DEPLOY, 'prometheus');
check('promtool check rules', ['promtool', 'check', 'rules', 'chancery.rules.yaml'], { cwd: rules });
check('promtool test rules', ['promtool', 'test', 'rules', 'chancery.rules.test.yaml'], { cwd: rules });
check('promtool check config scrape.yaml', ['promtool', 'check', 'config', 'scrape.yaml'], { cwd: rules });

for (const workers of ['1', '2']) {
  const program = await startProgram({
    environment: { CHANCERY_WORKERS: workers, CHANCERY_STORAGE_SWEEP_INTERVAL: '1' },
  });
  try {
    await fetch(`${program.url}/jwks.json`);
    const input = await (await fetch(`${program.managementUrl}/metrics`)).text();
    check(`promtool check metrics, workers: ${workers}`, ['promtool', 'check', 'metrics'], { input });
    await ask(new URL(program.managementUrl).host, `workers: ${workers}`);
  } finally {
    await program.stop();
  }
}
if (failed) process.exitCode = 1;

/** Lets a Prometheus scrape the server, and asks it every query of the dashboard. */
async function ask(target: string, what: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-prometheus-'));
  const port = await freePort();
  const config = join(folder, 'prometheus.yaml');
  writeFileSync(
    config,
    `global: { scrape_interval: 1s }\nrule_files: ['${rules}/chancery.rules.yaml']\nscrape_configs:\n  - job_name: chancery\n    static_configs: [{ targets: ['${target}'] }]\n`,
  );
  const prometheus = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}/data`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  );
  try {
    await sleep(SCRAPES_MS);
    await askAll(`http://127.0.0.1:${port}`, what);
  } finally {
    await ended(prometheus);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data?: { readonly result: readonly unknown[] };
}

async function askAll(base: string, what: string): Promise<void> {
  const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/chancery.json'), 'utf8')) as Dashboard;
  let [asked, withData] = [0, 0];
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      const query = expr.replaceAll('$__rate_interval', '10s').replaceAll(/\$(?:job|instance)/gu, '.*');
      const answer = (await (
        await fetch(`${base}/api/v1/query?query=${encodeURIComponent(query)}`)
      ).json()) as Answer;
      asked += 1;
      if (answer.status !== 'success') {
        failed = true;
        console.log(`✖ ${title}: ${answer.error ?? ''}\n  ${query}`);
      } else if ((answer.data?.result.length ?? 0) > 0) withData += 1;
    }
  }
  // An idle server has no sign-ins; but most queries must find something.
  const enough = withData >= asked / 2;
  failed ||= !enough;
  console.log(`${enough ? '✔' : '✖'} dashboard, ${what}: ${asked} queries, ${withData} with data`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
