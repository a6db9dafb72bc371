import { type Command, command, type Noun, type Option } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A point in the command line: the words of a group or a command, and the things that may follow them. */
interface Place {
  /** The words so far, joined by a space; empty at the beginning. */
  readonly words: string;
  readonly follow: readonly Candidate[];
}

/** A word that may follow, with words about it. */
interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** Declares the command that prints the completion script of a shell, which is made from all declared commands. */
export function completionCommand(nouns: () => readonly Noun[]): Command {
  return command({
    words: ['completion'],
    summary: 'Print a script that completes commands and options in a shell',
    description: [
      'In ~/.bashrc: `source <(chancery completion bash)`. For zsh: `chancery completion zsh > "${fpath[1]}/_chancery"`. For fish: `chancery completion fish > ~/.config/fish/completions/chancery.fish`.',
      'Run the command again after an upgrade: the script holds the commands of this version.',
    ],
    servers: 'The command uses no data of a server.',
    operands: { shell: { words: 'Names the shell: bash, zsh or fish.' } },
    environment: [],
    output: 'The script.',
    examples: ['chancery completion bash', 'chancery completion fish'],
    run: async ({ operands, print, printData = print }) => {
      const shell = SHELLS.find((name) => name === operands.shell);
      const { calledWrongly } = await import('./failure.ts');
      if (shell === undefined)
        throw calledWrongly(`SHELL must be bash, zsh or fish, found ${JSON.stringify(operands.shell)}`);
      const loaded = await Promise.all(nouns().map(async (noun) => ({ noun, commands: await noun.load() })));
      for (const line of completionScript(shell, loaded)) printData(line);
    },
  });
}

interface Loaded {
  readonly noun: Noun;
  readonly commands: readonly Command[];
}

function completionScript(shell: Shell, loaded: readonly Loaded[]): readonly string[] {
  const commands = loaded.flatMap((one) => one.commands);
  const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript };
  return scripts[shell](places(loaded, commands), choices(commands));
}

/** Returns the groups with the words that follow, and the commands with their options. */
function places(loaded: readonly Loaded[], commands: readonly Command[]): readonly Place[] {
  const first = loaded.map(({ noun }) => ({ word: noun.name, about: noun.summary }));
  const inner = new Map<string, Map<string, string>>();
  for (const { words, summary } of commands) {
    for (let length = 1; length < words.length; length += 1) {
      const follow = inner.getOrInsertComputed(words.slice(0, length).join(' '), () => new Map());
      const word = words[length] ?? '';
      if (!follow.has(word)) follow.set(word, length === words.length - 1 ? summary : `${word} …`);
    }
  }
  const groups = [...inner].map(([words, follow]) => ({
    words,
    follow: [...follow].map(([word, about]) => ({ word, about })),
  }));
  const ends = commands.map(({ words, options }) => ({
    words: words.join(' '),
    follow: [...Object.entries(options).map(optionCandidate), { word: '--help', about: 'Prints the help' }],
  }));
  return [{ words: '', follow: first }, ...groups, ...ends];
}

function optionCandidate([name, option]: readonly [string, Option]): Candidate {
  const [about = ''] = option.words.split('. ');
  return { word: `--${name}`, about: about.replace(/\.$/u, '') };
}

/** Returns the values of each option that has few: the same name has the same values wherever a command declares it. */
function choices(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const { options } of commands) {
    for (const [name, option] of Object.entries(options)) {
      if (option.kind !== 'choice') continue;
      const values = found.getOrInsertComputed(`--${name}`, () => new Set());
      for (const value of option.values) values.add(value);
    }
  }
  return new Map([...found].map(([name, values]) => [name, [...values]]));
}

const words = (follow: readonly Candidate[]): string => follow.map(({ word }) => word).join(' ');

/** Returns a text in single quotes, for every shell here. */
const quoted = (text: string): string => `'${text.replaceAll("'", '’')}'`;

function bashScript(
  all: readonly Place[],
  values: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  return [
    '# bash completion for chancery',
    '_chancery_follow() {',
    '  case "$1" in',
    ...all.map((place) => `    ${quoted(place.words)}) REPLY=${quoted(words(place.follow))} ;;`),
    '    *) REPLY= ;;',
    '  esac',
    '}',
    '_chancery() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" place= word REPLY',
    '  case "$previous" in',
    ...[...values].map(
      ([name, texts]) =>
        `    ${name}) mapfile -t COMPREPLY < <(compgen -W ${quoted(texts.join(' '))} -- "$current"); return ;;`,
    ),
    '  esac',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    '    _chancery_follow "$place"',
    '    [[ "$word" == -* || "$REPLY" == --* ]] && break',
    '    [[ " $REPLY " == *" $word "* ]] || return',
    '    place="${place:+$place }$word"',
    '  done',
    '  _chancery_follow "$place"',
    '  if [[ "$current" == -* || "$REPLY" != --* ]]; then',
    '    mapfile -t COMPREPLY < <(compgen -W "$REPLY" -- "$current")',
    '  fi',
    '}',
    'complete -o default -F _chancery chancery',
  ];
}

function zshScript(all: readonly Place[], values: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const described = ({ word, about }: Candidate): string =>
    quoted(`${word.replaceAll(':', '\\:')}:${about.replaceAll(':', '\\:')}`);
  return [
    '#compdef chancery',
    '# zsh completion for chancery',
    '_chancery() {',
    '  local place= word i',
    '  local -a follow',
    '  case "$words[CURRENT-1]" in',
    ...[...values].map(([name, texts]) => `    ${name}) compadd -- ${texts.join(' ')}; return ;;`),
    '  esac',
    '  for ((i = 1; i <= CURRENT; i++)); do',
    '    follow=()',
    '    case "$place" in',
    ...all.map(
      (place) => `      ${quoted(place.words)}) follow=(${place.follow.map(described).join(' ')}) ;;`,
    ),
    '    esac',
    '    ((i + 1 < CURRENT)) || break',
    '    word="$words[i+1]"',
    '    (( ${follow[(I)${(b)word}:*]} )) || break',
    '    [[ "$word" == -* ]] && break',
    '    place="${place:+$place }$word"',
    '  done',
    '  if [[ "$PREFIX" == -* || "$follow[1]" != --* ]]; then',
    '    _describe chancery follow',
    '  else',
    '    _files',
    '  fi',
    '}',
    'if [[ "$funcstack[1]" == _chancery ]]; then _chancery "$@"; else compdef _chancery chancery; fi',
  ];
}

function fishScript(
  all: readonly Place[],
  values: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const known = all.map((place) => place.words).filter((text) => text !== '');
  return [
    '# fish completion for chancery',
    'function __chancery_at',
    '  set -l place',
    '  for word in (commandline -opc)[2..]',
    '    set -l next (string join " " -- $place $word)',
    `    contains -- $next ${known.map(quoted).join(' ')}; or break`,
    '    set place $place $word',
    '  end',
    '  set -l joined (string join " " -- $place)',
    '  test "$joined" = "$argv[1]"',
    'end',
    ...all.flatMap((place) =>
      place.follow.map(({ word, about }) => {
        const at = `complete -c chancery -n ${quoted(`__chancery_at "${place.words}"`)}`;
        const texts = values.get(word);
        if (!word.startsWith('--')) return `${at} -f -a ${word} -d ${quoted(about)}`;
        const value = texts === undefined ? '' : ` -x -a ${quoted(texts.join(' '))}`;
        return `${at} -l ${word.slice(2)}${value} -d ${quoted(about)}`;
      }),
    ),
  ];
}
