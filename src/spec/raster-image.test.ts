import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gifImage, jpegImage, pngChunk, pngImage, webpImage } from '../testing/images.ts';
import { readRasterImage } from './raster-image.ts';

const IMAGES: readonly (readonly [what: string, bytes: Buffer, mediaType: string])[] = [
  ['PNG', pngImage(12, 34), 'image/png'],
  ['PNG with a comment', pngImage(12, 34, [pngChunk('tEXt', Buffer.from('a'))]), 'image/png'],
  ['progressive JPEG', jpegImage(12, 34), 'image/jpeg'],
  ['GIF', gifImage(12, 34), 'image/gif'],
  ['lossy WebP', webpImage('VP8 ', 12, 34), 'image/webp'],
  ['lossless WebP', webpImage('VP8L', 12, 34), 'image/webp'],
  ['extended WebP', webpImage('VP8X', 12, 34), 'image/webp'],
];

for (const [what, bytes, mediaType] of IMAGES) {
  test(`${what}: the size and the type come from the octets`, () => {
    assert.deepEqual(readRasterImage(bytes), { mediaType, width: 12, height: 34 });
  });

  test(`${what}: cut off at any place before its size, it is no image and no error`, () => {
    const read = bytes.subarray(0, 19);
    for (let length = 0; length < read.length; length += 1)
      assert.ok('problem' in readRasterImage(read.subarray(0, length)), String(length));
  });

  test(`${what}: with any one octet changed, it is read or refused, and never an exception`, () => {
    for (let at = 0; at < Math.min(bytes.length, 128); at += 1)
      for (const value of [0, 0x21, 0x7f, 0xff]) {
        const changed = Buffer.from(bytes);
        changed[at] = value;
        const read = readRasterImage(changed);
        assert.ok('problem' in read || (read.width > 0 && read.height > 0));
      }
  });
}

const REFUSED: readonly (readonly [what: string, bytes: Buffer, problem: RegExp])[] = [
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), /is not a PNG/],
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>'), /is not a PNG/],
  ['a script that begins like a GIF', Buffer.from('GIF89a=1;alert(1)//'.padEnd(60)), /is cut short/],
  ['an icon', Buffer.from([0, 0, 1, 0, 1, 0, 16, 16]), /is not a PNG/],
  ['nothing', Buffer.alloc(0), /is not a PNG/],
  ['an animated PNG', pngImage(1, 1, [pngChunk('acTL', Buffer.alloc(8))]), /is animated/],
  ['an animated GIF', gifImage(1, 1, 2), /is animated/],
  ['an animated WebP', webpImage('VP8X', 1, 1, true), /is animated/],
  ['a PNG without width', pngImage(0, 9), /has no pixels/],
  ['a JPEG without height', jpegImage(9, 0), /has no pixels/],
  ['a GIF without a frame', gifImage(9, 9, 0), /is cut short/],
];

for (const [what, bytes, problem] of REFUSED) {
  test(`H-347: ${what} is not an image for a page`, () => {
    const read = readRasterImage(bytes);
    assert.match('problem' in read ? read.problem : 'accepted', problem);
  });
}
