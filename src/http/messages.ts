import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type RequestHeaders, readHeaders } from './raw-headers.ts';

export const EMPTY_BODY = Buffer.alloc(0);

/**
 * Takes the whole body, or undefined as soon as the body exceeds the limit. It is called once; never if the client goes
 * away first.
 */
export type BodyReader = (body: Buffer | undefined) => void;

/** Takes the size of each piece that is dropped, and 0 at the end of the body. */
export type DropListener = (bytes: number) => void;

/** A request as the listener gets it. */
export interface Request extends IncomingMessage {
  /** The headers by lower-case name; or a sentence with the reason to refuse the request. */
  readonly fields: RequestHeaders | string;
  /** Reads the body, up to the limit. Call it once. */
  readBody(reader: BodyReader): void;
  /** Discards the rest of the body, and what was kept of it. */
  dropBody(listener?: DropListener): void;
}

export interface Response extends ServerResponse<Request> {
  /**
   * Writes status line, header lines and body in one piece and returns true. Returns false, with nothing written, if this
   * answer must go through `writeHead`.
   * @param head complete and well-formed; says that the connection stays open
   */
  sendReady(status: number, head: string, body: string, encoding: 'latin1' | 'utf8'): boolean;
}

/** The classes that `http.createServer` makes requests and responses of. */
export interface Messages {
  /** @param limit_bytes the largest body that `readBody` gives to its reader */
  readonly requestsUpTo: (limit_bytes: number) => typeof IncomingMessage;
  readonly response: typeof ServerResponse<IncomingMessage>;
}

/** Requests and responses that use nothing but Node's documented interface: the fallback of `node-internals.ts`. */
export const DOCUMENTED_MESSAGES: Messages = {
  requestsUpTo: (limit_bytes) =>
    class extends DocumentedRequest {
      constructor(socket: Socket) {
        super(socket, limit_bytes);
      }
    },
  get response() {
    return DocumentedResponse;
  },
};

class DocumentedRequest extends IncomingMessage implements Request {
  readonly #limit_bytes: number;
  #fields: RequestHeaders | string | undefined;
  #stopReading: (() => void) | undefined;

  constructor(socket: Socket, limit_bytes: number) {
    super(socket);
    this.#limit_bytes = limit_bytes;
  }

  get fields(): RequestHeaders | string {
    this.#fields ??= readHeaders(this.rawHeaders, this.httpVersion);
    return this.#fields;
  }

  readBody(reader: BodyReader): void {
    const pieces: Buffer[] = [];
    let size_bytes = 0;
    const take = (piece: Buffer): void => {
      size_bytes += piece.length;
      if (size_bytes <= this.#limit_bytes) pieces.push(piece);
      else finish(undefined);
    };
    const end = (): void => finish(Buffer.concat(pieces, size_bytes));
    const stop = (): void => {
      this.off('data', take);
      this.off('end', end);
    };
    const finish = (body: Buffer | undefined): void => {
      stop();
      reader(body);
    };
    this.#stopReading = stop;
    this.on('data', take);
    this.on('end', end);
  }

  dropBody(listener: DropListener = () => undefined): void {
    this.#stopReading?.();
    if (this.readableEnded) return listener(0);
    this.on('data', (piece: Buffer) => listener(piece.length));
    this.on('end', () => listener(0));
  }
}

class DocumentedResponse extends ServerResponse<Request> implements Response {
  sendReady(): boolean {
    return false;
  }
}
