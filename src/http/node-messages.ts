import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type RequestHeaders, readHeaders } from './raw-headers.ts';

export const EMPTY_BODY = Buffer.alloc(0);
const NO_HEADERS: RequestHeaders = Object.freeze(Object.create(null));

/** Takes the whole body; or undefined as soon as it is larger than the limit. Called once, or never where the client goes away. */
export type BodyReader = (body: Buffer | undefined) => void;

/** Is told of each piece that is dropped, and of the end; `bytes` is 0 then. */
type DropListener = (bytes: number) => void;

/**
 * A request as Node's server parses it, without Node's stream around its body: pieces are taken where the parser hands
 * them over (`push`), and the end is told at once. Of what comes before anybody asks no more is kept than the limit.
 */
export class Request extends IncomingMessage {
  /** What `http.createServer` looks at, to know whether somebody takes the body. */
  declare _consuming: boolean;
  readonly #limit_bytes: number;
  #read: RequestHeaders | string | undefined;
  #body: Buffer | undefined;
  #more: Buffer[] | undefined;
  #size_bytes = 0;
  #ended = false;
  #reader: BodyReader | undefined;
  #dropped: DropListener | undefined;

  constructor(socket: Socket, limit_bytes: number) {
    super(socket);
    this.#limit_bytes = limit_bytes;
    this._consuming = true;
  }

  /** By lower-case name; or why the request is refused. */
  get fields(): RequestHeaders | string {
    this.#read ??= readHeaders(this.rawHeaders, this.httpVersion);
    return this.#read;
  }

  static {
    Object.defineProperties(Request.prototype, {
      // Node's server looks here for `Expect`, and for `TE` of HTTP/1.0: reading the lines a second time would say nothing else.
      headers: {
        get(this: Request): RequestHeaders {
          return typeof this.fields === 'string' ? NO_HEADERS : this.fields;
        },
      },
      readableEnded: {
        get(this: Request): boolean {
          return this.#ended;
        },
      },
    });
  }

  /** Only Node's parser calls this: with each piece of the body, and with null at its end. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) this.#end();
    else if (this.#dropped !== undefined) this.#dropped(chunk.length);
    else this.#keep(chunk);
    return true;
  }

  override _read(): void {
    // There is no stream to fill.
  }

  /** Calls once; at once where all is there already. */
  readBody(reader: BodyReader): void {
    if (this.#size_bytes > this.#limit_bytes) reader(undefined);
    else if (this.#ended) reader(this.#whole());
    else this.#reader = reader;
  }

  /** From now on nothing is kept of the body. */
  dropBody(listener: DropListener = () => undefined): void {
    this.#reader = undefined;
    this.#body = undefined;
    this.#more = undefined;
    this.#dropped = listener;
    if (this.#ended) listener(0);
  }

  #keep(chunk: Buffer): void {
    this.#size_bytes += chunk.length;
    if (this.#size_bytes > this.#limit_bytes) {
      this.#body = undefined;
      this.#more = undefined;
      this.#tell(undefined);
    } else if (this.#body === undefined) this.#body = chunk;
    else (this.#more ??= [this.#body]).push(chunk);
  }

  #end(): void {
    this.#ended = true;
    if (this.#dropped !== undefined) this.#dropped(0);
    else if (this.#size_bytes <= this.#limit_bytes && this.#reader !== undefined) this.#tell(this.#whole());
  }

  #whole(): Buffer {
    if (this.#more !== undefined) return Buffer.concat(this.#more, this.#size_bytes);
    return this.#body ?? EMPTY_BODY;
  }

  #tell(body: Buffer | undefined): void {
    const reader = this.#reader;
    this.#reader = undefined;
    reader?.(body);
  }
}

/** The class of requests whose bodies are at most so large. */
export function requestsUpTo(limit_bytes: number): typeof IncomingMessage {
  return class extends Request {
    constructor(socket: Socket) {
      super(socket, limit_bytes);
    }
  };
}

/** A response that can be written with a head that is ready. */
export class Response extends ServerResponse<Request> {
  declare _header: string;
  declare readonly _expect_continue: boolean;

  /** Whether another request may follow this one, and its answer has a body. */
  get mayKeepAlive(): boolean {
    return this.shouldKeepAlive && !this._expect_continue && this.req.method !== 'HEAD';
  }

  /**
   * Writes head and body in one piece. Node writes the head that it finds here, where `writeHead` would have put it, and
   * does the rest: the order of pipelined answers, the end of the exchange, the connection's life.
   * @param head status line and header lines, complete and well-formed; says that the connection stays open
   */
  sendWhole(status: number, head: string, body: string, encoding: 'latin1' | 'utf8'): void {
    this.statusCode = status;
    this._header = head;
    this.end(body, encoding);
  }
}
