import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { expectValidEvents, refused, refusedInputs } from '../../../../test/expectations.ts'
import { usePlatform, type Member } from '../../../../test/platform.ts'
import { newId } from '../../../kernel/ids.ts'
import { sweepFiles } from '../../../kernel/file/sweep-files.ts'
import { deleteAbandonedFiles, deleteFileContents } from '../file.jobs.ts'
import { partBytes } from './file-upload.ts'

const platform = usePlatform({ FILE_MB_MAX: '40' })
let ann: Member
beforeEach(async () => {
  ann = await platform.member({ organizationId: await platform.organization() })
})
afterAll(() => expectValidEvents(platform))

const hourMs = 3_600_000
/** Bytes that differ from place to place. */
const bytes = (count: number): Buffer =>
  Buffer.from(Uint32Array.from({ length: Math.ceil(count / 4) }, (_, n) => n * 2_654_435_761).buffer).subarray(0, count)
const whole = bytes(2 * partBytes + 1_000)
const partOf = (content: Buffer, part: number): Buffer => content.subarray((part - 1) * partBytes, part * partBytes)
const sha256 = (content: Buffer, encoding: 'hex' | 'base64'): string =>
  createHash('sha256').update(content).digest(encoding)

const add = async (by = ann): Promise<string> =>
  (await by.rest.fileCreate!({ body: { name: 'Film.bin' } })).body.id as string
const begin = (id: string, size = whole.length, by = ann) => by.rest.fileUploadBegin!({ id, body: { size } })
const begun = async (): Promise<string> => {
  const id = await add()
  expect((await begin(id)).status).toBe(200)
  return id
}
interface Answered {
  readonly code?: string
  readonly errors?: readonly { readonly code: string }[]
  readonly receivedParts?: readonly number[]
}
const put = async (id: string, part: number, content: Buffer, headers: Record<string, string> = {}, by = ann) => {
  const answer = await fetch(`${platform.url}/v1/files/${id}/upload/parts/${part}`, {
    method: 'PUT',
    headers: { ...by.headers, 'Content-Type': 'application/octet-stream', ...headers },
    body: content as never,
  })
  return { status: answer.status, body: (await answer.json()) as Answered }
}
const digest = (content: Buffer) => ({ 'Content-Digest': `sha-256=:${sha256(content, 'base64')}:` })
const complete = (id: string) => ann.rest.fileUploadComplete!({ id })
const counted = async (): Promise<number> => {
  const [row] = await platform.query<{ bytes: number }>(
    'select coalesce(sum(bytes), 0)::int as bytes from kernel.file where organization_id = $1',
    [ann.organizationId],
  )
  return row!.bytes
}
const onDisk = () => readdir(join(platform.services.files.dataDir, 'files', ann.organizationId)).catch(() => [])
const later = (ms: number) => platform.advanceClock(ms)

