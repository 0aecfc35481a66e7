import 'reflect-metadata'
import { expect, it } from 'vitest'
import { account } from '../../crm/account/account.record.ts'
import { customField } from './custom-field-column.ts'
import { changedCustomFields, customFieldProblemsOf } from './custom-fields.ts'
import type { RecordShape } from './definition.ts'

it('reads own values only, so that a field with the name of what every object has is blank without a value', () => {
  const fields = [
    customField({ name: 'toString', kind: 'text', isRequired: true }),
    customField({ name: 'valueOf', kind: 'enum', members: ['A'], dependsOn: { field: 'toString', values: {} } }),
  ]
  const shape: RecordShape = { ...account, columns: account.columns.withCustomFields(fields) }
  expect(customFieldProblemsOf(shape, { customFields: {} }, null)).toMatchObject([
    { path: 'customFields.toString', code: 'REQUIRED' },
  ])
  expect(changedCustomFields(shape.columns, {}, { toString: 'x' })).toEqual(['customFields.toString'])
})
