import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

const bucket = 'crm-files'
/** How the server names the file of an object. */
const objectSuffix = '._S3rver_object'

/** A store that speaks the protocol of S3, with one bucket, on this machine. */
export class S3Server {
  readonly #directory: string
  #server: S3rver | null = null
  port = 0

  private constructor(directory: string) {
    this.#directory = directory
  }

  static async started(): Promise<S3Server> {
    const server = new S3Server(await mkdtemp(join(tmpdir(), 's3-')))
    await server.start()
    return server
  }

  /** What the platform must know. */
  get environment() {
    return {
      FILE_STORE: 's3',
      FILE_STORE_ENDPOINT: `http://127.0.0.1:${this.port}`,
      FILE_STORE_BUCKET: bucket,
      FILE_STORE_KEY_ID: 'S3RVER',
      FILE_STORE_SECRET: 'S3RVER',
    }
  }

  /** Starts it, again on the same port. */
  async start(): Promise<void> {
    const { port } = this
    const options = { address: '127.0.0.1', port, silent: true, directory: this.#directory }
    this.#server = new S3rver({ ...options, configureBuckets: [{ name: bucket }] })
    this.port = (await this.#server.run()).port
  }

  async stop(): Promise<void> {
    this.#server!.httpServer.closeAllConnections()
    await this.#server!.close()
  }

  async remove(): Promise<void> {
    await this.stop()
    await rm(this.#directory, { recursive: true, force: true })
  }

  /** The keys of all objects. */
  async keys(): Promise<string[]> {
    const names = await readdir(join(this.#directory, bucket), { recursive: true })
    return names.filter((name) => name.endsWith(objectSuffix)).map((name) => name.slice(0, -objectSuffix.length))
  }
}
