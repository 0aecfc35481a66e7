import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subgraphs } from '../../all.ts'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { columnsWithoutIndex, storedIndexes } from '../../../test/contract/model-columns.ts'
import { projectRoot } from '../config/paths.ts'
import { tenantRole } from '../database/tenant-role.ts'
import { newId } from '../ids.ts'
import { textMax } from './check-values.ts'
import { comparedEmailSql } from './email-equality.ts'
import { isRecordShape, type RecordShape } from './definition.ts'
import { operatorSql } from './operators.ts'
import { Values } from './predicate.ts'
import { readSource } from './read-source.ts'

/** A B-tree refuses longer entries: 2,704 bytes, with 40 for the other columns and 4 for each character. */
const indexedTextMax = 650

const indexed: readonly RecordShape[] = subgraphs
  .flatMap(({ resources }) => resources.flatMap(({ entities = {} }) => Object.values(entities)))
  .filter(isRecordShape)
  .filter(({ columns }) => columns.shown.some((column) => column.indexed))

const graph = readFileSync(join(projectRoot, 'schema/supergraph.graphql'), 'utf8')
const withDeletedList = new Set([...graph.matchAll(/ListDeleted\([^)]*\): \[(\w+)!\]!/g)].map(([, type]) => type))

/** The record types with a list of deleted records. Of custom fields and objects an organization has too few for an index. */
const deletable = subgraphs
  .flatMap(({ resources }) => resources.flatMap(({ rest }) => (rest ? [rest.definition] : [])))
  .filter(
    ({ entity, object }) =>
      withDeletedList.has((entity as { readonly name: string }).name) && !/^custom_(?:field|object)$/.test(object),
  )

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

/** The plan of a condition for the role of the application, where the table only has the indexes of this definition. Changes nothing. */
async function planOf(
  definition: RecordShape,
  condition: string,
  kept = 'custom_fields',
  live = 't.deleted_at is null and ',
): Promise<string> {
  let plan = ''
  const undo = new Error('undo')
  const explained = fresh.database.transaction(async (sql) => {
    await sql.query(`alter table ${definition.table} drop constraint ${definition.object}_pkey cascade`)
    const others = await sql.query<{ name: string }>(
      `select indexrelid::regclass as name from pg_index
       where indrelid = $1::regclass and position($2 in pg_get_indexdef(indexrelid)) = 0
         and not exists (select from pg_constraint where conindid = indexrelid)`,
      [definition.table, kept],
    )
    for (const { name } of others) await sql.query(`drop index ${name}`)
    await sql.query(`set local role ${tenantRole}`)
    await sql.query('set local enable_seqscan = off')
    const rows = await sql.query<{ 'QUERY PLAN': string }>(
      `explain select t.id from ${readSource(definition)} t where t.organization_id = '${newId()}' and ${live}${condition}`,
    )
    plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    throw undo
  })
  await expect(explained).rejects.toBe(undo)
  return plan
}

