import 'reflect-metadata'
import type { MikroORM } from '@mikro-orm/postgresql'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../fresh-database.ts'
import { migrationText } from './migration-text.ts'
import { modelledColumns, modelledRecords, openModel, storedColumns } from './model-columns.ts'

let fresh: FreshDatabase
let orm: MikroORM

beforeAll(async () => {
  fresh = await freshDatabase()
  orm = await openModel(fresh.url)
})
afterAll(async () => {
  await orm.close()
  await fresh.drop()
})

/** Several statements, as the migrator runs them. */
async function run(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: fresh.url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

const sqlOf = (migration: string): string => /`\n([^`]*)`/.exec(migration)![1]!

describe('the model', () => {
  it.each(modelledRecords.map((record) => [record.table, record] as const))(
    'of %s has the columns of the migrated table',
    async (table, record) => {
      expect(await storedColumns(fresh.database, table)).toEqual(modelledColumns(orm, record))
    },
  )

  it('prints the migration that its classes need', async () => {
    const print = () => migrationText(fresh.database, orm, 'task-region', new Date('2026-11-29T12:00:00Z'))
    expect(await print()).toBeNull()

    await run(`
      drop view tenant.crm_task;
      alter table crm.task drop column reminder_at, alter column priority type varchar(9),
        alter column source drop not null, add column region text;
      drop index crm.task_by_status;`)
    const text = (await print())!
    expect(text).toContain(`export const taskRegion: Migration = {\n  name: '20261129-crm-task-region',\n  sql: `)
    await run(sqlOf(text))
    const task = modelledRecords.find(({ table }) => table === 'crm.task')
    const stored = await storedColumns(fresh.database, 'crm.task')
    // The rows that exist keep what no class declares.
    expect(stored.filter(({ name }) => name !== 'region')).toEqual(modelledColumns(orm, task!))
    expect(await print()).toContain('-- task declares no column region: alter table crm.task drop column region;')
    await fresh.database.query('alter table crm.task drop column region')
    expect(await print()).toBeNull()
  })

  it('prints the table of a new record type', async () => {
    const print = () => migrationText(fresh.database, orm, 'again', new Date())
    for (const table of ['support.case_comment', 'crm.task']) {
      await fresh.database.query(`drop table ${table} cascade`)
      await run(sqlOf((await print())!))
      expect(await print()).toBeNull()
    }
  })
})
