// npm test: the checks, then every test. Its last line is `N passed, N failed, N skipped`; ends with 1 when anything
// failed, or when a group ran no test.
import { fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { startTestServer } from '../src/testing/postgres/server.ts';
import { installClients, LEFT_OUT_VARIABLE } from '../test/clients/installed.ts';
import { LANE_VARIABLE } from '../test/program/free-port.ts';
import { buildPackage, DIST } from './build/package.ts';
import { runChecks, STATIC_CHECKS } from './checks.ts';
import { ended, environment, ROOT } from './child.ts';
import { type FilesResult, runTestFiles } from './test-files.ts';
import { makeTestFolder } from './test-folder.ts';
import { GroupReport } from './test-group-report.ts';
import { GROUPS, INSTALLED, type Share, sharesOf } from './test-groups.ts';
import { runInLanes } from './test-lanes.ts';
import { FIRST, WAITING } from './test-order.ts';
import { addTallies, emptyTally, type Tally, tallyLine } from './test-tally.ts';

/** Tests of programs wait for a part of their time: with one file for each of two CPUs these were idle for 44 % of it. */
const LANES = { working: 3, waiting: 1 };
const TEST_TIMEOUT_MS = 180_000;
/** A process with many files that takes longer hangs. It is killed and counts as failed. */
const SHARE_TIMEOUT_MS = 1_800_000;
/** Time for the processes of abandoned files to end. */
const STOP_MS = 500;

const start = performance.now();
const folder = makeTestFolder();
process.env['TMPDIR'] = folder;
const tallies: Tally[] = [];
try {
  // Installations wait for the registry, checks for the processor.
  const [checked] = await Promise.all([runChecks(STATIC_CHECKS), installAll()]);
  tallies.push({ ...checked, skipped: 0 });
  await buildPackage(DIST);
  const postgres = await startTestServer();
  try {
    tallies.push(...(await runGroups(postgres.port)));
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const total = addTallies(tallies);
process.stdout.write(`${((performance.now() - start) / 1000).toFixed(0)} s\n${tallyLine(total)}\n`);
if (total.failed > 0) {
  process.exitCode = 1;
  // A failed test may have left sockets and processes; ending here ends them (test/program/children.ts).
  setTimeout(() => process.exit(), STOP_MS);
}

async function installAll(): Promise<void> {
  if (process.env[LEFT_OUT_VARIABLE] === '1') return;
  await Promise.all(INSTALLED.map((place) => installClients(place)));
}

/** Runs the files of all groups in the lanes, the longest first, and reports each group when its last file has ended. */
async function runGroups(postgresPort: number): Promise<Tally[]> {
  const reports = GROUPS.map((group) => new GroupReport(group));
  const shares = reports.flatMap((report) =>
    report.isLeftOut ? [] : sharesOf(report.group).map((share) => ({ ...share, report })),
  );
  const place = ({ files }: Share): number =>
    files.length > 1 ? -1 : FIRST.indexOf(files[0] ?? '') + 1 || FIRST.length + 1;
  const tasks = shares
    .toSorted((one, other) => place(one) - place(other))
    .map((share) => ({
      waits: share.files.every((file) => WAITING.has(file)),
      run: async (lane: number) => {
        const own = {
          ...environment(),
          CHANCERY_TEST_POSTGRES_PORT: String(postgresPort),
          [LANE_VARIABLE]: String(lane),
        };
        const begun = performance.now();
        const result = await runShare(share, { ...own, ...share.group.environment });
        share.report.add(result, performance.now() - begun);
      },
    }));
  await runInLanes(tasks, LANES);
  return reports.map(({ tally }) => tally);
}

async function runShare(
  { group: { name: group, isolation }, files }: Share,
  env: NodeJS.ProcessEnv,
): Promise<FilesResult> {
  if (isolation === 'process')
    return await runTestFiles({ files, isolation, group, environment: env, timeout_ms: TEST_TIMEOUT_MS });
  const child = fork(`${ROOT}/tools/test-group.ts`, [isolation, ...files], {
    cwd: ROOT,
    env,
    timeout: SHARE_TIMEOUT_MS,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  let result: FilesResult = { tally: emptyTally(), times: [] };
  child.on('message', (message) => {
    result = message as FilesResult;
  });
  const how = await ended(child);
  if (how === 0 || result.tally.failed > 0) return result;
  process.stdout.write(`✖ ${group}: a process with ${files.length} files ended with ${how}\n`);
  return { ...result, tally: { ...result.tally, failed: 1 } };
}
