import { randomBytes } from 'node:crypto'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pino } from 'pino'
import { startGateway, type RunningGateway } from '../../start-gateway.ts'
import { migrations } from '../../subgraphs/all.ts'
import { createApiKey, createOrganizationWithOwner } from '../../subgraphs/identity/public.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { backUp } from '../../subgraphs/kernel/database/backup.ts'
import { keepFile } from '../../subgraphs/kernel/file/file-store.ts'
import { openServices, type OpenServices } from '../../subgraphs/kernel/services.ts'
import { operate } from '../processes.ts'

const log = pino({ level: 'silent' })

interface Running {
  readonly services: OpenServices
  readonly gateway: RunningGateway
  close(): Promise<void>
}

/** The platform on the embedded database of a data folder. */
async function running(dataDir: string): Promise<Running> {
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, DEMO: 'off', IP_LIMITS: 'off' })
  const services = await openServices({ config, migrations, log })
  const gateway = await startGateway(config, services)
  return {
    services,
    gateway,
    async close() {
      await gateway.close()
      await services.close()
    },
  }
}

let parent: string
let original: Running
let headers: Record<string, string>
let organizationId: string
const place = (name: string): string => join(parent, name)

beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'crm-backup-'))
  original = await running(place('data'))
  const { services } = original
  const owner = { email: 'ann@example.com', name: 'Ann Lee', password: 'Correct horse 7!' }
  const { organization } = await createOrganizationWithOwner(services, { name: 'Acme' }, owner)
  const [user] = await services.database.query<{ id: string }>('select id from identity.app_user')
  const { secret } = await createApiKey(services, organization.id, {
    ownerId: user!.id,
    name: 'test',
    scopes: ['*'],
    rateLimit: { limit: 1_000_000, window: 'HOUR' },
  })
  organizationId = organization.id
  headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' }
})

afterAll(async () => {
  await original?.close()
  await rm(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
})

/** Creates an account; its secret answer is stored for the idempotency key. */
const created = async ({ gateway }: Running, name: string): Promise<unknown> =>
  (
    await fetch(`${gateway.url}/v1/accounts`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': name },
      body: JSON.stringify({ name }),
    })
  ).json()

/** The names of the accounts that a search finds. */
async function found({ gateway }: Running, search: string): Promise<string[]> {
  const answer = await fetch(`${gateway.url}/v1/accounts?search=${search}`, { headers })
  return ((await answer.json()) as { data: { name: string }[] }).data.map(({ name }) => name)
}

/** Creates accounts until it is told to stop; returns the number created. */
function writing(platform: Running): { stop(): Promise<number> } {
  const stopping = new AbortController()
  const writes = async (): Promise<number> => {
    let count = 0
    for (; !stopping.signal.aborted; count++) await created(platform, `Later ${count}`)
    return count
  }
  const written = writes()
  return {
    stop() {
      stopping.abort()
      return written
    },
  }
}

/** Adds a document with this text, and returns its id. */
async function documentOf({ gateway }: Running, content: string): Promise<string> {
  const body = JSON.stringify({ name: 'Terms.txt', content: Buffer.from(content).toString('base64') })
  const answer = await fetch(`${gateway.url}/v1/documents`, { method: 'POST', headers, body })
  return ((await answer.json()) as { id: string }).id
}

/** Attaches a file with these bytes to an account, and returns its id. */
async function fileOf({ gateway }: Running, relatedToId: string, content: Buffer): Promise<string> {
  const body = JSON.stringify({ name: 'Plan.bin', relatedToType: 'ACCOUNT', relatedToId })
  const answer = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body })
  const { id } = (await answer.json()) as { id: string }
  const sent = { method: 'PUT', headers: { ...headers, 'Content-Type': 'application/octet-stream' }, body: content }
  expect((await fetch(`${gateway.url}/v1/files/${id}/content`, sent as never)).status).toBe(200)
  return id
}

const bytesOf = async ({ gateway }: Running, id: string): Promise<Buffer> => {
  const answer = await fetch(`${gateway.url}/v1/files/${id}/content`, { headers })
  return Buffer.from(await answer.arrayBuffer())
}

const contentOf = async ({ gateway }: Running, id: string): Promise<string> =>
  (await fetch(`${gateway.url}/v1/documents/${id}/content`, { headers })).text()

async function* oneChunk(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content)
}

