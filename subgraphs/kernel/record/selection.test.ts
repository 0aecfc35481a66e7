import { expect, it } from 'vitest'
import { account } from '../../crm/account/account.record.ts'
import { Columns } from './columns.ts'
import { customField } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import { selectList, withFields } from './selection.ts'

it('returns the same set for the same columns, from a cache of limited size', () => {
  const selected = new Set(['id', 'name'])
  const first = withFields(selected, ['createdAt', 'id'])
  expect(first).toEqual(new Set(['id', 'name', 'createdAt']))
  expect(withFields(selected, ['createdAt', 'id'])).toBe(first)
  for (let order = 0; order < 2000; order++) withFields(selected, [`column${order}`])
  expect(withFields(selected, ['createdAt', 'id'])).not.toBe(first)
})

it('returns the given set when all fields are already selected', () => {
  const selected = new Set(['id', 'createdAt'])
  expect(withFields(selected, ['createdAt', 'id'])).toBe(selected)
})

it('keeps the text of formulas once for all documents of an organization', () => {
  let built = 0
  const counted = customField({ name: 'sum', kind: 'money' })
  const sql = (alias: string): string => `(${alias}.annual_revenue + ${++built})`
  const columns = account.columns.withCustomFields([{ ...counted, formula: null, sql }])
  const shape: RecordShape = { ...account, columns }
  for (let document = 0; document < 3; document++)
    for (const selected of [new Set(['id', 'customFields']), new Set(['name', 'customFields'])])
      expect(selectList(shape, selected, 't', null)).toContain('(t.annual_revenue + 1)')
  expect(selectList(shape, new Set(['id', 'customFields']), 'r', null)).toContain('(r.annual_revenue + 2)')
  expect(built).toBe(2)
})

it('shares lists of table columns among organizations, and keeps none with custom fields of one of them', () => {
  let built = 0
  const stored = account.columns.stored.map((column) =>
    column.name === 'name' ? { ...column, sql: (alias: string) => (built++, column.sql(alias)) } : column,
  )
  const columns = new Columns(stored)
  const computed = () => columns.withCustomFields([{ ...customField({ name: 'sum', kind: 'money' }), formula: null }])
  const lists = (selected: ReadonlySet<string>) =>
    [computed(), computed(), columns].map((one) => selectList({ ...account, columns: one }, selected, 't', null))
  expect(new Set(lists(new Set(['id', 'name']))).size).toBe(1)
  expect(built).toBe(1)
  const selected = new Set(['name', 'customFields'])
  expect([lists(selected), lists(selected)].flat()).toHaveLength(6)
  // Twice for each organization with formulas, and once for all others.
  expect(built).toBe(1 + 4 + 1)
})
