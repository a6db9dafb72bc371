import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { freePort } from '../program/free-port.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { chancery, type Ended } from './command.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-health-'));
let program: Program;

before(async () => {
  program = await startProgram({ folder, environment: { CHANCERY_MANAGEMENT_LISTEN_HOST: '0.0.0.0' } });
});

after(async () => {
  await program.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function health(port: number, ...words: readonly string[]): Promise<Ended> {
  return await chancery(['health', ...words], {
    CHANCERY_ISSUER: 'https://op.example.com',
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    CHANCERY_MANAGEMENT_LISTEN_HOST: '0.0.0.0',
    CHANCERY_MANAGEMENT_LISTEN_PORT: String(port),
  });
}

test('health: a server that listens on all addresses serves, exit code 0', async () => {
  const port = Number(new URL(program.managementUrl).port);
  const url = `http://127.0.0.1:${port}/health/ready`;
  const words = await health(port);
  assert.deepEqual([words.how, words.stdout, words.stderr], [0, `the server serves (${url})\n`, '']);
  const json = await health(port, '--json');
  assert.equal(json.how, 0, json.stderr);
  assert.deepEqual(JSON.parse(json.stdout), {
    serves: true,
    url,
    answer: { status: 'ready', checks: { storage: 'passed' } },
  });
});

test('health: without a server at the port, one line says so, exit code 1', async () => {
  const port = await freePort();
  const words = await health(port);
  assert.deepEqual([words.how, words.stdout, words.stderr.split('\n').length], [1, '', 2]);
  assert.ok(
    words.stderr.startsWith(`chancery health: http://127.0.0.1:${port}/health/ready does not answer: `),
    words.stderr,
  );
  const json = await health(port, '--json');
  const { serves, failure } = JSON.parse(json.stdout) as {
    readonly serves: boolean;
    readonly failure: string;
  };
  assert.deepEqual([json.how, serves], [1, false]);
  assert.match(failure, /ECONNREFUSED/u);
});

test('health: a server that answers 503 does not serve, its answer says why, exit code 1', async () => {
  const answer = { status: 'not-ready', checks: { storage: 'failed' } };
  const server = createServer((_request, response) => response.writeHead(503).end(JSON.stringify(answer)));
  const port = await listeningPort(server.listen(0, '127.0.0.1'));
  try {
    const words = await health(port);
    assert.equal(words.how, 1);
    assert.match(words.stderr, /answers 503: \{"status":"not-ready"/u);
    const json = await health(port, '--json');
    assert.deepEqual([json.how, JSON.parse(json.stdout).answer], [1, answer]);
  } finally {
    server.close();
  }
});

test('health: settings that are wrong, or that name no port, are refused with exit code 1', async () => {
  const wrong = await chancery(['health'], { CHANCERY_ISSUER: 'https://op.example.com' });
  assert.equal(wrong.how, 1);
  assert.match(wrong.stderr, /^encryption\.key: /mu);
  const open = await health(0);
  assert.equal(open.how, 1);
  assert.match(open.stderr, /^chancery health: management\.listen-port is 0/u);
});
