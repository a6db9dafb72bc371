/** X.690 §8.1: tag, length, value. */
export function element(tag: number, ...content: Uint8Array[]): Buffer {
  const value = Buffer.concat(content);
  const length =
    value.length < 128
      ? [value.length]
      : value.length < 256
        ? [0x81, value.length]
        : [0x82, Math.floor(value.length / 256), value.length % 256];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

export function sequence(...content: Uint8Array[]): Buffer {
  return element(0x30, ...content);
}

export function integer(value: Uint8Array): Buffer {
  return element(0x02, value);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...more] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...more].flatMap(base128)));
}

/** GeneralizedTime. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/[-:T]|\.\d+/gu, '');
  return element(0x18, Buffer.from(digits, 'ascii'));
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    digits.unshift(128 + (rest % 128));
  }
  return digits;
}
