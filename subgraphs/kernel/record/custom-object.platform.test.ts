import 'reflect-metadata'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fingerprintOf } from '../../../test/requests/fingerprint.ts'
import { newId } from '../ids.ts'
import { requestContext, type RequestContext } from '../request.ts'
import { columnsOf, tableColumn, type Column } from './column.ts'
import { Columns } from './columns.ts'
import { customField } from './custom-field-column.ts'
import { CustomFieldsFixture } from './custom-fields.fixture.ts'
import type { RecordDefinition } from './definition.ts'
import { average, count, countBy, sum } from './aggregates.ts'
import { readDeleted, readPage, type PageArgs } from './list.ts'
import { OrgRecord } from './org-record.ts'
import { readOne } from './read.ts'
import { recordColumns } from './record-table.ts'
import { recordsOf } from './records-of.ts'
import { figures } from './stats.ts'

/** A record of a custom object; the fields that the organization defined are keys of `customFields`. */
class CustomRecord extends OrgRecord {}

const objectName = tableColumn('objectName', String, { internal: true })

/** The definition of a custom object. All custom objects share one table. */
const customObject = (object: string, fields: readonly Column[]): RecordDefinition<CustomRecord> => ({
  entity: CustomRecord as abstract new () => CustomRecord,
  columns: new Columns([...columnsOf(OrgRecord), objectName], fields),
  object,
  table: 'public.custom_record',
  objectColumn: 'objectName',
  visibleBy: ['ownerId'],
  searchable: ['customFields.serial'],
  events: {
    types: Object.fromEntries(
      (['CREATE', 'UPDATE', 'DELETE', 'RESTORE'] as const).map((operation, index) => [
        `${object}.${['created', 'updated', 'deleted', 'restored'][index]!}`,
        { operation, description: '' },
      ]),
    ),
    sample: {},
  },
})

const machine = customObject('custom_object.machine', [
  customField({ name: 'serial', kind: 'text', max: 20, searchable: true }),
  customField({ name: 'power', kind: 'money', minimum: 0 }),
  customField({ name: 'builtOn', kind: 'date' }),
])
const ship = customObject('custom_object.ship', [customField({ name: 'serial', kind: 'money' })])
const machines = recordsOf(machine)

const fixture = new CustomFieldsFixture({ hasOwnEvents: true })
const organizationId = newId()
let ctx: RequestContext

/** A context with the table owner's connection, without row-level security: only the SQL conditions separate organizations and objects. */
function contextOf(id: string, ownerIds: readonly string[] | null = null): RequestContext {
  const { caller } = fixture.context(id, { ownerIds, userId: ownerIds?.[0] ?? newId() })
  return requestContext({ caller, requestId: 'request', idempotency: null }, fixture.services, {
    db: fixture.fresh.database,
  })
}

beforeAll(async () => {
  await fixture.open()
  await fixture.fresh.database.query(`create table public.custom_record (${recordColumns}, object_name text not null)`)
  // These tests read as the owner of the tables, without the setting of a tenant.
  await fixture.fresh.database.query('create view tenant.public_custom_record as select * from public.custom_record')
  ctx = contextOf(organizationId)
  const of = (serial: unknown, power?: number, builtOn?: string) => ({
    customFields: { serial, ...(power !== undefined && { power }), ...(builtOn && { builtOn }) },
  })
  for (const values of [of('m-1', 5, '2020-05-01'), of('m-2', 7.5), of('m-3')]) await machines.create(ctx, values)
  await recordsOf(ship).create(ctx, of(1))
  await machines.create(contextOf(newId()), of('m-9', 100))
})
afterAll(() => fixture.close())

const asked = { page: new Set(['nextCursor']), record: new Set(['customFields']), total: true }

async function serials(args: PageArgs, context = ctx, of = machine) {
  const { data, total, nextCursor } = await readPage(context, of, args, asked)
  return { found: data.map(({ customFields }) => (customFields as { serial: unknown }).serial), total, nextCursor }
}

const bySerial = [{ field: 'customFields.serial', direction: 'ASC' }]

