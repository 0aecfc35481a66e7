import { createHash } from 'node:crypto'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { readConfig } from '../../kernel/config/config.ts'
import { BucketBytes } from '../../kernel/file/bucket-bytes.ts'
import { S3Server } from '../../kernel/file/s3.fixture.ts'
import { sweepFiles } from '../../kernel/file/sweep-files.ts'
import { newId } from '../../kernel/ids.ts'
import { refusedAddress } from '../../kernel/outbound/outbound-error.ts'
import { Outbound } from '../../kernel/outbound/outbound.ts'
import { deleteFileContents } from './file.jobs.ts'
import { partBytes } from './upload/file-upload.ts'

const s3 = await S3Server.started()
const platform = usePlatform({ ...s3.environment, OUTBOUND_ALLOW: '127.0.0.1' })
let ann: Member
beforeEach(async () => {
  ann = await platform.member({ organizationId: await platform.organization() })
})
afterAll(() => s3.remove())

const dayMs = 86_400_000
const send = async (path: string, content: Buffer): Promise<number> => {
  const answer = await fetch(`${platform.url}/v1/files/${path}`, {
    method: 'PUT',
    headers: { ...ann.headers, 'Content-Type': 'application/octet-stream' },
    body: content as never,
  })
  await answer.arrayBuffer()
  return answer.status
}
const add = async (): Promise<string> => (await ann.rest.fileCreate!({ body: { name: 'Plan.txt' } })).body.id as string
const get = async (id: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${platform.url}/v1/files/${id}/content`, { headers: { ...ann.headers, ...headers } })
  return { status: answer.status, content: Buffer.from(await answer.arrayBuffer()) }
}
const own = async () => (await s3.keys()).filter((key) => key.includes(ann.organizationId))
const spool = () => readdir(join(platform.services.files.dataDir, 'files.spool')).catch(() => [])
const rows = () =>
  platform.query('select state, bytes::int as bytes from kernel.file where organization_id = $1 order by bytes', [
    ann.organizationId,
  ])
const large = Buffer.alloc(12_000_000, 'large ')

describe('files in a bucket', () => {
  it('are written and read whole, in part and by a link, and are not in DATA_DIR', async () => {
    const id = await add()
    expect(await send(`${id}/content`, large)).toBe(200)
    const [key, ...others] = await own()
    expect([key, others]).toEqual([expect.stringMatching(/^files\/[\da-f-]{36}\/[\da-f-]{36}$/), []])
    expect((await get(id)).content.equals(large)).toBe(true)
    expect(await get(id, { Range: 'bytes=1000000-1000005' })).toEqual({
      status: 206,
      content: large.subarray(1_000_000, 1_000_006),
    })
    const { pathname } = new URL((await ann.rest.fileDownloadLink!({ id })).body.downloadUrl as string)
    const linked = await fetch(platform.url + pathname)
    expect(Buffer.from(await linked.arrayBuffer()).equals(large)).toBe(true)
    const empty = await add()
    expect([await send(`${empty}/content`, Buffer.alloc(0)), await get(empty)]).toEqual([
      200,
      { status: 200, content: Buffer.alloc(0) },
    ])
    const { dataDir } = platform.services.files
    expect([await spool(), (await readdir(dataDir)).includes('files')]).toEqual([[], false])
  })

  it('arrive in parts', async () => {
    const content = Buffer.concat([large, large]).subarray(0, partBytes + 1_000)
    const id = await add()
    await ann.rest.fileUploadBegin!({ id, body: { size: content.length } })
    expect(await send(`${id}/upload/parts/2`, content.subarray(partBytes))).toBe(200)
    expect(await send(`${id}/upload/parts/1`, content.subarray(0, partBytes))).toBe(200)
    const sha256 = createHash('sha256').update(content).digest('hex')
    expect((await ann.rest.fileUploadComplete!({ id })).body).toMatchObject({
      status: 'READY',
      sha256,
    })
    expect([(await get(id)).content.equals(content), (await own()).length]).toEqual([true, 1])
  })

  it('are deleted a day after they were released, and an object without a row stays', async () => {
    const id = await add()
    await send(`${id}/content`, Buffer.from('gone'))
    const [key] = await own()
    await ann.rest.fileDelete!({ id })
    platform.advanceClock(8 * dayMs)
    await deleteFileContents.run(platform.services)
    await sweepFiles.run(platform.services)
    expect(await own()).toEqual([key])
    platform.advanceClock(dayMs + 1)
    await sweepFiles.run(platform.services)
    expect([await own(), await rows()]).toEqual([[], []])

    const other = await add()
    await send(`${other}/content`, Buffer.from('of another copy'))
    await platform.query('delete from kernel.file where organization_id = $1', [ann.organizationId])
    await sweepFiles.run(platform.services)
    expect(await own()).toHaveLength(1)
  })

  it('are refused with 503 while the store does not answer, and nothing is stored or counted', async () => {
    const [kept, id] = [await add(), await add()]
    await send(`${kept}/content`, Buffer.from('kept'))
    await s3.stop()
    expect([await send(`${id}/content`, Buffer.from('new')), (await get(kept)).status]).toEqual([503, 503])
    expect(await spool()).toEqual([])
    expect(await rows()).toEqual([
      { state: 'RELEASED', bytes: 0 },
      { state: 'KEPT', bytes: 4 },
    ])
    await expect(sweepFiles.run(platform.services)).rejects.toThrow('cannot store or read files')
    await s3.start()
    await sweepFiles.run(platform.services)
    expect([await send(`${id}/content`, Buffer.from('new')), (await get(kept)).content.toString()]).toEqual([
      200,
      'kept',
    ])
    expect((await rows()).map(({ state, bytes }) => [state, bytes])).toEqual([
      ['KEPT', 3],
      ['KEPT', 4],
    ])
  })

  it('leave nothing on the disk of a process that was killed while they waited', async () => {
    const folder = join(platform.services.files.dataDir, 'files.spool')
    await mkdir(folder, { recursive: true })
    for (const name of ['old', 'young']) await writeFile(join(folder, name), 'x')
    await utimes(join(folder, 'old'), 0, 0)
    await sweepFiles.run(platform.services)
    expect(await spool()).toEqual(['young'])
  })
})

describe('a bucket at a private address', () => {
  it.each(['127.0.0.1', 'localhost'])('is not asked without OUTBOUND_ALLOW: %s', async (host) => {
    const errors: unknown[] = []
    const log = { error: (fields: { err: Error }) => void errors.push(fields.err.message) }
    const endpoint = `http://${host}:${s3.port}`
    const { dataDir } = platform.services.files
    const settings = { ...readConfig(s3.environment).bucket!, endpoint }
    const closed = new BucketBytes(settings, { dataDir, log: log as never, outbound: new Outbound([]) })
    const ids = [newId(), newId()] as const
    await expect(closed.has(...ids)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(errors).toEqual([refusedAddress().message])
    const open = new BucketBytes(settings, { dataDir, log: log as never, outbound: new Outbound(['127.0.0.1', '::1']) })
    expect(await open.has(...ids)).toBe(false)
  })
})

