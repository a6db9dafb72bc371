import type { ParsedCall } from '../command.ts';
import type { RemoteRequest, Server } from './server.ts';

export interface RemoteCall extends ParsedCall {
  readonly server: Server;
}

/** The operation of a command, and the request for it. */
export interface OperationRow {
  readonly operation: string;
  /** The operation for a call with this operand. Without the operand, `operation` takes all of a kind. */
  readonly withOperand?: { readonly operand: string; readonly operation: string };
  readonly lists?: true;
  readonly request?: (call: RemoteCall) => RemoteRequest | Promise<RemoteRequest>;
  /** Returns the lines of an item of the list. Without it, items are rows of a table. */
  readonly lines?: (item: Readonly<Record<string, unknown>>) => readonly string[];
  /** Says whether an item of the list makes the command end with 1. */
  readonly fails?: (item: Readonly<Record<string, unknown>>) => boolean;
  /** Returns why the command fails although the operation succeeded, after its answer was printed. */
  readonly failure?: (json: unknown) => string | undefined;
  /** Options that the operation has no parameter for, each with the reason. */
  readonly refuses?: Readonly<Record<string, string>>;
  /** Present if the command itself does not send the request, and why. */
  readonly only?: string;
}

/** A command that chooses its transport itself, and its operations. */
interface OwnRow {
  readonly own: readonly string[];
}

/** A command without an operation, and why. */
interface AbsentRow {
  readonly reason: string;
}

export type RemoteRow = OperationRow | OwnRow | AbsentRow;

/** Returns every operation that a command may send. */
export function operationsOf(row: RemoteRow): readonly string[] {
  if ('reason' in row) return [];
  if ('own' in row) return row.own;
  return [row.operation, ...(row.withOperand === undefined ? [] : [row.withOperand.operation])];
}

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
export const flag = (value: unknown): true | undefined => (value === true ? true : undefined);
export const operand = ({ operands }: RemoteCall, name: string): string => text(operands[name]) ?? '';
export const byId = (call: RemoteCall): RemoteRequest => ({ segments: { id: operand(call, 'id') } });