describe('the indexes of record tables', () => {
  it('exist for several record types', () => {
    expect(indexed.map(({ object }) => object)).toEqual(expect.arrayContaining(['account', 'case', 'product']))
  })

  it.each(indexed)('of $object are those that its columns declare', async (definition) => {
    const found = await storedIndexes(fresh.database, definition.storedIn ?? definition.table)
    expect(columnsWithoutIndex(definition, found)).toEqual([])
  })

  const addresses = indexed.flatMap((definition) =>
    definition.columns.shown
      .filter(({ indexed, isEmail }) => indexed && isEmail)
      .map((column) => ({ definition, column, name: `${definition.object}.${column.name}` })),
  )
  it('exist for email addresses', () => {
    expect(addresses.map(({ name }) => name)).toEqual(['contact.email', 'lead.email', 'mailbox.email'])
  })

  it.each(addresses)(
    'answer equality with $name in the form in which it is compared',
    async ({ definition, column }) => {
      const compared = column.isCanonical ? column.column : comparedEmailSql(column.column)
      const index = `organization_id, ${compared}, created_at, id`
      expect(await storedIndexes(fresh.database, definition.table)).toContain(index)
      const [server] = await fresh.database.query<{ number: number }>(
        `select current_setting('server_version_num')::int as number`,
      )
      const lists = [
        ['in', ['ann']],
        ['in', ['ann', 'bob']],
      ] as const
      // Before PostgreSQL 17, a list is a condition of the index only where the table has enough rows for it to be cheaper.
      for (const [operator, operand] of [['eq', 'ann'] as const, ...(server!.number < 170000 ? [] : lists)]) {
        const values = new Values()
        const condition = operatorSql(column, column.sql('t'), operator, operand, values)
        const stated = condition.replaceAll('$1', typeof values.list[0] === 'string' ? "'ann'" : "'{ann,bob}'")
        const [, conditions] = /Index Cond: (.*)/.exec(await planOf(definition, stated, index)) ?? []
        expect(conditions).toContain(`organization_id = `)
        expect(conditions).toContain(`AND (${compared} = `)
      }
    },
  )

  it.each(indexed.filter(({ columns }) => columns.shown.some(({ indexedByDay }) => indexedByDay)))(
    'of $object are those by day that its columns declare',
    async ({ table, storedIn = table, columns }) => {
      const day = `date_bin('1 day'::interval, created_at, '2000-01-01 00:00:00+00'::timestamp with time zone)`
      const declared = columns.shown.filter(({ indexedByDay }) => indexedByDay)
      const found = (await storedIndexes(fresh.database, storedIn)).filter((one) => one.includes(day))
      expect(found).toEqual(declared.map(({ column }) => `organization_id, ${day}, ${column}, created_at, id`))
    },
  )

  it.each(indexed.filter(({ privateUnless }) => privateUnless))(
    'of $object, which are private, have what decides who sees a record',
    async ({ object }) => {
      const [index] = await fresh.database.query<{ definition: string }>(
        'select pg_get_indexdef(indexrelid) as definition from pg_stat_user_indexes where indexrelname = $1',
        [`${object}_created`],
      )
      expect(index!.definition).toContain('(organization_id, created_at, id) INCLUDE (owner_id, is_shared)')
    },
  )

  it('of deleted records are asked of every type with such a list', () => {
    expect(deletable).toHaveLength(withDeletedList.size - 2)
  })

  it.each(deletable)('of $object answer which records were deleted after a time', async (definition) => {
    const [ofObject, kept] = definition.table.endsWith('.custom_record')
      ? [`t.object = 'site_visit' and `, 'organization_id, object, deleted_at, id']
      : ['', 'organization_id, deleted_at, id']
    const time = '2027-03-01T09:00:00Z'
    const ordered = `${ofObject}t.deleted_at is not null and t.deleted_at > '${time}' order by t.deleted_at desc, t.id desc limit 100`
    const plan = await planOf(definition, ordered, kept, '')
    const [, conditions] = /Index Cond: (.*)/.exec(plan) ?? []
    expect(conditions).toContain(`AND (deleted_at > '`)
    expect(plan).toMatch(/Index (?:Only )?Scan Backward/)
    expect(plan).not.toContain('Sort')
  })

  it.each(indexed)('of $object take every value that its columns may have', ({ columns }) => {
    const tooLong = columns.shown.filter(
      ({ indexed, kind, max = textMax }) => indexed && kind === 'text' && max > indexedTextMax,
    )
    expect(tooLong.map(({ name }) => name)).toEqual([])
  })

  it.each(indexed.filter(({ hasSearchText, storedIn }) => hasSearchText && !storedIn))(
    'of $object answer text, tags and custom fields for the role of the application',
    async (definition) => {
      for (const [column, condition] of [
        ['search_text', `t.search_text like '%north%'`],
        ['tags', `t.tags @> array['a']`],
        ['custom_fields', `t.custom_fields @> '{"seats": 5}'`],
      ] as const) {
        const [, conditions] = /Index Cond: (.*)/.exec(await planOf(definition, condition)) ?? []
        expect(conditions).toContain('organization_id = ')
        expect(conditions).toContain(`AND (${column} `)
      }
    },
  )

  it.each(indexed.filter(({ object }) => object === 'sequence_enrollment'))(
    'of $object, which has no search text, answer custom fields for the role of the application',
    async (definition) => {
      const plan = await planOf(definition, `t.custom_fields @> '{"seats": 5}'`)
      const [, conditions] = /Index Cond: (.*)/.exec(plan) ?? []
      expect(conditions).toContain('organization_id = ')
      expect(conditions).toContain('AND (custom_fields ')
    },
  )
})