describe('an upload in parts', () => {
  it('takes the parts in any order, each once, and makes the file of them', async () => {
    const id = await add()
    expect([await begin(id), await begin(id)].map(({ status, body }) => [status, body])).toEqual(
      Array.from({ length: 2 }, () => [
        200,
        { id, size: whole.length, partSize: partBytes, partCount: 3, receivedParts: [] },
      ]),
    )
    expect(await counted()).toBe(whole.length)
    for (const part of [3, 1])
      expect((await put(id, part, partOf(whole, part), digest(partOf(whole, part)))).status).toBe(200)
    expect((await put(id, 1, partOf(whole, 1))).body.receivedParts).toEqual([1, 3])
    const missing = await complete(id)
    expect([missing.status, missing.body.code, missing.body.detail ?? missing.body.message]).toEqual([
      409,
      'INVALID_STATE',
      'Parts that have not arrived: 2.',
    ])
    expect((await put(id, 2, partOf(whole, 2))).status).toBe(200)
    expect((await ann.rest.fileUploadProgress!({ id })).body.receivedParts).toEqual([1, 2, 3])
    const done = await complete(id)
    expect([done.status, done.body]).toEqual([
      200,
      expect.objectContaining({ status: 'READY', size: whole.length, sha256: sha256(whole, 'hex'), version: 2 }),
    ])
    const answer = await fetch(`${platform.url}/v1/files/${id}/content`, { headers: ann.headers })
    expect(Buffer.from(await answer.arrayBuffer()).equals(whole)).toBe(true)
    expect(await platform.eventTypesOf(id)).toEqual(['file.created', 'file.uploaded'])
    // The parts are gone, and the bytes count once.
    expect([await counted(), (await onDisk()).length]).toEqual([whole.length, 1])
    expect((await ann.rest.fileUploadProgress!({ id })).status).toBe(404)
    expect((await put(id, 1, partOf(whole, 1))).status).toBe(409)
  })

  it('refuses other bytes for a part with 409, and bytes of another digest or length with 400, and keeps none of them', async () => {
    const id = await begun()
    await put(id, 1, partOf(whole, 1))
    const other = Buffer.from(partOf(whole, 1))
    other[100]! ^= 1
    const refusals = [
      await put(id, 1, other),
      await put(id, 2, partOf(whole, 2), digest(other)),
      await put(id, 2, partOf(whole, 2), { 'Content-Digest': 'sha-256=x' }),
      await put(id, 2, partOf(whole, 3)),
      await put(id, 4, partOf(whole, 3)),
    ]
    expect(refusals.map(({ status, body }) => [status, body.code, body.errors?.[0]?.code])).toEqual([
      [409, 'INVALID_STATE', undefined],
      [400, 'VALIDATION_FAILED', 'NOT_EQUAL'],
      [400, 'VALIDATION_FAILED', 'NOT_A_DIGEST'],
      [400, 'VALIDATION_FAILED', 'OUT_OF_RANGE'],
      [404, 'NOT_FOUND', undefined],
    ])
    expect([(await ann.rest.fileUploadProgress!({ id })).body.receivedParts, (await onDisk()).length]).toEqual([[1], 1])
  })

  it('keeps one of two different parts that arrive at the same time, and one file of two completions', async () => {
    const id = await begun()
    const other = Buffer.from(partOf(whole, 1))
    other[0]! ^= 1
    const two = await Promise.all([put(id, 1, partOf(whole, 1)), put(id, 1, other)])
    expect(two.map(({ status }) => status).toSorted((one, another) => one - another)).toEqual([200, 409])
    for (const part of [2, 3]) await put(id, part, partOf(whole, part))
    const completions = await Promise.all([complete(id), complete(id)])
    expect(completions.map(({ status }) => status).toSorted((one, another) => one - another)[0]).toBe(200)
    expect((await ann.rest.file!({ id })).body).toMatchObject({ status: 'READY', version: 2 })
    expect([await counted(), (await onDisk()).length]).toEqual([whole.length, 1])
  })

  it('is begun and completed in a dry run, which stores no byte', async () => {
    const headers = { Prefer: 'dry-run' }
    const tried = await add()
    expect((await ann.rest.fileUploadBegin!({ id: tried, body: { size: 5 }, headers })).body.partCount).toBe(1)
    expect((await ann.rest.fileUploadProgress!({ id: tried })).status).toBe(404)
    const id = await begun()
    for (const part of [1, 2, 3]) await put(id, part, partOf(whole, part))
    const [bytesBefore, filesBefore] = [await counted(), new Set(await onDisk())]
    const done = await ann.rest.fileUploadComplete!({ id, headers })
    expect([done.status, done.body]).toEqual([
      200,
      expect.objectContaining({ status: 'READY', size: whole.length, sha256: sha256(whole, 'hex'), version: 2 }),
    ])
    expect(done.headers.get('dry-run-events')).toBe(`"file.uploaded";id="${id}"`)
    expect([await counted(), new Set(await onDisk())]).toEqual([bytesBefore, filesBefore])
    expect((await complete(id)).body['status']).toBe('READY')
  })

  it('takes a part in a dry run with all checks, and keeps nothing of it', async () => {
    const id = await begun()
    const tried = (part: number, content: Buffer, headers = {}, by = ann) =>
      put(id, part, content, { Prefer: 'dry-run', ...headers }, by)
    const one = partOf(whole, 1)
    const { organizationId } = ann
    const answers = [
      await tried(1, one, digest(one)),
      await tried(1, one, digest(partOf(whole, 2))),
      await tried(1, partOf(whole, 3)),
      await tried(1, one, {}, await platform.member()),
      await tried(1, one, {}, await platform.member({ organizationId, role: 'READ_ONLY' })),
    ]
    expect(answers.map(({ status, body }) => [status, body.receivedParts ?? body.code])).toEqual([
      [200, [1]],
      [400, 'VALIDATION_FAILED'],
      [400, 'VALIDATION_FAILED'],
      [404, 'NOT_FOUND'],
      [403, 'PERMISSION_DENIED'],
    ])
    expect([(await ann.rest.fileUploadProgress!({ id })).body.receivedParts, await onDisk()]).toEqual([[], []])
    expect((await put(id, 1, one)).body.receivedParts).toEqual([1])
  })

  it('is tried as a whole, with its event, and refused where there is no room', async () => {
    const tried = async (id: string) => {
      const answer = await fetch(`${platform.url}/v1/files/${id}/content`, {
        method: 'PUT',
        headers: { ...ann.headers, 'Content-Type': 'application/octet-stream', Prefer: 'dry-run' },
        body: whole as never,
      })
      const told = ['preference-applied', 'dry-run-events'].map((name) => answer.headers.get(name))
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown>, told }
    }
    const id = await add()
    const { status, body, told } = await tried(id)
    expect([status, body['status'], body['size'], body['sha256']]).toEqual([
      200,
      'READY',
      whole.length,
      sha256(whole, 'hex'),
    ])
    expect(told).toEqual(['dry-run', `"file.uploaded";id="${id}"`])
    expect((await ann.rest.file!({ id })).body).toMatchObject({ status: 'UPLOADING', version: 1 })
    for (let count = 0; count < 2; count++) await begun()
    const full = await tried(id)
    expect([full.status, full.body['code']]).toEqual([403, 'STORAGE_LIMIT_EXCEEDED'])
    expect([await counted(), await onDisk()]).toEqual([2 * whole.length, []])
  })

  it('is completed once with an Idempotency-Key, and a replay answers the same', async () => {
    const id = await begun()
    for (const part of [1, 2, 3]) await put(id, part, partOf(whole, part))
    const keyed = () => ann.rest.fileUploadComplete!({ id, headers: { 'Idempotency-Key': `complete-${id}` } })
    const [first, replay] = [await keyed(), await keyed()]
    expect([first.status, first.body['status'], first.body['sha256']]).toEqual([200, 'READY', sha256(whole, 'hex')])
    expect([replay.status, replay.body, replay.headers.get('idempotent-replayed')]).toEqual([200, first.body, 'true'])
    expect(await platform.eventTypesOf(id)).toEqual(['file.created', 'file.uploaded'])
  })

  it('counts its bytes in the budget from its begin, and gives them back when the file is deleted', async () => {
    const first = await begun()
    await put(first, 1, partOf(whole, 1))
    const second = await begun()
    expect(await counted()).toBe(2 * whole.length)
    const third = await add()
    expect(await refused(platform, () => begin(third))).toEqual([403, 'STORAGE_LIMIT_EXCEEDED'])
    await ann.rest.fileDelete!({ id: first })
    await deleteFileContents.run(platform.services)
    expect([await counted(), await onDisk()]).toEqual([whole.length, []])
    // The other one is abandoned.
    later(25 * hourMs)
    await deleteAbandonedFiles.run(platform.services)
    await deleteFileContents.run(platform.services)
    expect([(await ann.rest.file!({ id: second })).status, await counted()]).toEqual([404, 0])
  })

  it('loses no part, and keeps no half one, when the process ends while a part arrives', async () => {
    const id = await begun()
    await put(id, 1, partOf(whole, 1))
    const { files, tenants } = platform.services
    // What a process leaves that ends before, and after, the bytes are whole.
    async function* dying(): AsyncGenerator<Uint8Array> {
      yield partOf(whole, 2).subarray(0, 1_000)
      throw new Error('killed')
    }
    const { organizationId } = ann
    await expect(files.write(dying(), { organizationId, bytesMax: partBytes, isReserved: true })).rejects.toThrow(
      'killed',
    )
    async function* all(): AsyncGenerator<Uint8Array> {
      yield partOf(whole, 2)
    }
    await files.write(all(), { organizationId, bytesMax: partBytes, isReserved: true })
    await tenants
      .of(organizationId)
      .query(
        `insert into kernel.file (organization_id, id, state, bytes, created_at) values ($1, $2, 'WRITING', 0, $3)`,
        [organizationId, newId(), platform.now.toISOString()],
      )
    expect((await ann.rest.fileUploadProgress!({ id })).body.receivedParts).toEqual([1])
    later(26 * hourMs)
    await sweepFiles.run(platform.services)
    expect((await onDisk()).length).toBe(1)
    for (const part of [2, 3]) await put(id, part, partOf(whole, part))
    expect((await complete(id)).body).toMatchObject({ status: 'READY', sha256: sha256(whole, 'hex') })
  })

  it('asks for a part again whose bytes are gone, as after a restore', async () => {
    const id = await begun()
    for (const part of [1, 2, 3]) await put(id, part, partOf(whole, part))
    const [row] = await platform.query<{ id: string }>(
      'select content_id as id from crm.file_part where file_id = $1 and part = 2',
      [id],
    )
    const { files } = platform.services
    await platform.query(`update kernel.file set state = 'WRITTEN' where id = $1`, [row!.id])
    await files.discard(ann.organizationId, row!.id)
    expect((await complete(id)).status).toBe(409)
    expect((await put(id, 2, partOf(whole, 2))).status).toBe(200)
    expect((await complete(id)).body).toMatchObject({ status: 'READY', sha256: sha256(whole, 'hex') })
  })

  it('is for those who may change the file, and has one size from its first part on', async () => {
    const id = await begun()
    const { organizationId } = ann
    const reader = await platform.member({ organizationId, role: 'READ_ONLY' })
    const foreigner = await platform.member()
    expect((await put(id, 1, partOf(whole, 1), {}, foreigner)).status).toBe(404)
    expect((await put(id, 1, partOf(whole, 1), {}, reader)).status).toBe(403)
    expect(await refused(platform, () => begin(id, whole.length, foreigner))).toEqual([404, 'NOT_FOUND'])
    const key = await platform.member({ organizationId, scopes: ['READ_FILES'] })
    expect(await refused(platform, () => begin(id, whole.length, key))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    expect((await begin(id, 5)).body).toMatchObject({ size: 5, partCount: 1 })
    expect(await counted()).toBe(5)
    await put(id, 1, Buffer.from('bytes'))
    expect(await refused(platform, () => begin(id))).toEqual([409, 'INVALID_STATE'])
    expect(await refusedInputs(platform, () => begin(id, 104_857_601))).toEqual([
      400,
      'VALIDATION_FAILED',
      'size OUT_OF_RANGE',
    ])
  })
})
