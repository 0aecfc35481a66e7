import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { newId } from '../ids.ts'
import { manualClock, servicesOf } from '../jobs/jobs.fixture.ts'
import type { Services } from '../request.ts'
import { FileStore, keepFile, releaseFile } from './file-store.ts'
import { sweepFiles } from './sweep-files.ts'

let fresh: FreshDatabase
let dataDir: string
let organizationId: string
const start = '2031-03-01T12:00:00.000Z'
const clock = manualClock(start)

beforeAll(async () => {
  fresh = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'crm-files-'))
})
afterAll(async () => {
  await fresh.drop()
  await rm(dataDir, { recursive: true, force: true })
})
beforeEach(() => {
  organizationId = newId()
  clock.set(start)
})

const tenants = { of: () => fresh.database }
const store = (bytesMax: number | null = null) => new FileStore({ dataDir, tenants, clock, bytesMax })
async function* chunks(...parts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield Buffer.from(part)
}
const written = (text: string, bytesMax = 100) => store().write(chunks(text), { organizationId, bytesMax })
const names = (): Promise<string[]> => readdir(join(dataDir, 'files', organizationId)).catch(() => [])
const rows = () =>
  fresh.database.query<{ id: string; state: string; bytes: string }>(
    'select id, state, bytes::text from kernel.file where organization_id = $1 order by id',
    [organizationId],
  )
const sweep = (): Promise<void> => {
  const services: Services = { ...servicesOf(fresh.database, clock), files: store() }
  return sweepFiles.run(services)
}
const after = (ms: number): void => clock.set(new Date(Date.parse(start) + ms).toISOString())
const hourMs = 3_600_000

describe('a file', () => {
  it('is written in parts, read whole and in ranges, and has its hash', async () => {
    const { id, bytes, sha256 } = await store().write(chunks('one ', 'two ', 'three'), { organizationId, bytesMax: 13 })
    expect([bytes, sha256]).toEqual([13, '6899ee404683a14e8c2a03149860df25d67d34d9cd4dae7350cbe91e4b3976be'])
    expect(String(await buffer(await store().read(organizationId, id)))).toBe('one two three')
    expect(String(await buffer(await store().read(organizationId, id, { start: 4, end: 6 })))).toBe('two')
    expect((await stat(join(dataDir, 'files', organizationId, id))).mode & 0o777).toBe(0o600)
    expect(await rows()).toEqual([{ id, state: 'WRITTEN', bytes: '13' }])
  })

  it('may be empty', async () => {
    const { id, bytes } = await written('')
    expect([bytes, (await buffer(await store().read(organizationId, id))).length]).toEqual([0, 0])
  })

  it.each(['../x', 'a/b', '..', ''])('is never named by the text %j', async (text) => {
    await expect(store().read(organizationId, text)).rejects.toThrow('The name of a file must be an id.')
    await expect(store().read(text, newId())).rejects.toThrow('The name of a file must be an id.')
  })

  it('that is too large, or whose sender leaves, is refused and leaves nothing', async () => {
    const announced = store().write(chunks('x'), { organizationId, bytesMax: 3, announced: 4 })
    await expect(announced).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    await expect(written('four', 3)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    async function* leaving(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('beginning')
      throw new Error('aborted')
    }
    await expect(store().write(leaving(), { organizationId, bytesMax: 100 })).rejects.toThrow('aborted')
    expect([await rows(), await names()]).toEqual([[], []])
  })

  it('is refused beyond the budget of the organization, however many arrive at the same time', async () => {
    const limited = store(10)
    const all = await Promise.allSettled(
      ['aaaa', 'bbbb', 'cccc', 'dddd'].map((text) =>
        limited.write(chunks(text), { organizationId, bytesMax: 100, announced: 4 }),
      ),
    )
    const refused = all
      .filter((one) => one.status === 'rejected')
      .map(({ reason }) => (reason as { code: string }).code)
    expect(refused).toEqual(['STORAGE_LIMIT_EXCEEDED', 'STORAGE_LIMIT_EXCEEDED'])
    expect([(await rows()).length, (await names()).length]).toEqual([2, 2])
    const other = await limited.write(chunks('eeee'), { organizationId: newId(), bytesMax: 100, announced: 4 })
    expect(other.bytes).toBe(4)
  })
})

describe('files.sweep', () => {
  it('deletes what no owner took, after two hours and a day, and keeps the others', async () => {
    const kept = await written('kept')
    await keepFile(fresh.database, organizationId, kept.id)
    const lost = await written('lost')
    after(2 * hourMs + 1)
    await sweep()
    expect((await rows()).map(({ id, state }) => [id, state])).toEqual([
      [kept.id, 'KEPT'],
      [lost.id, 'RELEASED'],
    ])
    await expect(keepFile(fresh.database, organizationId, lost.id)).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
    after(24 * hourMs + 1)
    await sweep()
    expect([await rows(), await names()]).toEqual([[{ id: kept.id, state: 'KEPT', bytes: '4' }], [kept.id]])
  })

  it('keeps a released file for a day, for a backup that has begun', async () => {
    const { id } = await written('gone')
    await keepFile(fresh.database, organizationId, id)
    await releaseFile(fresh.database, organizationId, id, clock.now())
    after(24 * hourMs)
    await sweep()
    expect(await names()).toEqual([id])
    after(24 * hourMs + 1)
    await sweep()
    expect([await rows(), await names()]).toEqual([[], []])
  })

  // What a process killed at each line of write, discard and the job leaves: the state of the row, and the names on the disk.
  it.each([
    ['WRITING', []],
    ['WRITING', ['.partial']],
    ['WRITING', ['']],
    ['WRITTEN', ['']],
    ['WRITTEN', []],
    ['RELEASED', ['']],
    ['RELEASED', []],
    [null, ['']],
    [null, ['.partial']],
  ] as const)('ends the row %s with the files %j', async (state, suffixes) => {
    const id = newId()
    await mkdir(join(dataDir, 'files', organizationId), { recursive: true })
    for (const suffix of suffixes) await writeFile(join(dataDir, 'files', organizationId, `${id}${suffix}`), 'x')
    if (state)
      await fresh.database.query(
        'insert into kernel.file (organization_id, id, state, bytes, created_at, released_at) values ($1, $2, $3, 1, $4, $4)',
        [organizationId, id, state, start],
      )
    after(26 * hourMs + 1)
    await sweep()
    expect([await rows(), await names()]).toEqual([[], []])
  })

  it('leaves other names in the folder alone', async () => {
    await mkdir(join(dataDir, 'files', organizationId), { recursive: true })
    await writeFile(join(dataDir, 'files', organizationId, 'readme'), 'x')
    await sweep()
    expect(await names()).toEqual(['readme'])
  })
})
