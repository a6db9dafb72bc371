import { expect } from '../conformance/verdict.ts';
import type { Plan } from './plan.ts';
import {
  type Answer,
  type Dialect,
  type PlanOptions,
  planOf,
  publishPlan,
  register,
  type World,
} from './world.ts';

/** The provider does not have what a condition is about, and need not. */
export class NotSupported extends Error {}

/** The tools of one condition. */
export interface Run {
  readonly world: World;
  readonly dialect: Dialect;
  plan(options?: PlanOptions): Plan;
  /** Publishes the plan and sends its request. */
  register(plan: Plan): Promise<Answer>;
  /** Sends the request of a plan whose superiors are published. */
  ask(plan: Plan, jwt?: string): Promise<Answer>;
}

/** A requirement of a text, and what shows that a provider meets it. */
export interface Condition {
  readonly id: string;
  /** A section of OpenID Federation 1.0 or of another text, or of the interface's dialect. */
  readonly section: string;
  readonly words: string;
  readonly level: 'must' | 'should' | 'may';
  /** Empty if it holds without a registration. */
  readonly dialects: readonly Dialect[];
  /** Whether the interface's dialect refuses it with 401 `unauthorized_client`: the signature or the trust chain fails. */
  readonly distrusts?: true;
  readonly check: (run: Run) => void | Promise<void>;
}

export const BOTH: readonly Dialect[] = ['final', 'interface'];

export function runOf(world: World, dialect: Dialect): Run {
  return {
    world,
    dialect,
    plan: (options) => planOf(world, dialect, options),
    async register(plan) {
      await publishPlan(world, plan);
      return await register(world, plan);
    },
    ask: async (plan, jwt) => await register(world, plan, jwt),
  };
}

/** Throws unless the request registered a client. */
export function expectRegistered({ reply, statement }: Answer, what = 'the request'): void {
  expect(statement !== undefined, `${what} is answered ${reply.status} ${reply.text.slice(0, 300)}`);
}

/** Throws unless the request was refused as both dialects refuse: 4xx with an error code as JSON (RFC 6749 §5.2). */
export function expectRefused({ reply, error }: Answer, what = 'the request'): void {
  const { status } = reply;
  expect(status >= 400 && status < 500, `${what} is answered ${status}, not refused`);
  expect(
    typeof error['error'] === 'string',
    `${what} is refused without an error code: ${reply.text.slice(0, 200)}`,
  );
}

interface Row {
  readonly id: string;
  readonly section: string;
  readonly words: string;
  readonly level?: Condition['level'];
  readonly dialects?: readonly Dialect[];
  readonly options?: PlanOptions;
}

interface RefusalRow extends Row {
  /** Makes an acceptable plan into one that must be refused, or returns another one. */
  readonly spoil: (plan: Plan, run: Run) => Plan | void | Promise<void>;
  /** Changes the acceptable plan that is its counterpart, too. */
  readonly both?: (plan: Plan, run: Run) => void;
  readonly distrusts?: true;
}

/**
 * Returns a condition that a request is refused. The same request without the fault must be accepted first: otherwise the refusal
 * says nothing.
 */
export function refused(row: RefusalRow): Condition {
  return {
    ...named(row),
    ...(row.distrusts === true ? { distrusts: true } : {}),
    async check(run) {
      const sound = run.plan(row.options);
      row.both?.(sound, run);
      expectRegistered(await run.register(sound), 'the counterpart without the fault');
      const spoilt = run.plan(row.options);
      row.both?.(spoilt, run);
      const other = await row.spoil(spoilt, run);
      const answer = await run.register(other ?? spoilt);
      expectRefused(answer);
      if (run.dialect === 'interface' && row.distrusts === true) expectDistrust(answer);
    },
  };
}

function expectDistrust({ reply, error }: Answer): void {
  const told = `${reply.status} ${String(error['error'])}`;
  expect(
    told === '401 unauthorized_client',
    `the refusal is ${told}, not 401 unauthorized_client (interface)`,
  );
}

interface AcceptanceRow extends Row {
  readonly vary: (plan: Plan, run: Run) => void | Promise<void>;
  /** Looks at the answer. */
  readonly look?: (answer: Answer, plan: Plan, run: Run) => void | Promise<void>;
}

/** Returns a condition that a request is accepted. Where it is no duty, a refusal means that the provider does not support it. */
export function accepted(row: AcceptanceRow): Condition {
  return {
    ...named(row),
    async check(run) {
      const plan = run.plan(row.options);
      await row.vary(plan, run);
      const answer = await run.register(plan);
      if (answer.statement === undefined && row.level === 'may')
        throw new NotSupported(`${answer.reply.status} ${answer.reply.text.slice(0, 200)}`);
      expectRegistered(answer);
      await row.look?.(answer, plan, run);
    },
  };
}

function named({ id, section, words, level = 'must', dialects = BOTH }: Row): Omit<Condition, 'check'> {
  return { id, section, words, level, dialects };
}
