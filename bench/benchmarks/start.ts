import assert from 'node:assert/strict';
import { join } from 'node:path';
import { freePort } from '../../test/program/free-port.ts';
import type { Program } from '../../test/program/start.ts';
import { BARE } from '../bare.ts';
import { launchOurs } from '../ours.ts';
import { PEER } from '../peers/oidc-provider.ts';
import { PEER_CLIENT } from '../peers/peer.ts';
import { firstAnswer, resident, startScript, stopChild } from '../processes/measured-process.ts';
import type { Bench, Benchmark, Subject } from '../subject.ts';

const REQUEST = 'GET /jwks.json HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n';

/** From the spawn of a process to its whole answer for the key set, and the memory that it then has. */
export const start: Benchmark = {
  name: 'start',
  title: 'Start of a process to its first answer, compile cache warm',
  unit: 'milliseconds',
  needsTokens: true,
  aims: [{ atMost: 500 }],
  rounds: (scale) => scale.starts,
  async open(bench) {
    await bench.ours.program.stop();
    const compileCache = join(bench.folder, 'compile-cache');
    // The uncounted first measurement of each fills the compile cache.
    return [
      ourStart(bench, compileCache),
      scriptStart(BARE, 'bare-http.ts', compileCache, { status: 200, headers: [], body: '{"keys":[]}' }),
      scriptStart(PEER, 'oidc-provider.ts', compileCache, { ...PEER_CLIENT, tokens: 0 }),
    ];
  },
};

function ourStart({ folder }: Bench, compileCache: string): Subject {
  return {
    name: 'ours, SQLite',
    async measure() {
      const begun = performance.now();
      const program: Program = await launchOurs(folder, compileCache);
      const answer = await firstAnswer(program.port, REQUEST);
      const value = performance.now() - begun;
      assert.equal(answer.status, 200, program.output());
      const memory = resident(program.pid);
      await program.stop();
      return { value, ...memory };
    },
    close: async () => undefined,
  };
}

function scriptStart(name: string, script: string, compileCache: string, options: object): Subject {
  return {
    name,
    async measure() {
      const port = await freePort();
      const begun = performance.now();
      const child = startScript(script, { ...options, port }, { NODE_COMPILE_CACHE: compileCache });
      await firstAnswer(port, REQUEST);
      const value = performance.now() - begun;
      const memory = resident(child.pid ?? 0);
      await stopChild(child);
      return { value, ...memory };
    },
    close: async () => undefined,
  };
}
