import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const style = readFileSync(join(import.meta.dirname, 'theme/style.css'), 'utf8');
const [light = '', dark = ''] = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, block]) => block ?? '');

/** Foreground, background and the minimum contrast (WCAG 2.2, 1.4.3 for text, 1.4.11 for the borders of fields). */
const PAIRS = [
  ['text', 'card', 4.5],
  ['muted', 'card', 4.5],
  ['accent', 'card', 4.5],
  ['on-accent', 'accent', 4.5],
  ['alarm', 'card', 4.5],
  ['warn-text', 'warn-ground', 4.5],
  ['line', 'card', 3],
] as const;

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[0-9a-f]{2}/gi) ?? []).map((pair) => {
    const channel = Number.parseInt(pair, 16) / 255;
    return channel <= 0.040_45 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

for (const [mode, block] of Object.entries({ light, dark })) {
  for (const [front, ground, least] of PAIRS) {
    test(`${mode}: ${front} on ${ground} has a contrast of at least ${least}:1 (WCAG 2.2, 1.4.3)`, () => {
      const colour = (name: string): string =>
        new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(block)?.[1] ?? assert.fail(`no --${name}`);
      const found = contrast(colour(front), colour(ground));
      assert.ok(found >= least, found.toFixed(2));
    });
  }
}
