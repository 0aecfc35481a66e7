import 'reflect-metadata'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { account } from '../../crm/account/account.record.ts'
import { charactersKept } from '../database/statement-names.ts'
import { newId } from '../ids.ts'
import { CustomFieldsFixture, pageOf } from './custom-fields.fixture.ts'
import { recordsOf } from './records-of.ts'

const fixture = new CustomFieldsFixture()

beforeAll(() => fixture.open())
afterAll(() => fixture.close())

it('keeps no text of a statement with the time of its operation among those that all organizations share', async () => {
  const organizationId = newId()
  const formula = { expression: 'TODAY()', returnType: 'DATE', blankAs: 'ZERO' } as const
  fixture.definitions.define(organizationId, { account: [{ name: 'today', kind: 'date', formula }] })
  const read = async (day: string) => {
    fixture.clock.set(`${day}T09:00:00.000Z`)
    const ctx = fixture.context(organizationId)
    const filter = { customFields: { today: { gte: '2027-03-01' } } }
    const orderBy = [{ customField: 'today', direction: 'ASC' }]
    const { total, data } = await pageOf(ctx, account, { filter, orderBy })
    return [total, data.map(({ customFields }) => customFields)]
  }
  await recordsOf(account).create(fixture.context(organizationId), { name: 'Northwind' })
  await read('2027-03-01')
  const before = charactersKept()
  for (const day of ['2027-03-01', '2027-03-02', '2027-03-02']) expect(await read(day)).toEqual([1, [{ today: day }]])
  expect(await read('2027-02-28')).toEqual([0, []])
  expect(charactersKept()).toBe(before)
})
