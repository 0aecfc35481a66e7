import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { buildSchema, isInputObjectType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { schemaPath } from '../config/paths.ts'
import { columnKinds, type ColumnKind } from './column-kind.ts'
import { customField, customFieldKey } from './custom-field-column.ts'

describe('a custom field', () => {
  it('is a column named customFields.<key>', () => {
    const column = customField({ name: 'margin', kind: 'money', minimum: 0 })
    expect(column).toMatchObject({
      name: 'customFields.margin',
      column: 'custom_fields',
      key: 'margin',
      kind: 'money',
      nullable: true,
      minimum: 0,
      derivedFrom: ['customFields'],
    })
    expect(customFieldKey(column.name)).toBe('margin')
    expect(column.sql('t')).toBe(
      `(case when jsonb_typeof(t.custom_fields -> 'margin') = 'number' then (t.custom_fields -> 'margin')::numeric end)`,
    )
  })

  it.each(['', '1st', 'a b', "a'b", 'a"b', 'a\\b', '__proto__', 'a'.repeat(65), 'naïve', 'a\n'])(
    'refuses the name %j',
    (name) => {
      expect(() => customField({ name, kind: 'text' })).toThrow('cannot be the name of a custom field')
    },
  )
})

describe('the filter operators of a column kind', () => {
  const schema = buildSchema(
    readFileSync(schemaPath('subgraphs/crm.graphql'), 'utf8').replace(/^extend schema[\s\S]*?\n\)\n/, ''),
    { assumeValid: true, assumeValidSDL: true },
  )
  const filters: Partial<Record<ColumnKind, string>> = {
    id: 'IdFilter',
    text: 'StringFilter',
    enum: 'AccountTypeFilter',
    integer: 'IntFilter',
    number: 'FloatFilter',
    money: 'DecimalFilter',
    boolean: 'BooleanFilter',
    timestamp: 'DateTimeFilter',
    textList: 'StringListFilter',
  }

  it.each(Object.entries(filters) as [ColumnKind, string][])(
    '%s are the fields of %s in the GraphQL schema',
    (kind, name) => {
      const type = schema.getType(name)
      const inSchema = isInputObjectType(type) ? Object.keys(type.getFields()) : []
      expect([...columnKinds[kind].operators].sort()).toEqual(inSchema.sort())
    },
  )
})
