import { crc32, deflateSync } from 'node:zlib';

/** Small images for tests. PNG and GIF are whole; JPEG and WebP have the parts that the server reads. */

type Colour = readonly [red: number, green: number, blue: number];

const BLUE: Colour = [0x1d, 0x4e, 0xd8];

/**
 * @param before chunks between the header and the image data
 * @param colourAt the colour of each pixel
 */
export function pngImage(
  width: number,
  height: number,
  before: readonly Buffer[] = [],
  colourAt: (x: number, y: number) => Colour = () => BLUE,
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const rows = Array.from({ length: height }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: width }, (_pixel, x) => colourAt(x, y)).flat()]),
  );
  const pixels = Buffer.concat(rows);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    ...before,
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** @param frames more than one make an animation */
export function gifImage(width: number, height: number, frames = 1): Buffer {
  const screen = Buffer.alloc(13);
  screen.write('GIF89a', 'latin1');
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  screen[10] = 0x80;
  const colors = Buffer.from([...BLUE, 0xff, 0xff, 0xff]);
  const comment = Buffer.from([0x21, 0xfe, 2, 0x61, 0x62, 0]);
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]);
  return Buffer.concat([
    screen,
    colors,
    comment,
    ...Array.from({ length: frames }, () => frame),
    Buffer.from([0x3b]),
  ]);
}

export function jpegImage(width: number, height: number): Buffer {
  const frame = Buffer.alloc(19);
  frame.set([0xff, 0xc2, 0, 17, 8]);
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  // APP0, a Huffman table whose marker looks like that of a frame, and a fill octet.
  const before = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc4, 0, 3, 0, 0xff];
  return Buffer.concat([Buffer.from(before), frame, Buffer.from([0xff, 0xd9])]);
}

export function webpImage(
  form: 'VP8 ' | 'VP8L' | 'VP8X',
  width: number,
  height: number,
  animated = false,
): Buffer {
  const bytes = Buffer.alloc(40);
  bytes.write(`RIFF    WEBP${form}`, 'latin1');
  if (form === 'VP8 ') {
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  } else if (form === 'VP8L') bytes.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  else {
    bytes[20] = animated ? 0x02 : 0x10;
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  }
  return bytes;
}
