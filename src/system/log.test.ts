import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { shorteningLog, tracedLog } from './log.ts';
import { openTracing } from './tracing.ts';

const LOG = new URL('./log.ts', import.meta.url).href;

/** Runs `script` in a process of its own, with `log` at hand. Its log is read from the moment `read` resolves. */
async function run(
  script: string,
  read: (output: NodeJS.ReadableStream) => Promise<void> = async () => undefined,
): Promise<readonly Record<string, unknown>[]> {
  const source = `import { jsonLog } from ${JSON.stringify(LOG)};\nconst log = jsonLog('info');\n${script}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await read(child.stdout);
  let text = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  return text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const THREE_LINES = "for (const number of [1, 2, 3]) log.info({ number }, 'counted');";

for (const [ending, statement] of [
  ['normally', ''],
  ['with process.exit', 'process.exit(1);'],
  ['with an uncaught error', "throw new Error('ended');"],
]) {
  test(`log, a process that ends ${ending}: every line is there, once`, async () => {
    const lines = await run(`${THREE_LINES}\n${statement}`);
    // Lines written at the end may overtake what was being written then; every line has its time.
    const byNumber = lines.toSorted((one, other) => Number(one['number']) - Number(other['number']));
    assert.deepEqual(
      byNumber.map(({ level, msg, number }) => ({ level, msg, number })),
      [1, 2, 3].map((number) => ({ level: 'info', msg: 'counted', number })),
    );
  });
}

test('log, a reader that pauses: the process goes on, and dropped lines are counted', async () => {
  const WRITTEN = 200_000;
  const script = `
    for (let number = 0; number < ${WRITTEN}; number += 1) log.info({ number, filling: 'x'.repeat(60) }, 'counted');
    process.stdout.write('went on');`;
  // The process says that it wrote everything before the first line of the log is read.
  const lines = await run(script, async (output) => {
    const [said] = (await once(output, 'data')) as [Buffer];
    assert.equal(said.toString(), 'went on');
  });
  const counted = lines.filter(({ msg }) => msg === 'counted').length;
  const lost = lines.filter(({ level }) => level === 'warn').map(({ lines: count }) => Number(count));
  assert.ok(counted > 0 && counted < WRITTEN, `${counted} lines came`);
  assert.equal(counted + lost.reduce((sum, count) => sum + count, 0), WRITTEN);
});

test('tracedLog names the present trace in every line, and adds nothing outside a trace', () => {
  const lines: unknown[] = [];
  const write = (members: object): void => void lines.push(members);
  const tracing = openTracing();
  const log = tracedLog({ info: write, warn: write, error: write }, tracing);
  const trace_id = '0af7651916cd43dd8448eb211c80319c';
  const request = tracing.begin({
    method: 'POST',
    route: '/token',
    request_id: 'r-1',
    traceparent: `00-${trace_id}-b7ad6b7169203331-00`,
    trusted: false,
  });
  request?.run(() => log.info({ status: 400 }, 'refused'));
  log.warn({ count: 3 }, 'outside');
  assert.deepEqual(lines, [{ status: 400, trace_id }, { count: 3 }]);
});

test('shorteningLog shortens the addresses and networks of every line, and nothing else', () => {
  const lines: unknown[] = [];
  const write = (members: object): void => void lines.push(members);
  const bits = { 'log.address-bits-ipv4': 24, 'log.address-bits-ipv6': 48 };
  const log = shorteningLog({ info: write, warn: write, error: write }, bits);
  log.info({ address: '192.0.2.77', client: '192.0.2.77' }, 'refused');
  log.warn({ network: '2001:db8:1:2', count: 3 }, 'refused');
  log.error({ reason: 'no address' }, 'failed');
  assert.deepEqual(lines, [
    { address: '192.0.2.0/24', client: '192.0.2.77' },
    { network: '2001:db8:1::/48', count: 3 },
    { reason: 'no address' },
  ]);
});
