import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { CommandFailure, calledWrongly } from './command-failure.ts';

const NEWLINE = 0x0a;

/** The one operand of a command, or as many as `names` names. */
export function operands(positionals: readonly string[], names: readonly string[]): readonly string[] {
  const missing = names[positionals.length];
  if (missing !== undefined) throw calledWrongly(`${missing} is missing`);
  const extra = positionals[names.length];
  if (extra !== undefined) throw calledWrongly(`unexpected argument ${JSON.stringify(extra)}`);
  return positionals;
}

/** The value of an option that is a number of seconds. */
export function secondsOption(name: string, value: string): number {
  if (/^[0-9]{1,10}$/.test(value)) return Number(value);
  throw calledWrongly(`--${name} must be a whole number of seconds, found ${JSON.stringify(value)}`);
}

/** `-` is standard input. */
function openInput(file: string): Readable {
  return file === '-' ? process.stdin : createReadStream(file);
}

/** A whole file; one larger than `bytesMax` is refused, as a server would refuse the request. */
export async function readInput(file: string, bytesMax: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of openInput(file) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new CommandFailure(`${file} is larger than ${bytesMax} bytes (limits.body)`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The lines of a file as bytes, without the newline; empty ones too, so that they can be counted. */
export async function* readLines(file: string, bytesMax: number): AsyncGenerator<Uint8Array> {
  let rest = Buffer.alloc(0);
  for await (const chunk of openInput(file) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE, start)) {
      yield rest.subarray(start, end);
      start = end + 1;
    }
    rest = rest.subarray(start);
    if (rest.length > bytesMax) throw new CommandFailure(`${file} has a line longer than ${bytesMax} bytes`);
  }
  if (rest.length > 0) yield rest;
}
