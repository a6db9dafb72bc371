import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTraceparent, traceparentText } from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

for (const [flags, sampled] of [
  ['00', false],
  ['01', true],
  ['03', true],
  ['fe', false],
] as const) {
  test(`traceparent with the flags ${flags} is ${sampled ? '' : 'not '}sampled, and is passed on (W3C Trace Context §3.2.2.5)`, () => {
    const context = parseTraceparent(`00-${TRACE}-${SPAN}-${flags}`);
    assert.deepEqual(context, { trace_id: TRACE, span_id: SPAN, sampled });
    assert.equal(context && traceparentText(context), `00-${TRACE}-${SPAN}-${sampled ? '01' : '00'}`);
  });
}

test('traceparent of a later version is read up to its flags (W3C Trace Context §3.2.4)', () => {
  assert.deepEqual(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`), {
    trace_id: TRACE,
    span_id: SPAN,
    sampled: true,
  });
});

const MALFORMED: readonly string[] = [
  '',
  '00',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-01 `,
  `00-${TRACE}-${SPAN}-1`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE}0-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
  `01-${TRACE}-${SPAN}-01-${'x'.repeat(10_000)}`,
];

for (const text of MALFORMED) {
  test(`traceparent ${JSON.stringify(text.slice(0, 70))} is malformed (W3C Trace Context §3.2)`, () => {
    assert.equal(parseTraceparent(text), undefined);
  });
}
