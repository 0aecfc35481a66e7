import { Agent, request as open } from 'node:http'
import type { Server } from '../processes.ts'
import type { HttpRequest } from '../scenarios.ts'
import type { GrownOrganization } from './fill.ts'
import type { Body } from './probe.ts'
import type { RequestCpu } from './request-cpu.ts'

const sessionMs = 240_000

export interface Answered {
  readonly ms: number
  /** CPU time of the server and of PostgreSQL; it contains what the server does besides. */
  readonly cpuMs: number
  /** The code of the error; null for a success. */
  readonly refusal: string | null
  readonly body: Body
}

interface Problem {
  readonly code?: string
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

/** One connection of a signed-in user, with one request at a time. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #token = ''
  #signedInAt = -Infinity

  constructor(
    private readonly server: Server,
    private readonly user: GrownOrganization,
    private readonly cpu: RequestCpu,
  ) {}

  /** Finds the connections of the server, whose CPU time is read from then on. */
  findConnections(): Promise<void> {
    return this.cpu.findConnections()
  }

  async send(request: HttpRequest): Promise<Answered> {
    if (performance.now() - this.#signedInAt > sessionMs) await this.#signIn()
    const cpuBefore = this.cpu.totalMs(this.server.pid)
    const start = performance.now()
    const { status, text } = await this.#exchange(request)
    const ms = performance.now() - start
    const cpuMs = this.cpu.totalMs(this.server.pid) - cpuBefore
    const answer = JSON.parse(text) as Problem & { readonly data?: { readonly result?: Body | null } | null }
    const [error] = answer.errors ?? []
    const refusal =
      status < 300 && !error ? null : (error?.extensions?.code ?? answer.code ?? error?.message ?? String(status))
    const isGraph = request.path === '/v1/graphql'
    return { ms, cpuMs, refusal, body: ((isGraph ? answer.data?.result : answer) ?? {}) as Body }
  }

  async #signIn(): Promise<void> {
    const { email, password } = this.user
    this.#token = ''
    const body = JSON.stringify({ email, password })
    const { status, text } = await this.#exchange({ method: 'POST', path: '/v1/auth/login', body })
    if (status >= 300) throw new Error(`The sign-in answered ${status}: ${text}`)
    this.#token = (JSON.parse(text) as { accessToken: string }).accessToken
    this.#signedInAt = performance.now()
  }

  #exchange({ method, path, body }: HttpRequest): Promise<{ status: number; text: string }> {
    const headers = {
      ...(this.#token && { Authorization: `Bearer ${this.#token}` }),
      ...(body && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    }
    return new Promise((resolve, reject) => {
      const sent = open(
        { port: this.server.port, host: '127.0.0.1', agent: this.#agent, method, path, headers },
        (response) => {
          const chunks: Buffer[] = []
          response.on('data', (chunk: Buffer) => chunks.push(chunk))
          response.on('end', () =>
            resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString('utf8') }),
          )
          response.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }

  close(): void {
    this.#agent.destroy()
  }
}
