import { describe, expect, it } from 'vitest'
import { account } from '../crm/account/account.record.ts'
import { activity } from '../crm/activity/activity.record.ts'
import { lead } from '../crm/lead/lead.record.ts'
import { task } from '../crm/task/task.record.ts'
import { order } from '../commerce/order/order.record.ts'
import { quote } from '../commerce/quote/quote.record.ts'
import { contact } from '../crm/contact/contact.record.ts'
import { opportunity } from '../crm/opportunity/opportunity.record.ts'
import type { Row } from '../kernel/database/sql.ts'
import { columnOf, hasColumn, type RecordDefinition, type StoredRow } from '../kernel/record/definition.ts'
import { recordsOf } from '../kernel/record/records-of.ts'
import { save } from '../kernel/record/save.ts'
import { systemContext } from '../kernel/request.ts'
import '../all.ts'
import { supportCase } from '../support/case/case.record.ts'
import { customField } from '../extensions/custom-field/custom-field.record.ts'
import { siteVisit } from './definitions.ts'
import { useLoadedDemo } from './demo.fixture.ts'

const loaded = useLoadedDemo()

interface EventData {
  readonly record: Row
}

/** Fields whose values differ for each write. */
const fieldsOfEachWrite = [
  'id',
  'organizationId',
  'version',
  'createdAt',
  'updatedAt',
  'createdById',
  'updatedById',
  'documentUrl',
]
const columnsOfEachWrite = ['id', 'created_at', 'updated_at', 'created_by_id', 'updated_by_id', 'document_url']

const without = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

const comparable = (data: EventData, besides: readonly string[]) => ({
  ...without(data as unknown as Row, ['id', 'actorId']),
  record: without(data.record, [...fieldsOfEachWrite, ...besides]),
})

interface Sample<T extends StoredRow> {
  readonly definition: RecordDefinition<T>
  /** SQL condition on the records to compare. */
  readonly where: string
  /** SQL of the time at which the record is saved. */
  readonly at?: string
  /** Fields that follow from others unless they are given. */
  readonly derived?: readonly string[]
  /** Fields that a new record cannot have, for example its history. */
  readonly besides?: readonly string[]
  /** Names are unique, so the saved record has another one. */
  readonly hasOtherName?: true
}

const sample = <T extends StoredRow>(given: Sample<T>) => given

const samples = [
  // Before the tasks and activities, which change the dates of contacts.
  sample({ definition: contact, where: 'consent is not null', at: 'updated_at' }),
  sample({ definition: account, where: 'parent_account_id is not null' }),
  sample({
    definition: opportunity,
    where: 'forecast_category_overridden and exchange_rate = 1',
    besides: ['stageHistory', 'originalCloseDate', 'closeDatePushCount'],
  }),
  sample({
    definition: opportunity,
    where: 'jsonb_array_length(stage_history) = 1',
    besides: ['stageHistory', 'originalCloseDate', 'closeDatePushCount'],
  }),
  sample({
    definition: lead,
    where: `status = 'CONTACTED' and not rating_overridden`,
    derived: ['rating'],
  }),
  sample({ definition: activity, where: 'duration_seconds is not null and not is_planned' }),
  sample({ definition: activity, where: 'is_planned' }),
  sample({ definition: activity, where: `related_to_type = 'CONTACT'` }),
  sample({ definition: task, where: 'version = 1 and reminder_at is null' }),
  sample({
    definition: task,
    where: 'is_overdue and reminder_at is null',
  }),
  sample({
    definition: task,
    where: `status = 'COMPLETED' and reminder_at is null`,
  }),
  sample({ definition: quote, where: `status = 'ACCEPTED' and revision = 1`, besides: ['quoteNumber', 'number'] }),
  sample({ definition: quote, where: 'version = 1', besides: ['quoteNumber', 'number'] }),
  sample({ definition: order, where: `status = 'FULFILLED'`, besides: ['orderNumber', 'number', 'quoteId'] }),
  sample({ definition: account, where: `custom_fields ? 'renewalMonth'` }),
  sample({
    definition: customField,
    where: `name = any('{contractNumber,renewalMonth,openAmount}')`,
    hasOtherName: true,
  }),
  sample({ definition: siteVisit, where: 'version = 1' }),
  sample({ definition: siteVisit, where: 'version = 2' }),
]

describe('the demo', () => {
  it.each(samples)('has the rows and events of $definition.object that save writes', async (given) => {
    await expectSaved(given as unknown as Sample<StoredRow>)
  })

  it('continues the numbers of the records', async () => {
    const { services, demo } = loaded()
    const ctx = systemContext(services, demo.organizations[1]!.id)
    const fresh = { subject: 'One more', status: 'NEW', priority: 'LOW' } as const
    const next = await save(ctx, supportCase, { operation: 'CREATE', previous: null, values: fresh })
    expect(next.caseNumber).toBe(61)
  })
})

async function expectSaved(given: Sample<StoredRow>): Promise<void> {
  const { definition, where, at = 'created_at', derived = [], hasOtherName = false } = given
  const besides = [...(given.besides ?? []), ...(hasOtherName ? ['name'] : [])]
  const { services, demo } = loaded()
  const { database } = services
  const organizationId = demo.organizations[0]!.id
  const { table } = definition
  const written = async (recordId: string) => {
    const [row] = await database.query(`select * from ${table} where id = $1`, [recordId])
    const [event] = await database.query<{ type: string; version: number; object: string; data: EventData }>(
      'select type, version, object, data from kernel.event where record_id = $1 order by occurred_at, id limit 1',
      [recordId],
    )
    const indexed = await database.query(
      `select to_jsonb(v) - '{record_id,created_at}'::text[] as value from kernel.record_value v where record_id = $1 order by field`,
      [recordId],
    )
    return { row: row!, event: event!, indexed }
  }
  const found = await database.query<{ id: string; at: string }>(
    `select id, ${at} as at from ${table} where organization_id = $1 and ${where} order by id limit 3`,
    [organizationId],
  )
  expect(found).toHaveLength(3)
  const numbered = definition.numbered || hasOtherName ? ['search_text'] : []
  const columns = [...besides.map((name) => columnOf(definition, name).column), ...numbered]
  for (const { id, at: savedAt } of found) {
    const ctx = systemContext({ ...services, clock: { now: () => new Date(savedAt) } }, organizationId)
    const generated = await written(id)
    const values = without(generated.event.data.record, [...fieldsOfEachWrite, ...derived, ...besides])
    const other = hasOtherName ? { name: `other_${String(generated.row['name'])}` } : {}
    // Its external id is that of one record only.
    if (hasColumn(definition, 'externalId'))
      await database.query(`update ${table} set external_id = null where id = $1`, [id])
    const { id: savedId } = await recordsOf(definition).create(ctx, { ...values, ...other })
    const saved = await written(savedId)
    // The row of a record with a history is as its last event says.
    if (generated.row['version'] === 1) {
      expect(without(saved.row, [...columnsOfEachWrite, ...columns])).toEqual(
        without(generated.row, [...columnsOfEachWrite, ...columns]),
      )
      expect(saved.indexed).toEqual(generated.indexed)
    }
    expect({ ...saved.event, data: comparable(saved.event.data, besides) }).toEqual({
      ...generated.event,
      data: comparable(generated.event.data, besides),
    })
    expect(Object.keys(saved.event.data.record)).toEqual(Object.keys(generated.event.data.record))
  }
}
