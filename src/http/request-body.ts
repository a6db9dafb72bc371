import type { RequestHeaders } from './raw-headers.ts';

export const EMPTY_BODY = Buffer.alloc(0);

/** Why a body is refused: it exceeds its own limit, or all bodies together exceed theirs. */
export type BodyRefusal = 'too-large' | 'no-memory';

/**
 * Takes the whole body, or the reason to refuse it as soon as there is one. It is called once; never if the client goes
 * away first.
 */
export type BodyReader = (body: Buffer | BodyRefusal) => void;

/** Takes the size of each piece that is dropped, and 0 at the end of the body. */
export type DropListener = (bytes: number) => void;

/**
 * The memory of bodies: of those that are arriving, and as much again of complete ones whose requests are being served. So
 * slow senders take nothing away from requests that arrive whole. Hosts of one process share one.
 */
export class BodyMemory {
  readonly #limit_bytes: number;
  #taken_bytes = 0;
  #complete_bytes = 0;

  constructor(limit_bytes: number) {
    this.#limit_bytes = limit_bytes;
  }

  get taken_bytes(): number {
    return this.#taken_bytes;
  }

  get complete_bytes(): number {
    return this.#complete_bytes;
  }

  /** Returns whether there is room for an arriving body. Takes nothing otherwise. */
  take(bytes: number): boolean {
    if (this.#taken_bytes + bytes > this.#limit_bytes) return false;
    this.#taken_bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#taken_bytes -= bytes;
  }

  /** Returns whether there is room for a complete body. Takes nothing otherwise. */
  takeComplete(bytes: number): boolean {
    if (this.#complete_bytes + bytes > this.#limit_bytes) return false;
    this.#complete_bytes += bytes;
    return true;
  }

  giveComplete(bytes: number): void {
    this.#complete_bytes -= bytes;
  }
}

export interface BodyLimits {
  /** The largest body that a reader gets, in bytes. */
  readonly body_bytes: number;
  readonly memory: BodyMemory;
}

/** Buffers of bodies in several pieces begin with this size and double. */
const FIRST_BUFFER_BYTES = 1_024;

/**
 * Collects a body. Node hands over a buffer for each chunk, and a buffer of one byte takes hundreds of bytes. So the pieces
 * are copied into one buffer, and the number of pieces costs no memory.
 */
export class RequestBody {
  readonly #limits: BodyLimits;
  /** The only piece, or the buffer that all pieces are copied into. */
  #kept: Buffer | undefined;
  #size_bytes = 0;
  /** The share of this body in the memory of arriving bodies. */
  #taken_bytes = 0;
  /** The share of this body in the memory of complete bodies. */
  #complete_bytes = 0;
  #refusal: BodyRefusal | undefined;
  #ended = false;
  #forgotten = false;
  #reader: BodyReader | undefined;
  #dropped: DropListener | undefined;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  get ended(): boolean {
    return this.#ended;
  }

  add(piece: Buffer, fields: RequestHeaders | string): void {
    if (this.#dropped !== undefined) return this.#dropped(piece.length);
    if (this.#refusal !== undefined) return;
    const size_bytes = this.#size_bytes + piece.length;
    if (size_bytes > this.#limits.body_bytes) return this.#refuse('too-large');
    if (this.#kept === undefined) {
      // A body in one piece is complete in this turn of the event loop. So slow senders do not refuse ordinary requests.
      if (!this.#take(piece.length) && !announces(fields, piece.length)) return this.#refuse('no-memory');
      this.#kept = piece;
    } else {
      const room = this.#roomFor(size_bytes);
      if (room === undefined) return this.#refuse('no-memory');
      piece.copy(room, this.#size_bytes);
    }
    this.#size_bytes = size_bytes;
  }

  end(): void {
    this.#ended = true;
    this.#giveBack();
    if (this.#kept !== undefined) this.#complete(this.#kept.length);
    if (this.#dropped !== undefined) this.#dropped(0);
    else if (this.#refusal === undefined && this.#reader !== undefined) this.#tell(this.#whole());
  }

  /** Calls the reader at once if the whole body is there. A body that was forgotten is not read as an empty one. */
  read(reader: BodyReader): void {
    if (this.#refusal !== undefined) reader(this.#refusal);
    else if (this.#forgotten) return;
    else if (this.#ended) reader(this.#whole());
    else this.#reader = reader;
  }

  drop(listener: DropListener): void {
    this.#reader = undefined;
    this.forget();
    this.#dropped = listener;
    if (this.#ended) listener(0);
  }

  /** Gives back the memory of a body whose request is answered, or whose connection has closed. */
  forget(): void {
    this.#forgotten = true;
    this.#kept = undefined;
    this.#giveBack();
  }

  #giveBack(): void {
    this.#limits.memory.give(this.#taken_bytes);
    this.#taken_bytes = 0;
    this.#limits.memory.giveComplete(this.#complete_bytes);
    this.#complete_bytes = 0;
  }

  #complete(bytes: number): void {
    if (this.#limits.memory.takeComplete(bytes)) this.#complete_bytes = bytes;
    else this.#refuse('no-memory');
  }

  #take(bytes: number): boolean {
    if (!this.#limits.memory.take(bytes)) return false;
    this.#taken_bytes += bytes;
    return true;
  }

  /** Returns the buffer with room for this number of bytes; undefined if there is no memory. */
  #roomFor(size_bytes: number): Buffer | undefined {
    const kept = this.#kept ?? EMPTY_BODY;
    if (size_bytes <= kept.length) return kept;
    const wanted = Math.max(FIRST_BUFFER_BYTES, size_bytes, kept.length * 2);
    const capacity_bytes = Math.min(wanted, this.#limits.body_bytes);
    if (!this.#take(capacity_bytes - this.#taken_bytes)) return undefined;
    const larger = Buffer.allocUnsafeSlow(capacity_bytes);
    kept.copy(larger, 0, 0, this.#size_bytes);
    this.#kept = larger;
    return larger;
  }

  #whole(): Buffer {
    return this.#kept?.subarray(0, this.#size_bytes) ?? EMPTY_BODY;
  }

  #refuse(refusal: BodyRefusal): void {
    this.#refusal = refusal;
    this.forget();
    this.#tell(refusal);
  }

  #tell(body: Buffer | BodyRefusal): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.(body);
  }
}

function announces(fields: RequestHeaders | string, length_bytes: number): boolean {
  return typeof fields === 'object' && Number(fields['content-length']) === length_bytes;
}
