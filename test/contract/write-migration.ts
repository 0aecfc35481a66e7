import 'reflect-metadata'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrations } from '../../subgraphs/all.ts'
import { readConfig } from '../../subgraphs/kernel/config/config.ts'
import { openServices } from '../../subgraphs/kernel/services.ts'
import { migrationText } from './migration-text.ts'
import { openModel } from './model-columns.ts'

// `npm run migration -- <name>`: prints the migration that today's classes need, on a database with all migrations.

const [name] = process.argv.slice(2)
if (!name || !/^[a-z][a-z0-9-]*$/.test(name)) {
  process.stderr.write('Usage: npm run migration -- <name>, such as task-region.\n')
  process.exit(2)
}
const dataDir = await mkdtemp(join(tmpdir(), 'crm-migration-'))
const services = await openServices({ config: readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' }), migrations })
const orm = await openModel(services.databaseUrl)
try {
  const text = await migrationText(services.database, orm, name, new Date())
  process.stdout.write(text ?? 'The tables are as the classes declare them.\n')
} finally {
  await orm.close()
  await services.close()
  await rm(dataDir, { recursive: true, force: true })
}
