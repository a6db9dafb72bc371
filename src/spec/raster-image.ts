/** Formats of images that cannot run a script or load anything. SVG is none of them. */
export type RasterType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';

export interface RasterImage {
  readonly mediaType: RasterType;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** An image, or a problem as words that follow "the logo". */
export type RasterReading = RasterImage | { readonly problem: string };

type Read = (bytes: Buffer) => RasterReading;

const CUT_SHORT = { problem: 'is cut short' };
const ANIMATED = { problem: 'is animated' };

/** The first octets of each format. */
const FORMATS: readonly (readonly [begins: (bytes: Buffer) => boolean, read: Read])[] = [
  [(bytes) => bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n', png],
  [(bytes) => bytes.length > 2 && bytes.readUInt16BE(0) === 0xff_d8, jpeg],
  [(bytes) => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6)), gif],
  [(bytes) => /^RIFF[^]{4}WEBP/.test(bytes.toString('latin1', 0, 12)), webp],
];

/**
 * Reads the format and the size of an image from its own octets, and never decodes it. Refuses animations, because a
 * logo beside a form must not move or flash (WCAG 2.2, 2.2.2 and 2.3.1).
 */
export function readRasterImage(octets: Uint8Array): RasterReading {
  const bytes = Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength);
  const read = FORMATS.find(([begins]) => begins(bytes))?.[1];
  if (read === undefined) return { problem: 'is not a PNG, JPEG, GIF or WebP image' };
  try {
    const image = read(bytes);
    if ('problem' in image) return image;
    return image.width > 0 && image.height > 0 ? image : { problem: 'has no pixels' };
  } catch (failure) {
    // An octet beyond the end was read.
    if (failure instanceof RangeError) return CUT_SHORT;
    throw failure;
  }
}

/** PNG Third Edition §5.3: chunks of length, type, data and check sum. `acTL` before the image data makes an animation. */
function png(bytes: Buffer): RasterReading {
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  let at = 8;
  for (let type = ''; type !== 'IDAT'; at += bytes.readUInt32BE(at) + 12) {
    type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return ANIMATED;
    if (at === 8 && type !== 'IHDR') return CUT_SHORT;
  }
  return { mediaType: 'image/png', width, height };
}

/** Markers of JPEG that begin a frame and state its size (ITU-T T.81, B.2.2): all SOF but DHT, JPG and DAC. */
const isFrameStart = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

function jpeg(bytes: Buffer): RasterReading {
  let at = 2;
  while (true) {
    if (bytes.readUInt8(at) !== 0xff) return CUT_SHORT;
    const marker = bytes.readUInt8(at + 1);
    // Fill octets, and markers without a segment.
    if (marker === 0xff) at += 1;
    else if (isFrameStart(marker))
      return {
        mediaType: 'image/jpeg',
        height: bytes.readUInt16BE(at + 5),
        width: bytes.readUInt16BE(at + 7),
      };
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
}

/** GIF89a §18 to §26. */
function gif(bytes: Buffer): RasterReading {
  const image = {
    mediaType: 'image/gif',
    width: bytes.readUInt16LE(6),
    height: bytes.readUInt16LE(8),
  } as const;
  let at = 13 + colorTableBytes(bytes.readUInt8(10));
  for (let frames = 0; ; ) {
    const block = bytes.readUInt8(at);
    if (block === 0x3b) return frames === 0 ? CUT_SHORT : image;
    if (block === 0x21) at = afterSubBlocks(bytes, at + 2);
    else if (block === 0x2c) {
      frames += 1;
      if (frames > 1) return ANIMATED;
      at = afterSubBlocks(bytes, at + 11 + colorTableBytes(bytes.readUInt8(at + 9)));
    } else return CUT_SHORT;
  }
}

const colorTableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

function afterSubBlocks(bytes: Buffer, start: number): number {
  let at = start;
  for (let length = bytes.readUInt8(at); length > 0; length = bytes.readUInt8(at)) at += length + 1;
  return at + 1;
}

/** RFC 9649 §2: the first chunk is lossy, lossless or extended. */
function webp(bytes: Buffer): RasterReading {
  const mediaType = 'image/webp';
  const form = bytes.toString('latin1', 12, 16);
  if (form === 'VP8 ')
    return {
      mediaType,
      width: bytes.readUInt16LE(26) & 0x3f_ff,
      height: bytes.readUInt16LE(28) & 0x3f_ff,
    };
  if (form === 'VP8L') {
    const packed = bytes.readUInt32LE(21);
    return { mediaType, width: (packed & 0x3f_ff) + 1, height: ((packed >>> 14) & 0x3f_ff) + 1 };
  }
  if (form !== 'VP8X') return CUT_SHORT;
  if ((bytes.readUInt8(20) & 0x02) !== 0) return ANIMATED;
  return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
}
