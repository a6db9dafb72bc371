import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../journeys/launcher.ts';

/** The blocks of shell in a document, in their order. */
export interface Document {
  /** Returns the next block, after those that other tests prove. */
  next(): string;
  /** @throws AssertionError if a block is left over */
  end(): void;
}

/**
 * Reads the blocks of shell of a document.
 *
 * @param elsewhere blocks that a newcomer's machine cannot take, by their first words: the test or tool that proves each
 */
export function documentOf(path: string, elsewhere: Readonly<Record<string, string>> = {}): Document {
  const text = readFileSync(join(REPOSITORY, path), 'utf8');
  const blocks = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gmu)].map(([, , block = '']) =>
    block.trim(),
  );
  for (const [words, proof] of Object.entries(elsewhere)) {
    assert.ok(existsSync(join(REPOSITORY, proof)), proof);
    assert.equal(blocks.filter((block) => block.startsWith(words)).length, 1, `${path}: ${words}`);
  }
  const pasted = blocks.filter((block) => !Object.keys(elsewhere).some((words) => block.startsWith(words)));
  return {
    next() {
      const block = pasted.shift();
      assert.ok(block !== undefined, `${path} has no further block`);
      return block;
    },
    end: () => assert.deepEqual(pasted, [], `${path} has blocks that no test pastes`),
  };
}

/** Returns the blocks of YAML of a document. */
export function yamlOf(path: string): readonly string[] {
  const text = readFileSync(join(REPOSITORY, path), 'utf8');
  return [...text.matchAll(/^```yaml\n([\s\S]*?)^```$/gmu)].map(([, block = '']) => block);
}
