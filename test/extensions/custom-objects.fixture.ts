import { expect } from 'vitest'
import type { Member } from '../platform.ts'

/** The body of a create of a custom object with three fields. */
export const anObject = (values: object = {}) => ({
  name: 'site_visit',
  label: 'Site visit',
  pluralLabel: 'Site visits',
  nameField: 'subject',
  fields: [
    { name: 'subject', label: 'Subject', fieldType: 'TEXT', isRequired: true },
    { name: 'hours', label: 'Hours', fieldType: 'NUMBER', precision: 1, minValue: 0 },
    {
      name: 'outcome',
      label: 'Outcome',
      fieldType: 'PICKLIST',
      picklistValues: [{ value: 'DONE' }, { value: 'OPEN' }],
    },
  ],
  ...values,
})

export interface Stored {
  readonly id: string
  readonly version: number
  readonly [name: string]: unknown
}

/** Creates a custom object and returns it. */
export async function object(by: Member, values: object = {}): Promise<Stored> {
  const { status, body } = await by.rest['customObjectCreate']!({ body: anObject(values) } as never)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as Stored
}

/** Creates a record of a custom object and returns it. */
export async function visit(by: Member, customFields: object, more: object = {}, name = 'site_visit'): Promise<Stored> {
  const { status, body } = await by.rest['customRecordCreate']!({ name, body: { customFields, ...more } } as never)
  expect(status, JSON.stringify(body)).toBe(201)
  return body as Stored
}
