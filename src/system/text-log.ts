/** Control characters of a terminal (ECMA-48 §8.3.117, Select Graphic Rendition). */
const COLOURS: Readonly<Partial<Record<string, string>>> = {
  error: '\u001b[31m',
  warn: '\u001b[33m',
  info: '\u001b[32m',
  debug: '\u001b[2m',
};
const DIM = '\u001b[2m';
const PLAIN = '\u001b[0m';

const LEVEL_WIDTH = 5;

/** A value that needs no quotation marks. */
const BARE = /^[\w./:@+~%*-]+$/u;

/** Characters that would begin a line, or steer a terminal. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

interface Cause {
  readonly stack?: string;
  readonly message?: string;
}

/**
 * Returns a line of the JSON log as text for a person: time, level, message, then members as `name=value`. A cause follows
 * on lines of its own. Nothing that came from outside can begin a line or steer the terminal.
 * @param line one JSON object
 */
export function textLine(line: string, colours: boolean): string {
  const { time, level, msg, cause, ...members } = JSON.parse(line) as Readonly<Record<string, unknown>>;
  const paint = (colour: string | undefined, text: string): string =>
    colours && colour !== undefined ? `${colour}${text}${PLAIN}` : text;
  const name = String(level);
  const words = Object.entries(members).map(
    ([key, value]) => `${paint(DIM, `${escaped(key)}=`)}${shown(value)}`,
  );
  const parts = [
    paint(DIM, String(time).slice(11, 23)),
    paint(COLOURS[name], name.toUpperCase().padEnd(LEVEL_WIDTH)),
    escaped(String(msg)),
    ...words,
  ];
  return [parts.join(' '), ...stackOf(cause as Cause | undefined)].map((text) => `${text}\n`).join('');
}

function shown(value: unknown): string {
  if (typeof value === 'string' && BARE.test(value)) return value;
  return escaped(JSON.stringify(value));
}

function stackOf(cause: Cause | undefined): readonly string[] {
  const text = cause?.stack ?? cause?.message ?? '';
  return text === '' ? [] : text.split('\n').map((row) => `    ${escaped(row.trim())}`);
}

const escaped = (text: string): string =>
  text.replaceAll(STEERING, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
