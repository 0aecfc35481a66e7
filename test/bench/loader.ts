import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import type { OpenServices } from '../../subgraphs/kernel/services.ts'
import { OneConnection } from './customer-graph.ts'
import type { Server } from './processes.ts'
import { get, post } from './scenarios.ts'
import { openAdministrator, type Tenant } from './tenants.ts'

const pollMs = 100

export interface Job {
  readonly id: string
  readonly state: string
  readonly recordsSucceeded: number
  readonly errorMessage: string | null
}

/** An organization with its key, which loads and exports accounts by bulk jobs. */
export class Loader {
  private constructor(
    readonly tenant: Tenant,
    private readonly project: Server,
    readonly client: OneConnection,
    private readonly secret: string,
  ) {}

  static async open(services: OpenServices, project: Server): Promise<Loader> {
    const tenant = await openAdministrator(services)
    const { secret } = await createApiKey(services, tenant.organizationId, {
      ownerId: tenant.ownerId,
      name: 'Bulk',
      scopes: ['*'],
      rateLimit: { limit: 1_000_000, window: 'MINUTE' },
    })
    return new Loader(tenant, project, new OneConnection(project, secret), secret)
  }

  #change(method: 'PUT' | 'PATCH', path: string, type: string, body: string): Promise<Response> {
    const digest = createHash('sha256').update(body).digest('base64')
    return fetch(`http://127.0.0.1:${this.project.port}${path}`, {
      method,
      headers: { 'X-API-Key': this.secret, 'Content-Type': type, 'Content-Digest': `sha-256=:${digest}:` },
      body,
    })
  }

  /** Uploads a file and waits until its rows are written. */
  async load(operation: object, parts: Iterable<string>, rows: number): Promise<void> {
    const { id } = (await this.client.send(post('/v1/bulk/jobs', { object: 'account', ...operation }))).body as Job
    let part = 0
    for (const bytes of parts) {
      const answer = await this.#change('PUT', `/v1/bulk/jobs/${id}/data?part=${++part}`, 'text/csv', bytes)
      if (!answer.ok) throw new Error(`Part ${part}: ${await answer.text()}`)
    }
    const body = JSON.stringify({ state: 'UPLOAD_COMPLETE' })
    const answer = await this.#change('PATCH', `/v1/bulk/jobs/${id}`, 'application/json', body)
    if (!answer.ok) throw new Error(await answer.text())
    const job = await this.#ended(id)
    if (job.recordsSucceeded !== rows) throw new Error(`The job ended so: ${JSON.stringify(job)}`)
  }

  /** Exports the accounts and returns the bytes of the file, which is read. */
  async export(): Promise<number> {
    const { id } = (await this.client.send(post('/v1/bulk/jobs', { object: 'account', operation: 'EXPORT' })))
      .body as Job
    await this.#ended(id)
    const url = `http://127.0.0.1:${this.project.port}/v1/bulk/jobs/${id}/download`
    const answer = await fetch(url, { headers: { 'X-API-Key': this.secret, 'Accept-Encoding': 'identity' } })
    let bytes = 0
    for await (const piece of answer.body!) bytes += piece.length
    return bytes
  }

  async #ended(id: string): Promise<Job> {
    for (;;) {
      const job = (await this.client.send(get(`/v1/bulk/jobs/${id}`))).body as Job
      if (job.state === 'JOB_COMPLETE') return job
      if (job.state === 'FAILED') throw new Error(`The job failed: ${JSON.stringify(job)}`)
      await delay(pollMs)
    }
  }
}
