import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPages } from '../pages/liquid-pages.ts';
import type { Pages } from '../ports/pages.ts';
import { requireShownWishes } from './shown-wishes.ts';

test('a theme whose consent page hides details or the message of a client without a browser is refused where they are on', () => {
  const whole = openPages('/assets/', undefined);
  requireShownWishes(whole, { details: true, messages: true });
  const hiding: Pages = { ...whole, render: () => '<p>Allow?</p>' };
  requireShownWishes(hiding, { details: false, messages: false });
  assert.throws(() => requireShownWishes(hiding, { details: true, messages: false }), /page\.details/u);
  assert.throws(() => requireShownWishes(hiding, { details: false, messages: true }), /binding_message/u);
});