describe('backup and restore of the embedded database', () => {
  it('copy a running platform that is being written to; the copy answers the same, secrets included', async () => {
    const answers = [await created(original, 'Alpha'), await created(original, 'Beta')]
    const { files, database } = original.services
    const written = await files.write(oneChunk('a file'), { organizationId, bytesMax: 100 })
    await keepFile(database, organizationId, written.id)
    const documentId = await documentOf(original, 'Pay in 30 days.')
    const plan = randomBytes(3_000_000)
    const fileId = await fileOf(original, (answers[0] as { id: string }).id, plan)
    const background = writing(original)
    const output = await operate(['backup', place('copy')], { DATA_DIR: place('data') })
    expect(output).toMatch(
      /^\S+\/copy contains the database of \S+\/data, its keys and files \(release [\d.]+, PostgreSQL 18\)\.$/,
    )
    expect(await background.stop()).toBeGreaterThan(0)

    const restored = await operate(['restore', place('copy')], { DATA_DIR: place('restored') })
    expect(restored).toMatch(/^\S+\/restored contains the backup of \S+Z \(release [\d.]+\)\. Start [^\n]+$/)
    const copy = await running(place('restored'))
    try {
      expect([await found(copy, 'Alpha'), await found(copy, 'Beta')]).toEqual([['Alpha'], ['Beta']])
      // The stored answers are sealed with the keys of the backup.
      expect([await created(copy, 'Alpha'), await created(copy, 'Beta')]).toEqual(answers)
      expect(await text(await copy.services.files.read(organizationId, written.id))).toBe('a file')
      expect(await contentOf(copy, documentId)).toBe('Pay in 30 days.')
      expect((await bytesOf(copy, fileId)).equals(plan)).toBe(true)
      await created(copy, 'Gamma')
      expect(await found(copy, 'Gamma')).toEqual(['Gamma'])
    } finally {
      await copy.close()
    }
    expect(await found(original, 'Gamma')).toEqual([])
  })

  it('refuse to overwrite a backup, a database or keys, and change nothing', async () => {
    await writeFile(place('file'), 'kept')
    const refusals = [
      [['backup', place('file')], 'data', /file already exists: name a new folder\.$/],
      [['backup', place('none')], 'nowhere', /nowhere contains no embedded database\.$/],
      [['restore', place('copy')], 'data', /^DATA_DIR: another process \(pid \d+\) already uses the data folder /],
      [
        ['restore', place('copy')],
        'restored',
        /^DATA_DIR: \S+ exists\. Restore into a new folder, or move it away first\.$/,
      ],
      [['restore', parent], 'other', /must be a folder that `backup` has written/],
    ] as const
    for (const [args, dataDir, line] of refusals) {
      const failure = await operate([...args], { DATA_DIR: place(dataDir) }).catch((error: unknown) => error)
      expect((failure as { stderr: string }).stderr.trim()).toMatch(line)
    }
    expect((await readdir(parent)).sort()).toEqual(['copy', 'data', 'file', 'restored'])
  })

  it('refuse a backup of another major version of PostgreSQL, before anything is written', async () => {
    const note = { release: '0.9.0', postgresql: '17', createdAt: '2026-01-01T00:00:00.000Z' }
    const folder = await mkdtemp(join(parent, 'old-'))
    await writeFile(join(folder, 'backup.json'), JSON.stringify(note))
    await expect(operate(['restore', folder], { DATA_DIR: place('older') })).rejects.toMatchObject({
      stderr: expect.stringMatching(
        / is of PostgreSQL 17, and this release runs PostgreSQL 18\. See "Upgrading" in gateway\/pages\/guides\/backups-and-upgrades\.md\.\n$/,
      ) as string,
    })
    expect(await readdir(parent)).not.toContain('older')
  })

  it('leave nothing of a damaged backup', async () => {
    const damaged = place('damaged')
    await cp(place('copy'), damaged, { recursive: true })
    await rm(join(damaged, 'postgres', 'pg_wal'), { recursive: true })
    const failure = operate(['restore', damaged], { DATA_DIR: place('again') })
    await expect(failure).rejects.toMatchObject({
      stderr: expect.stringMatching(/^DATA_DIR: PostgreSQL cannot start /) as string,
    })
    expect(await operate(['restore', place('copy')], { DATA_DIR: place('again') })).toMatch(/ contains the backup of /)
  })

  it('are refused with DATABASE_URL', async () => {
    const failure = operate(['backup', place('unused')], { DATABASE_URL: original.services.databaseUrl })
    await expect(failure).rejects.toMatchObject({
      stderr: expect.stringMatching(/^DATABASE_URL: this command is /) as string,
    })
  })

  it('work while no platform runs, and start no migration', async () => {
    const note = await backUp({ dataDir: place('restored'), target: place('second'), log })
    expect(note.postgresql).toBe('18')
    expect((await readdir(place('second'))).sort()).toEqual(['backup.json', 'files', 'keys', 'postgres'])
  })
})
