import assert from 'node:assert/strict';
import { type ChildProcessWithoutNullStreams as Child, spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { shorteningLog, tracedLog } from './log.ts';
import { openTracing } from './tracing.ts';

const LOG = new URL('./log.ts', import.meta.url).href;

const PLACES = ['a socket', 'a pipe'] as const;
type Place = (typeof PLACES)[number];

/** Its standard error is a socket, because Node makes one where `stdio` says pipe; or a pipe, as from a container. */
function start(place: Place, source: string, environment: NodeJS.ProcessEnv = process.env): Child {
  const node = [process.execPath, '--input-type=module', '--eval', source];
  const piped = ['sh', '-c', '{ "$0" "$@" 2>&1 1>&3 | cat 1>&2; } 3>&1', ...node];
  const [command = '', ...words] = place === 'a pipe' ? piped : node;
  return spawn(command, words, { stdio: 'pipe', env: environment });
}

/** Runs `script` in a process of its own, with `log` at hand. Its log is read from the moment `read` resolves. */
async function run(
  place: Place,
  script: string,
  read: (output: NodeJS.ReadableStream) => Promise<void> = async () => undefined,
): Promise<readonly Record<string, unknown>[]> {
  const source = `import { jsonLog } from ${JSON.stringify(LOG)};\nconst log = jsonLog('info');\n${script}`;
  const child = start(place, source);
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
const BEFORE_READING = 200_000;
/** Written a millisecond apart, while the earlier ones are read. */
const MEANWHILE = 200;

for (const [ending, statement] of [
  ['normally', ''],
  ['with process.exit', 'process.exit(1);'],
  ['with an uncaught error', "throw new Error('ended');"],
]) {
  test(`log, a process that ends ${ending}: every line is there, once`, async () => {
    for (const place of PLACES) {
      const lines = await run(place, `${THREE_LINES}\n${statement}`);
      // Lines written at the end may overtake what was being written then; every line has its time.
      const byNumber = lines.toSorted((one, other) => Number(one['number']) - Number(other['number']));
      assert.deepEqual(
        byNumber.map(({ level, msg, number }) => ({ level, msg, number })),
        [1, 2, 3].map((number) => ({ level: 'info', msg: 'counted', number })),
        place,
      );
    }
  });
}

test('log, a reader that pauses: the process goes on, lines stay in their order, and dropped ones are counted', async () => {
  const script = `
    let number = 0;
    const write = () => log.info({ number: number++, filling: 'x'.repeat(60) }, 'counted');
    while (number < ${BEFORE_READING}) write();
    process.stdout.write('went on');
    const timer = setInterval(() => {
      write();
      if (number === ${BEFORE_READING + MEANWHILE}) clearInterval(timer);
    }, 1);`;
  for (const place of PLACES) {
    // The process says that it has written these lines before the first one is read.
    const lines = await run(place, script, async (output) => {
      const [said] = (await once(output, 'data')) as [Buffer];
      assert.equal(said.toString(), 'went on');
    });
    const numbers = lines.filter(({ msg }) => msg === 'counted').map(({ number }) => Number(number));
    const lost = lines.filter(({ level }) => level === 'warn').map(({ lines: count }) => Number(count));
    assert.ok(
      numbers.length > 0 && numbers.length < BEFORE_READING,
      `${place}: ${numbers.length} lines came`,
    );
    assert.equal(
      numbers.length + lost.reduce((sum, count) => sum + count, 0),
      BEFORE_READING + MEANWHILE,
      place,
    );
    assert.ok(
      numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)),
      place,
    );
  }
});

test('log, lines that are longer than a pipe takes at once come whole, and in their places', async () => {
  const lengths = [10, 5_000, 200_000, 10];
  const script = `for (const length of ${JSON.stringify(lengths)}) log.info({ filling: 'ä'.repeat(length) }, 'counted');`;
  for (const place of PLACES) {
    const lines = await run(place, script);
    assert.deepEqual(
      lines.map(({ filling }) => String(filling)),
      lengths.map((length) => 'ä'.repeat(length)),
      place,
    );
  }
});

test('log, a pipe with room: a line does not wait for the thread pool', async (context) => {
  // The only thread of the pool reads standard input, which ends after the line has come.
  const child = start(
    'a pipe',
    `import { read } from 'node:fs';
    import { jsonLog } from ${JSON.stringify(LOG)};
    read(0, Buffer.alloc(1), 0, 1, null, () => undefined);
    jsonLog('info').info({ filling: 'x'.repeat(3000) }, 'written');`,
    { ...process.env, UV_THREADPOOL_SIZE: '1' },
  );
  context.after(() => child.stdin.end());
  const [line] = (await once(child.stderr, 'data')) as [Buffer];
  assert.equal((JSON.parse(line.toString()) as { msg: string }).msg, 'written');
  child.stdin.end();
  await once(child, 'close');
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
