import { createECDH, randomBytes, type ECDH } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import ece from 'http_ece'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The decrypted message. */
  readonly message: Record<string, unknown>
}

/** A push service on loopback with one device, which decrypts what it gets (RFC 8291). */
export class PushReceiver {
  readonly received: Received[] = []
  /** The statuses of the next answers, with Retry-After; 201 after the last one. */
  readonly answers: { readonly status: number; readonly retryAfter?: string }[] = []
  readonly #device: ECDH = createECDH('prime256v1')
  readonly #auth = randomBytes(16)
  #url = ''
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { status, retryAfter } = this.answers.shift() ?? { status: 201 }
      const text = ece
        .decrypt(Buffer.concat(chunks), {
          version: 'aes128gcm',
          privateKey: this.#device,
          authSecret: this.#auth.toString('base64url'),
        })
        .toString('utf8')
      this.received.push({
        path: request.url!,
        headers: request.headers,
        message: JSON.parse(text) as Record<string, unknown>,
      })
      response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end()
    })
  })

  async open(): Promise<void> {
    this.#device.generateKeys()
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get origin(): string {
    return this.#url
  }

  /** What a browser sends to subscribe. */
  subscription(path = '/send/device') {
    return {
      endpoint: `${this.#url}${path}`,
      keys: { p256dh: this.#device.getPublicKey('base64url'), auth: this.#auth.toString('base64url') },
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
