import type { Environment } from '../config/environment.ts';
import { SERVER_VARIABLES } from './remote/options.ts';

/** The parts of the process that a command uses. */
export interface Surroundings {
  readonly environment: Environment;
  /** Writes one line to standard output. Line ends inside it are escaped. */
  readonly print: (line: string) => void;
  /** Writes one line to standard error. Line ends inside it are escaped. */
  readonly complain: (line: string) => void;
  /** Writes one line of a file to standard output: byte for byte, unless that is a terminal. Absent: `print` does it. */
  readonly printData?: (line: string) => void;
  /** Writes one line of a difference to standard output, on a terminal in the colour of its mark. Absent: `print` does it. */
  readonly printColoured?: (line: string, mark: DifferenceMark) => void;
}

/** Something came, changed, went, or went and came again. */
export type DifferenceMark = '+' | '~' | '-' | '-/+';

interface Explained {
  /** One or more sentences for the help. The first begins with a verb: "Names the client by its client_id." */
  readonly words: string;
}

/** A value on the command line that no option introduces. Its key in upper case is its name in the help. */
export interface Operand extends Explained {
  readonly optional?: true;
  /** The option that takes the operand's place. With the option on the command line, the operand is absent. */
  readonly unless?: string;
  /** Whether it may be given several times, at least once. Only the last operand may. */
  readonly repeated?: true;
}

interface Named extends Explained {
  /** One letter that stands for the option: `-c FILE` for `--config FILE`. The same letter means the same option everywhere. */
  readonly short?: string;
}

/** An option that takes no value. */
interface Flag extends Named {
  readonly kind: 'flag';
  /** Whether the command refuses to run without it: a confirmation. */
  readonly required?: true;
}

interface Text extends Named {
  readonly kind: 'text';
  /** The placeholder in the help, such as `FILE`. */
  readonly value: string;
  readonly required?: true;
  readonly default?: string;
  /** Whether the option may be given several times. */
  readonly repeated?: true;
}

interface Choice extends Named {
  readonly kind: 'choice';
  readonly values: readonly string[];
  /** The placeholder in the help, if the values are too many for it. */
  readonly placeholder?: string;
  readonly default?: string;
}

interface WholeNumber extends Named {
  /** `seconds` begins at 0 and `count` at 1. */
  readonly kind: 'seconds' | 'count';
}

export type Option = Flag | Text | Choice | WholeNumber;

export type Operands = Readonly<Record<string, Operand>>;
export type Options = Readonly<Record<string, Option>>;

type ValueOf<O extends Option> = O extends { kind: 'flag' }
  ? boolean
  : O extends { repeated: true }
    ? readonly string[] | undefined
    : O extends { kind: 'seconds' | 'count' }
      ? number | undefined
      : O extends { kind: 'choice'; values: readonly (infer V)[] }
        ? O extends { default: string }
          ? V
          : V | undefined
        : O extends { required: true } | { default: string }
          ? string
          : string | undefined;

export type OptionValues<O extends Options> = { readonly [Name in keyof O]: ValueOf<O[Name]> };

type OperandValues<P extends Operands> = {
  readonly [Name in keyof P]: P[Name] extends { repeated: true }
    ? readonly string[]
    : P[Name] extends { optional: true } | { unless: string }
      ? string | undefined
      : string;
};

/** A command line that was parsed, and the process that it runs in. */
export interface Call<O extends Options, P extends Operands = Operands> extends Surroundings {
  readonly options: OptionValues<O>;
  readonly operands: OperandValues<P>;
  /** The words behind the command's own, unparsed. */
  readonly parameters: readonly string[];
}

/** The values of a command line as the parser returns them. */
export interface ParsedCall extends Surroundings {
  readonly options: Readonly<Record<string, unknown>>;
  readonly operands: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly parameters: readonly string[];
}

/** An environment variable that a command reads. */
export interface Variable extends Explained {
  readonly name: string;
}

/** Everything that help, the parser and the reference page know of a command. */
interface Description<O extends Options, P extends Operands> {
  /** The words that call the command: its noun, then its verb. */
  readonly words: readonly string[];
  /** At most 80 characters; begins with a verb; no full stop at the end. */
  readonly summary: string;
  /** Paragraphs about the effect of the command, its data, and effects that cannot be undone. */
  readonly description: readonly string[];
  /** Whether servers may run on the same data meanwhile. */
  readonly servers: string;
  readonly operands: P;
  readonly options: O;
  readonly environment: readonly Variable[];
  /** Describes standard output. */
  readonly output: string;
  /** The exit codes that differ from the usual ones. */
  readonly exits?: Readonly<Partial<Record<0 | 1 | 2 | 70, string>>>;
  readonly examples: readonly string[];
}

export interface Command extends Description<Options, Operands> {
  /** Resolves with the exit code. */
  readonly run: (call: ParsedCall) => Promise<number>;
}

type Declared<O extends Options, P extends Operands> = Omit<Description<O, P>, 'operands' | 'options'> & {
  readonly operands?: P;
  readonly options?: O;
  /** Resolves with the exit code, or with nothing for 0. */
  readonly run: (call: Call<O, P>) => Promise<number | void>;
};

type None = Readonly<Record<string, never>>;

/** Declares a command. The types of the values that `run` gets follow from the declared options and operands. */
export function command<const O extends Options = None, const P extends Operands = None>(
  declared: Declared<O, P>,
): Command {
  return {
    ...declared,
    options: declared.options ?? {},
    operands: declared.operands ?? {},
    environment:
      'server' in (declared.options ?? {})
        ? [...declared.environment, ...SERVER_VARIABLES]
        : declared.environment,
    // The parser returns exactly the values that the declaration names.
    run: async (call) => (await declared.run(call as unknown as Call<O, P>)) ?? 0,
  };
}

/** The commands of one noun, for example `chancery clients …`; a noun without verbs is one command. */
export interface Noun {
  readonly name: string;
  /** At most 80 characters; begins with a verb; no full stop at the end. */
  readonly summary: string;
  /** Imports the file of the noun. A command never waits for the files of other nouns. */
  readonly load: () => Promise<readonly Command[]>;
}