describe('records of a custom object in a shared table', () => {
  it('are listed with their total, without those of other objects and organizations', async () => {
    expect(await serials({ orderBy: bySerial })).toEqual({ found: ['m-1', 'm-2', 'm-3'], total: 3, nextCursor: null })
    expect(await serials({}, ctx, ship)).toEqual({ found: [1], total: 1, nextCursor: null })
  })

  it('are filtered, searched and ordered over pages', async () => {
    expect((await serials({ filter: { customFields: { power: { gte: 5, lt: 7.5 } } } })).found).toEqual(['m-1'])
    expect(
      (await serials({ filter: { not: { customFields: { builtOn: { isNull: false } } } }, orderBy: bySerial })).found,
    ).toEqual(['m-2', 'm-3'])
    expect((await serials({ search: 'M-3' })).found).toEqual(['m-3'])
    const orderBy = [{ field: 'customFields.power', direction: 'DESC' }]
    const first = await serials({ orderBy, limit: 2 })
    expect(first.found).toEqual(['m-2', 'm-1'])
    expect((await serials({ orderBy, limit: 2, cursor: first.nextCursor })).found).toEqual(['m-3'])
  })

  it('can be aggregated', async () => {
    const aggregates = {
      total: count<CustomRecord>(),
      strong: count<CustomRecord>({ 'customFields.power': { gt: 5 } }),
      power: sum<CustomRecord>('customFields.power'),
      averagePower: average<CustomRecord>('customFields.power', 2),
    }
    expect(await figures(ctx, machine, aggregates)).toEqual({ total: 3, strong: 1, power: 12.5, averagePower: 6.25 })
    expect(await figures(ctx, machine, { serials: countBy<CustomRecord>('customFields.serial') })).toEqual({
      serials: { 'm-1': 1, 'm-2': 1, 'm-3': 1 },
    })
  })

  it('are created, changed, deleted and restored, each with its event', async () => {
    const own = contextOf(newId())
    const { id, version } = await machines.create(own, { customFields: { serial: 'm-4', power: 1 } })
    expect(version).toBe(1)
    await machines.update(own, id, { customFields: { power: 2 } }, 1)
    await machines.remove(own, id)
    expect(await readOne(own, machine, id)).toBeNull()
    expect((await readDeleted(own, machine, {}, asked.record)).map((row) => row.customFields)).toEqual([
      { serial: 'm-4', power: 2 },
    ])
    expect((await machines.restore(own, id)).version).toBe(4)
    const events = await fixture.fresh.database.query<{
      type: string
      object: string
      changed: unknown
      names: string[]
    }>(
      `select type, object, data -> 'changedFields' as changed, array(select jsonb_object_keys(data -> 'record') order by 1) as names
       from kernel.event where record_id = $1 order by id`,
      [id],
    )
    expect(events.map(({ type, object, changed }) => [type, object, changed])).toEqual([
      ['custom_object.machine.created', 'custom_object.machine', null],
      ['custom_object.machine.updated', 'custom_object.machine', ['customFields', 'customFields.power']],
      ['custom_object.machine.deleted', 'custom_object.machine', null],
      ['custom_object.machine.restored', 'custom_object.machine', null],
    ])
    expect(events[0]!.names).toEqual(
      columnsOf(OrgRecord)
        .map(({ name }) => name)
        .sort(),
    )
  })

  it('are found and changed only as records of their own object; other attempts change nothing', async () => {
    const own = contextOf(newId())
    const { id } = await machines.create(own, { customFields: { serial: 'm-5' } })
    const before = await fingerprintOf(<R>(text: string) => fixture.fresh.database.query<R>(text))
    expect(await readOne(own, ship, id)).toBeNull()
    await expect(recordsOf(ship).update(own, id, { externalId: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(machines.update(ctx, id, { externalId: 'x' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(machines.update(own, id, { customFields: { power: -1 } })).rejects.toMatchObject({
      extensions: { errors: [{ path: 'customFields.power', code: 'OUT_OF_RANGE' }] },
    })
    await expect(machines.update(own, id, { externalId: 'x' }, 7)).rejects.toMatchObject({ code: 'VERSION_CONFLICT' })
    expect(await fingerprintOf(<R>(text: string) => fixture.fresh.database.query<R>(text))).toBe(before)
  })

  it('are visible to their owners only', async () => {
    const id = newId()
    const [ann, ben] = [contextOf(id, [newId()]), contextOf(id, [newId()])]
    await machines.create(ann, { customFields: { serial: 'of-ann' } })
    expect((await serials({}, ann)).found).toEqual(['of-ann'])
    expect((await serials({}, ben)).found).toEqual([])
  })
})
