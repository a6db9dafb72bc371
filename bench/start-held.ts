import { type Program, type StartOptions, startProgram } from '../test/program/start.ts';
import { CAN_PIN, SERVER_CPU } from './processes/measured-process.ts';

/**
 * Starts the program with one CPU from its start, so that it runs as on a machine with one core (ADR 103, 105). Its log goes through
 * a pipe, as from a container (ADR 113).
 */
export async function startHeld(options: StartOptions = {}): Promise<Program> {
  return await startProgram({ logPipe: true, ...options, ...(CAN_PIN ? { cpu: SERVER_CPU } : {}) });
}
