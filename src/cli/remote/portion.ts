/** Bytes of one request. A server takes `limits.body`, 65,536 unless it is set. */
export const BODY_BYTES_MAX = 57_344;

/** Returns the bytes of an item in the list of a request. */
export const sizeInBody = (item: object): number => Buffer.byteLength(JSON.stringify(item)) + 1;
