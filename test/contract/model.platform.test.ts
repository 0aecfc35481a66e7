import 'reflect-metadata'
import { MikroORM } from '@mikro-orm/postgresql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subgraphs } from '../../subgraphs/all.ts'
import { columnsOf } from '../../subgraphs/kernel/record/column.ts'
import type { RecordShape } from '../../subgraphs/kernel/record/definition.ts'
import { caseComment } from '../../subgraphs/support/case/case.record.ts'
import { freshDatabase, type FreshDatabase } from '../fresh-database.ts'

const records: readonly RecordShape[] = [
  ...subgraphs.flatMap(({ resources }) => resources.flatMap(({ entities = {} }) => Object.values(entities))),
  caseComment,
  // The columns of a view are all nullable.
].filter(({ entity, storedIn }) => columnsOf(entity).length > 0 && !storedIn)

/** A column, as described by the model or by the database. */
interface ColumnFacts {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
}

const byName = (a: ColumnFacts, b: ColumnFacts): number => (a.name < b.name ? -1 : 1)
const inWords: Readonly<Record<string, string>> = { 'timestamp(3) with time zone': 'timestamptz(3)' }

/** Leases belong to the worker that executes a record, not to the record. */
const leaseColumns = ['lease_token', 'leased_until']

let fresh: FreshDatabase
let orm: MikroORM

beforeAll(async () => {
  fresh = await freshDatabase()
  orm = await MikroORM.init({ clientUrl: fresh.url, entities: records.map(({ entity }) => entity as never) })
})
afterAll(async () => {
  await orm.close()
  await fresh.drop()
})

describe('the model', () => {
  it.each(records.map((record) => [record.table, record] as const))(
    'of %s has the columns of the migrated table',
    async (table, { entity }) => {
      const stored = await fresh.database.query<ColumnFacts>(
        `select attname as name, format_type(atttypid, atttypmod) as type, not attnotnull as nullable
       from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> all ($2)`,
        [table, leaseColumns],
      )
      const modelled = Object.values(orm.getMetadata().get(entity as never).properties).map(
        ({ fieldNames, columnTypes, nullable }): ColumnFacts => ({
          name: fieldNames[0]!,
          type: columnTypes[0]!,
          nullable: nullable ?? false,
        }),
      )
      expect(stored.map((column) => ({ ...column, type: inWords[column.type] ?? column.type })).sort(byName)).toEqual(
        modelled.sort(byName),
      )
    },
  )
})
