import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../config/environment.ts';
import { failureCode } from '../config/environment.ts';
import { secretFileProblem } from '../config/secret-file.ts';
import type { SecretReference } from './tenant-declarations.ts';

/** A secret has at most 256 characters. The file of one that is larger is another file. */
const BYTES_MAX = 4096;

/** Returns the value that a reference stands for, or words about why there is none. They never hold the value. */
export function secretOf(
  { kind, name }: SecretReference,
  environment: Environment,
  worldReadable: boolean,
): { readonly value: string } | { readonly problem: string } {
  if (kind === 'env') {
    const value = environment[name];
    return value === undefined || value === ''
      ? { problem: `names the environment variable ${name}, which is not set` }
      : { value };
  }
  const problem = secretFileProblem(name, worldReadable);
  if (problem !== undefined) return { problem: `names the file ${name}, which ${problem}` };
  try {
    if (statSync(name).size > BYTES_MAX) return { problem: `names the file ${name}, which is too large` };
    const value = readFileSync(name, 'utf8').trim();
    return value === '' ? { problem: `names the file ${name}, which is empty` } : { value };
  } catch (failure) {
    return { problem: `names the file ${name}, which cannot be read: ${failureCode(failure)}` };
  }
}

/** Returns a reference whose file name does not depend on the working folder. */
export function anchored({ kind, name }: SecretReference, folder: string): SecretReference {
  return { kind, name: kind === 'file' ? resolve(folder, name) : name };
}