describe('the variables of a bucket', () => {
  const read = (env: Record<string, string>) => readConfig({ ...s3.environment, ...env }).bucket

  it('are those of AWS without an endpoint', () => {
    const { FILE_STORE_ENDPOINT: _endpoint, ...aws } = s3.environment
    expect(readConfig({ ...aws, FILE_STORE_REGION: 'eu-central-1' }).bucket).toMatchObject({
      endpoint: null,
      region: 'eu-central-1',
      isPathStyle: false,
    })
    expect([read({})?.isPathStyle, read({ FILE_STORE_PATH_STYLE: 'off' })?.isPathStyle]).toEqual([true, false])
    expect(readConfig({}).bucket).toBeNull()
  })

  it.each([
    [{ FILE_STORE: 'tape' }, 'FILE_STORE: "tape" must be one of disk, s3.'],
    [{ FILE_STORE_BUCKET: '' }, 'FILE_STORE: s3 needs FILE_STORE_BUCKET.'],
    [{ FILE_STORE_BUCKET: 'a/b' }, 'FILE_STORE_BUCKET: "a/b" must be the name of a bucket.'],
    [
      { FILE_STORE_ENDPOINT: 'http://user:secret@127.0.0.1' },
      'FILE_STORE_ENDPOINT must be a URL without a path and without credentials.',
    ],
    [
      { FILE_STORE_ENDPOINT: 'ftp://127.0.0.1' },
      'FILE_STORE_ENDPOINT must be a URL that starts with http:// or https://.',
    ],
  ])('are refused in one line: %j', (env, message) => {
    expect(() => read(env)).toThrow(message)
  })
})
