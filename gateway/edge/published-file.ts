import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { compress, encodingFor, type Encoding } from './compression.ts'
import { isMatch } from './entity-tag.ts'

/** The start of a digest, for an `ETag`. */
export const shortDigest = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('base64url').slice(0, 22)

/** A text that is the same for everyone who may read it, with an `ETag`. Each content coding is made with its first request. */
export class PublishedFile {
  readonly #text: () => string
  readonly #etag: string
  #made: Buffer | null = null
  readonly #compressed = new Map<Encoding, Promise<Buffer>>()

  /** A text that is made only to be sent needs an `ETag` that is known before. */
  constructor(text: string | { readonly etag: string; readonly make: () => string }) {
    this.#text = typeof text === 'string' ? () => text : text.make
    this.#etag = typeof text === 'string' ? `"${shortDigest(this.#bytes)}"` : text.etag
  }

  get #bytes(): Buffer {
    return (this.#made ??= Buffer.from(this.#text()))
  }

  async send(req: IncomingMessage, res: ServerResponse, headers: Readonly<Record<string, string>>): Promise<void> {
    // A cookie does not matter here: there is no secret in the file whose length could be observed.
    const encoding = encodingFor({ 'accept-encoding': req.headers['accept-encoding'] })
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.appendHeader('Vary', 'Accept-Encoding')
    res.setHeader('ETag', encoding ? `W/${this.#etag}` : this.#etag)
    const known = req.headers['if-none-match']
    if (known !== undefined && isMatch(known, this.#etag)) {
      res.writeHead(304).end()
      return
    }
    const body = encoding ? await this.#in(encoding) : this.#bytes
    if (encoding) res.setHeader('Content-Encoding', encoding)
    res.writeHead(200, { 'Content-Length': body.length }).end(body)
  }

  #in(encoding: Encoding): Promise<Buffer> {
    const known = this.#compressed.get(encoding)
    if (known) return known
    const made = compress(this.#bytes, encoding)
    this.#compressed.set(encoding, made)
    // A failure is not kept: the next request tries again.
    made.catch(() => this.#compressed.delete(encoding))
    return made
  }
}
