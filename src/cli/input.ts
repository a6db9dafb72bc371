import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { parseJsonObject } from '../spec/json.ts';
import { CommandFailure } from './failure.ts';

const NEWLINE = 0x0a;

/** Opens a file; `-` is standard input. */
function openInput(file: string): Readable {
  return file === '-' ? process.stdin : createReadStream(file);
}

/**
 * Reads a whole file. Rejects with CommandFailure for more than `bytesMax` bytes, as a server refuses such a request.
 * @param advice names the limit, or says what to do
 */
export async function readInput(file: string, bytesMax: number, advice = 'limits.body'): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of openInput(file) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new CommandFailure(`${file} is larger than ${bytesMax} bytes (${advice})`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Bytes of a JSON file that a command sends to a server, which has a limit of its own. */
const JSON_BYTES_MAX = 1_048_576;

/** Reads a file with one JSON object. */
export async function jsonInput(file: string): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await readInput(file, JSON_BYTES_MAX, 'a server takes no more');
  return parseJsonObject(bytes, { depth: 100, members: 10_000 }).members;
}

/**
 * Yields the lines of a file as bytes, without their newlines. Empty lines are included, so that the caller can number
 * them. Rejects with CommandFailure for a line of more than `bytesMax` bytes.
 */
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
