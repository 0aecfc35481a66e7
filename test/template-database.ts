import 'reflect-metadata'
import { execFile } from 'node:child_process'
import { existsSync, statfsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { pino } from 'pino'
import { migrations } from '../subgraphs/all.ts'
import { Database } from '../subgraphs/kernel/database/database.ts'
import { startEmbeddedPostgres } from '../subgraphs/kernel/database/embedded.ts'
import { migrate } from '../subgraphs/kernel/database/migrate.ts'
import { projectRoot } from '../subgraphs/kernel/config/paths.ts'
import { databaseUrl } from './database-url.ts'
import { countWrites } from './requests/fingerprint.ts'

export interface Template {
  readonly templateUrl: string
  /** Kept as long as the server: the files of other templates (`templateOnce`). */
  readonly folder: string
  stop(): Promise<void>
}

/** Starts PostgreSQL with a migrated, empty database, and compiles the code for tests that start processes. */
export async function startTemplate(): Promise<Template> {
  const [template] = await Promise.all([startDatabase(), build()])
  return template
}

/** Some tests start processes from the compiled code. Its types are checked by the linters, which takes more than half of the time of a build. */
const build = () => promisify(execFile)('npm', ['run', '--silent', 'build', '--', '--noCheck'], { cwd: projectRoot })

const memoryFolder = '/dev/shm'
const bytesMin = 4_000_000_000

/** In memory if there is room: each test file copies a database of thousands of files, which takes half of the time there. */
function placeOfDatabase(): string {
  if (!existsSync(memoryFolder)) return tmpdir()
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize >= bytesMin ? memoryFolder : tmpdir()
}

async function startDatabase(): Promise<Template> {
  const dataDir = await mkdtemp(join(placeOfDatabase(), 'crm-test-'))
  const server = await startEmbeddedPostgres({
    dataDir,
    log: pino({ level: 'silent' }),
    durable: false,
    // Only a superuser can cancel an autovacuum, and a running one would block dropping the database.
    settings: { autovacuum: 'off' },
  })
  const templateUrl = await migratedTemplate(server.url)
  return {
    templateUrl,
    folder: join(dataDir, 'templates'),
    async stop() {
      await server.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** Creates a migrated, empty database on a server, and returns its URL. */
export async function migratedTemplate(url: string): Promise<string> {
  const admin = new Database({ url, connectionsMax: 1 })
  await admin.query('create database template_platform')
  await admin.close()
  const templateUrl = databaseUrl(url, 'template_platform')
  const template = new Database({ url: templateUrl, connectionsMax: 2 })
  await migrate(template, templateUrl, migrations)
  for (const statement of countWrites) await template.query(statement)
  await template.close()
  return templateUrl
}
