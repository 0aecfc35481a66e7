import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { compress, encodingFor, type Encoding } from './compression.ts'
import { isMatch } from './entity-tag.ts'

/** A text that is the same for everyone who may read it, with an `ETag`. Each content coding is made with its first request. */
export class PublishedFile {
  readonly #bytes: Buffer
  readonly #etag: string
  readonly #compressed = new Map<Encoding, Promise<Buffer>>()

  constructor(text: string) {
    this.#bytes = Buffer.from(text)
    this.#etag = `"${createHash('sha256').update(this.#bytes).digest('base64url').slice(0, 22)}"`
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
