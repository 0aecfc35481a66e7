import { describe, expect, it } from 'vitest'
import { account } from '../crm/account/account.record.ts'
import { contact } from '../crm/contact/contact.record.ts'
import { opportunity } from '../crm/opportunity/opportunity.record.ts'
import type { Row } from '../kernel/database/sql.ts'
import type { RecordDefinition, StoredRow } from '../kernel/record/definition.ts'
import { save } from '../kernel/record/save.ts'
import { systemContext } from '../kernel/request.ts'
import { supportCase } from '../support/case/case.record.ts'
import { useLoadedDemo } from './demo.fixture.ts'

const loaded = useLoadedDemo()

interface EventData {
  readonly record: Row
}

/** Fields whose values differ for each write. */
const fieldsOfEachWrite = ['id', 'organizationId', 'version', 'createdAt', 'updatedAt', 'createdById', 'updatedById']
const columnsOfEachWrite = ['id', 'created_at', 'updated_at', 'created_by_id', 'updated_by_id']

const without = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))

const comparable = (data: EventData, numbers: readonly string[]) => ({
  ...without(data as unknown as Row, ['id', 'actorId']),
  record: without(data.record, [...fieldsOfEachWrite, ...numbers]),
})

interface Sample<T extends StoredRow> {
  readonly definition: RecordDefinition<T>
  /** SQL condition on the records to compare. */
  readonly where: string
  /** SQL of the time at which the record is saved. */
  readonly at?: string
  /** Columns with the number of the record. */
  readonly numbers?: Readonly<Record<string, string>>
}

const sample = <T extends StoredRow>(given: Sample<T>) => given

const samples = [
  sample({ definition: account, where: 'parent_account_id is not null' }),
  sample({ definition: opportunity, where: 'forecast_category_overridden', at: 'stage_entered_at' }),
  sample({ definition: opportunity, where: 'loss_reason is not null', at: 'stage_entered_at' }),
  sample({ definition: contact, where: 'consent is not null', at: 'updated_at' }),
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

async function expectSaved({ definition, where, at = 'created_at', numbers = {} }: Sample<StoredRow>): Promise<void> {
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
    return { row: row!, event: event! }
  }
  const found = await database.query<{ id: string; at: string }>(
    `select id, ${at} as at from ${table} where organization_id = $1 and ${where} order by id limit 3`,
    [organizationId],
  )
  expect(found).toHaveLength(3)
  for (const { id, at: savedAt } of found) {
    const ctx = systemContext({ ...services, clock: { now: () => new Date(savedAt) } }, organizationId)
    const generated = await written(id)
    const values = without(generated.event.data.record, [...fieldsOfEachWrite, ...Object.keys(numbers)])
    const saved = await written((await save(ctx, definition, { operation: 'CREATE', previous: null, values })).id)
    const columns = [...columnsOfEachWrite, ...Object.values(numbers)]
    expect(without(saved.row, columns)).toEqual(without(generated.row, columns))
    expect({ ...saved.event, data: comparable(saved.event.data, Object.keys(numbers)) }).toEqual({
      ...generated.event,
      data: comparable(generated.event.data, Object.keys(numbers)),
    })
    expect(Object.keys(saved.event.data.record)).toEqual(Object.keys(generated.event.data.record))
  }
}
