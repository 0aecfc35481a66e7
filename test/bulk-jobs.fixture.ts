import { createHash } from 'node:crypto'
import { expect } from 'vitest'
import { drain } from '../subgraphs/kernel/queue/queue.fixture.ts'
import { bulkQueue } from '../subgraphs/records/bulk-job/load/bulk-queue.ts'
import type { Member, Platform } from './platform.ts'

export type Job = Readonly<Record<string, unknown>> & { readonly id: string }

export const digestOf = (bytes: Uint8Array | string): string =>
  `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`

function requireSuccess({ status, body }: { readonly status: number; readonly body: object }, expected: number): void {
  const { errors, detail } = body as Record<string, unknown>
  expect([status, errors, detail]).toEqual([expected, undefined, undefined])
}

function requireEqual(found: readonly unknown[], expected: readonly unknown[]): void {
  expect(found).toEqual(expected)
}

/** Bulk jobs of a platform, as a client uses them over REST. */
export class BulkJobs {
  constructor(private readonly platform: Platform) {}

  async create(by: Member, values: object): Promise<Job> {
    const created = await by.rest['bulkJobCreate']!({
      body: { object: 'account', operation: 'INSERT', ...values },
    })
    requireSuccess(created, 201)
    return created.body as unknown as Job
  }

  put(by: Member, id: string, bytes: Uint8Array | string, part = 1, headers: Record<string, string> = {}) {
    return fetch(`${this.platform.url}/v1/bulk/jobs/${id}/data?part=${part}`, {
      method: 'PUT',
      headers: { ...by.headers, 'Content-Type': 'text/csv', 'Content-Digest': digestOf(bytes), ...headers },
      body: bytes as string,
    })
  }

  complete(by: Member, id: string) {
    return by.rest['bulkJobUpdate']!({ id, body: { state: 'UPLOAD_COMPLETE' } })
  }

  async read(by: Member, id: string): Promise<Job> {
    return (await by.rest['bulkJob']!({ id })).body as unknown as Job
  }

  /** Creates a job with a file, and processes it. */
  async load(by: Member, values: object, ...parts: readonly (Uint8Array | string)[]): Promise<Job> {
    const { id } = await this.create(by, values)
    for (const [index, part] of parts.entries()) {
      const { status } = await this.put(by, id, part, index + 1)
      requireSuccess({ status, body: {} }, 200)
    }
    requireSuccess(await this.complete(by, id), 200)
    await this.settle()
    return this.read(by, id)
  }

  /** Creates an export, and processes it. */
  async export(by: Member, values: object = {}): Promise<Job> {
    const { id } = await this.create(by, { operation: 'EXPORT', ...values })
    await this.settle()
    return this.read(by, id)
  }

  download(by: Member, id: string, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${this.platform.url}/v1/bulk/jobs/${id}/download`, { headers: { ...by.headers, ...headers } })
  }

  /** The file of an export. */
  async exported(by: Member, values: object = {}): Promise<string> {
    const job = await this.export(by, values)
    requireEqual([job['state'], job['errorMessage']], ['JOB_COMPLETE', null])
    const answer = await this.download(by, job.id)
    requireSuccess({ status: answer.status, body: {} }, 200)
    return Buffer.from(await answer.arrayBuffer()).toString()
  }

  /** Processes all jobs that are due, as one worker does. */
  async settle(): Promise<void> {
    await drain(bulkQueue, this.platform.services)
  }

  async results(by: Member, id: string, kind: 'successful' | 'failed' | 'skipped' | 'unprocessed'): Promise<string> {
    const answer = await fetch(`${this.platform.url}/v1/bulk/jobs/${id}/results/${kind}`, { headers: by.headers })
    requireSuccess({ status: answer.status, body: {} }, 200)
    return answer.text()
  }
}
