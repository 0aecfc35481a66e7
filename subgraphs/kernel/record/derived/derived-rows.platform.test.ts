import 'reflect-metadata'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Account } from '../../../crm/account/account.ts'
import { account } from '../../../crm/account/account.record.ts'
import { newId } from '../../ids.ts'
import { systemContext, type RequestContext } from '../../request.ts'
import { changeAll } from '../change-all.ts'
import { CustomFieldsFixture } from '../custom-fields.fixture.ts'
import { insertRecords } from '../insert-records.ts'
import { DefinedShapes } from '../organization-shapes.ts'
import { recordsOf } from '../records-of.ts'
import type { Contributor } from './contributor.ts'
import type { RecordChange } from './derived-rows.ts'

const fixture = new CustomFieldsFixture()
const accounts = recordsOf(account)
let organizationId: string
let ctx: RequestContext
let seen: RecordChange[]

/** Writes one row for each record of a statement, in a table that the platform has: its version after the change. */
const versions: Contributor = ({ object }) =>
  object !== 'account'
    ? null
    : ({ values, isWritten }, changes) => {
        seen.push(...changes)
        const rows = changes.map(({ next }) => ({
          organization_id: organizationId,
          object: next['id'],
          value: next['version'],
        }))
        const given = `jsonb_populate_recordset(null::kernel.record_number, ${values.add(JSON.stringify(rows))}::jsonb)`
        return {
          versions: `insert into kernel.record_number select * from ${given} r where ${isWritten('r.object::uuid')}
            on conflict (organization_id, object) do update set value = excluded.value`,
        }
      }

beforeAll(() => fixture.open())
afterAll(() => fixture.close())
beforeEach(() => {
  organizationId = newId()
  seen = []
  const shapes = new DefinedShapes({ version: 1, customFields: {} }, [versions])
  ctx = { ...fixture.context(organizationId), shapes }
})

const derived = async (id: string): Promise<number | undefined> => {
  const [row] = await fixture.fresh.database.query<{ value: number }>(
    'select value from kernel.record_number where organization_id = $1 and object = $2',
    [organizationId, id],
  )
  return row?.value
}
const create = (name = 'Northwind') => accounts.create(ctx, { name })

describe('derivedStatements', () => {
  it('writes derived rows with each create, update, delete and restore', async () => {
    const { id } = await create()
    expect(await derived(id)).toBe(1)
    await accounts.update(ctx, id, { name: 'Southwind' })
    expect(await derived(id)).toBe(2)
    await accounts.remove(ctx, id)
    expect(await derived(id)).toBe(3)
    await accounts.restore(ctx, id)
    expect(await derived(id)).toBe(4)
    expect(seen.map(({ operation }) => operation)).toEqual(['CREATE', 'UPDATE', 'DELETE', 'RESTORE'])
  })

  it('passes the version that was replaced and the changed columns', async () => {
    const { id } = await create()
    await accounts.update(ctx, id, { name: 'Southwind' })
    const { previous, next, changed } = seen[1]!
    expect([previous!['name'], next['name']]).toEqual(['Northwind', 'Southwind'])
    expect(changed.map(({ name }) => name)).toContain('name')
    expect(changed.map(({ name }) => name)).not.toContain('industry')
  })

  it('writes no derived row for a change that is refused because the record has changed', async () => {
    const { id } = await create()
    await accounts.update(ctx, id, { name: 'Southwind' })
    await expect(accounts.update(ctx, id, { name: 'Westwind' }, 1)).rejects.toThrow(/changed by someone else/)
    expect(await derived(id)).toBe(2)
  })

  it('writes derived rows with bulk changes, and none for a refused item', async () => {
    const [one, other] = [await create('One'), await create('Other')]
    const { succeeded } = await accounts.bulkUpdate(ctx, [
      { id: one.id, name: 'First' } as never,
      { id: other.id, name: '' } as never,
    ])
    expect(succeeded).toBe(1)
    expect([await derived(one.id), await derived(other.id)]).toEqual([2, 1])
    await accounts.bulkRemove(ctx, [one.id])
    expect(await derived(one.id)).toBe(3)
  })

  it('writes derived rows for all records of a set-based change, and only for those that it changes', async () => {
    const ids: string[] = []
    for (let index = 0; index < 30; index++) ids.push((await create(`Account ${index}`)).id)
    const deleted = ids[7]!
    await accounts.remove(ctx, deleted)
    seen = []
    await changeAll(ctx, account, ids, ({ name }) => (name === 'Account 3' ? {} : { industry: 'Rail' }))
    expect(seen).toHaveLength(28)
    expect(await derived(ids[0]!)).toBe(2)
    expect(await derived(ids[3]!)).toBe(1)
    expect(await derived(ids[29]!)).toBe(2)
  })

  it('writes derived rows for generated records', async () => {
    const rows = Array.from({ length: 3 }, (_, index) => ({
      values: {
        id: newId(),
        organizationId,
        name: `Generated ${index}`,
        createdAt: '2027-01-01T00:00:00.000Z',
      } as Account,
      actorId: null,
      eventId: newId(),
    }))
    await insertRecords(fixture.fresh.database, ctx.shapes!.of(account), rows)
    for (const { values } of rows) expect(await derived(values.id)).toBe(1)
  })

  it('concerns changes of the platform, too', async () => {
    const system = { ...systemContext(fixture.services, organizationId), shapes: ctx.shapes }
    const { id } = await accounts.create(system, { name: 'Northwind' })
    expect(await derived(id)).toBe(1)
  })

  it('writes again with the latest definitions when they have been published meanwhile, also for the platform and for sets of records', async () => {
    const { id } = await create()
    await fixture.fresh.database.query('select kernel.publish_definitions($1)', [organizationId])
    const latest = {
      version: 1,
      shapes: ctx.shapes,
      bytes: 0,
      hasHooks: false,
      rulesFor: () => null,
      hooksFor: () => null,
    }
    const cachedExtensions = { reload: () => Promise.resolve(latest) }
    const outdated = {
      ...systemContext(fixture.services, organizationId),
      cachedExtensions,
      shapes: null,
    } as never as RequestContext
    seen = []
    await accounts.update(outdated, id, { name: 'Southwind' })
    expect([seen.length, await derived(id)]).toEqual([1, 2])
    await changeAll(outdated, account, [id], () => ({ name: 'Westwind' }))
    expect([seen.length, await derived(id)]).toEqual([2, 3])
  })
})
