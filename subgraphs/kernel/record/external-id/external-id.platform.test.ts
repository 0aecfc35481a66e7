import 'reflect-metadata'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../../test/fresh-database.ts'
import { definedTypes, recordTypes } from '../../../all.ts'
import { newId } from '../../ids.ts'
import { sharedExternalIds } from '../../operate/shared-external-ids.ts'
import { recordColumns, uniqueExternalIdIndex, uniqueExternalIds } from '../record-table.ts'

let fresh: FreshDatabase
const organizationId = newId()

beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

type Row = readonly [id: string, externalId: string | null, options?: { object?: string; isDeleted?: boolean }]

async function insert(rows: readonly Row[]): Promise<void> {
  for (const [index, [id, externalId, { object = 'visit', isDeleted = false } = {}]] of rows.entries())
    await fresh.database.query(
      `insert into public.thing (organization_id, id, object, external_id, custom_fields, version, created_at, updated_at, deleted_at)
       values ($1, $2, $3, $4, '{}', 1, now() + $5 * interval '1 second', now(), case when $6 then now() end)`,
      [organizationId, id, object, externalId, index, isDeleted],
    )
}

const set = (id: string, change: string) =>
  fresh.database.query(`update public.thing set ${change} where id = $1`, [id])

const sharing = async () => {
  const rows = await fresh.database.query<{ id: string }>(
    'select id from public.thing where shares_external_id order by id',
  )
  return rows.map(({ id }) => id)
}

const taken = expect.objectContaining({ code: '23505', constraint: `${uniqueExternalIdIndex}thing` }) as unknown

describe('unique external ids', () => {
  it.each(
    [...recordTypes, ...definedTypes]
      .filter(({ columns }) => columns.byName.get('externalId')?.isTrimmed)
      .map(({ object, storedIn, table }) => [object, storedIn ?? table] as const),
  )('have their index in the table of %s', async (_, table) => {
    const found = await fresh.database.query<{ definition: string }>(
      `select pg_get_indexdef(indexrelid) as definition from pg_index i join pg_class c on c.oid = i.indexrelid
       where indrelid = to_regclass($1) and indisunique and starts_with(c.relname, $2)`,
      [table, uniqueExternalIdIndex],
    )
    expect(found).toHaveLength(1)
  })
})

describe('records that shared an external id before it was unique', () => {
  const [first, second, third, other, deleted, none] = Array.from({ length: 6 }, () => newId())

  beforeEach(async () => {
    await fresh.database.query('drop table if exists public.thing')
    await fresh.database.query(`create table public.thing (${recordColumns}, object text not null)`)
    await insert([
      [first!, 'X'],
      [deleted!, 'X', { isDeleted: true }],
      [other!, 'X', { object: 'tour' }],
      [second!, 'X'],
      [none!, null],
      [newId(), ''],
      [newId(), ''],
      [newId(), 'x'],
      [third!, 'X'],
    ])
    // Several statements, as the migrator runs them.
    for (const statement of uniqueExternalIds(['public.thing'], 'object').split(/;\n/))
      await fresh.database.query(statement)
  })

  it('keep it, the oldest one in the index, and are listed to the operator', async () => {
    expect(await sharing()).toEqual([second, third])
    const one = { organizationId, type: 'public.thing visit', externalId: 'X', firstId: first }
    expect(await sharedExternalIds(fresh.database)).toEqual([
      { ...one, id: second },
      { ...one, id: third },
    ])
    await expect(insert([[newId(), 'X']])).rejects.toEqual(taken)
    await set(second!, `tags = '{a}'`)
    expect(await sharing()).toEqual([second, third])
  })

  it('lose it with a change or their deletion, and cannot get it back', async () => {
    await set(second!, `external_id = 'Y'`)
    await set(third!, 'deleted_at = now()')
    expect(await sharing()).toEqual([])
    await expect(set(second!, `external_id = 'X'`)).rejects.toEqual(taken)
    await expect(set(third!, 'deleted_at = null')).rejects.toEqual(taken)
    await expect(set(second!, `external_id = 'x'`)).rejects.toEqual(taken)
    await expect(insert([[newId(), 'Y']])).rejects.toEqual(taken)
  })

  it.each(['deleted_at = now()', `external_id = 'Z'`, 'external_id = null'])(
    'take the place of the one in the index, the oldest first: %s',
    async (change) => {
      await set(first!, change)
      expect(await sharing()).toEqual([third])
      await expect(insert([[newId(), 'X']])).rejects.toEqual(taken)
      await set(second!, change.replace('Z', 'V'))
      expect(await sharing()).toEqual([])
      await set(third!, change.replace('Z', 'W'))
      await insert([[newId(), 'X']])
    },
  )

  it('are passed over while another transaction has locked them', async () => {
    const locked = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    const locking = fresh.database.transaction(async (sql) => {
      await sql.query('select from public.thing where id = $1 for update', [second])
      locked.resolve()
      await done.promise
    })
    await locked.promise
    await set(first!, 'deleted_at = now()').finally(() => done.resolve())
    await locking
    expect(await sharing()).toEqual([second])
  })
})
