import 'reflect-metadata'
import { describe, expect, it } from 'vitest'
import { subgraphs } from '../../all.ts'
import { account } from '../../crm/account/account.record.ts'
import { product } from '../../commerce/product/product.record.ts'
import { supportCase } from '../../support/case/case.record.ts'
import type { FieldRestrictions } from '../context.ts'
import { DefinedShapes } from './organization-shapes.ts'
import { fieldRules, isHidden, objectOfType, redact, strictestLevel } from './field-security.ts'

const record = {
  id: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  name: 'Northwind',
  phone: '1',
  tags: ['vip'],
  customFields: { margin: 3, tier: 'gold' },
}
const redactedFor = (fields: FieldRestrictions | null) => redact({ fields }, account, record)

describe('a record that was not read for the caller', () => {
  it('is the same object when nothing of its type is hidden', () => {
    const others: FieldRestrictions[] = [{}, { case: { description: 'HIDDEN' } }, { account: { phone: 'READ' } }]
    for (const fields of others) expect(redactedFor(fields)).toEqual(record)
    expect(redactedFor(null)).toBe(record)
  })

  it('has empty values for hidden fields', () => {
    const fields = { account: { phone: 'HIDDEN', tags: 'HIDDEN', 'customFields.margin': 'HIDDEN' } } as const
    expect(redactedFor(fields)).toEqual({ ...record, phone: null, tags: [], customFields: { tier: 'gold' } })
    expect(redactedFor({ account: { customFields: 'HIDDEN' } })).toEqual({ ...record, customFields: {} })
    expect(record.phone).toBe('1')
  })
})

describe('rules', () => {
  it('are computed once for each profile', () => {
    const fields = { account: { phone: 'READ' } } as const
    expect(fieldRules({ fields }, account)).toBe(fieldRules({ fields }, account))
  })

  it('hide formulas that read hidden fields, also through others, and what is stored of formulas that are not in use', () => {
    const formula = (name: string, expression: string) => ({
      name,
      kind: 'money' as const,
      formula: { expression, returnType: 'NUMBER', blankAs: 'ZERO' } as const,
    })
    const shapes = new DefinedShapes({
      version: 1,
      customFields: {
        account: [
          { name: 'margin', kind: 'money' },
          formula('twice', 'customFields.margin * 2'),
          formula('later', 'customFields.twice + annualRevenue'),
          formula('shown', 'LEN(name)'),
        ],
      },
      unusedFormulas: { account: ['old'] },
    })
    const shape = shapes.of(account)
    const rules = (hidden: string) => fieldRules({ fields: { account: { [hidden]: 'HIDDEN' } } }, shape)!
    expect([...rules('customFields.margin').hiddenKeys]).toEqual(['margin', 'twice', 'later', 'old'])
    expect([...rules('annualRevenue').readOnlyKeys]).toEqual(['later'])
    const values = { margin: 1, twice: 2, later: 3, shown: 9, old: 4 }
    const seen = redact({ fields: { account: { annualRevenue: 'HIDDEN' } } }, shape, {
      ...record,
      customFields: values,
    })
    expect(seen.customFields).toEqual({ margin: 1, twice: 2, shown: 9 })
  })

  it('hide columns that are derived from hidden columns', () => {
    const fields = { case: { description: 'HIDDEN' } } as const
    expect(isHidden({ fields }, supportCase, 'aiSummary')).toBe(true)
    expect(isHidden({ fields }, supportCase, 'subject')).toBe(false)
  })

  it('never hide a column that cannot be empty, and never restrict id, version and timestamps', () => {
    const fields = { account: { name: 'HIDDEN', id: 'HIDDEN', deletedAt: 'HIDDEN', toString: 'HIDDEN' } } as const
    const rules = fieldRules({ fields }, account)!
    expect([[...rules.hidden], [...rules.readOnly]]).toEqual([[], ['name']])
  })

  it.each([
    [account, 'name', 'READ'],
    [account, 'isStrategic', 'READ'],
    [account, 'ownerId', 'HIDDEN'],
    [account, 'techStack', 'HIDDEN'],
    [account, 'version', null],
    [product, 'sku', 'READ'],
    [product, 'costPrice', 'HIDDEN'],
    [supportCase, 'pausedAt', null],
  ] as const)('restrict $object %#: %s to %s', (definition, name, strictest) => {
    expect(strictestLevel(definition.columns.byName.get(name)!)).toBe(strictest)
  })
})

describe('the record type', () => {
  it('is derived from the name of the GraphQL type, so that code with only the GraphQL schema finds it', () => {
    const entities = subgraphs.flatMap(({ resources }) =>
      resources.flatMap((one) => Object.entries(one.entities ?? {})),
    )
    expect(entities.filter(([type, { object }]) => objectOfType(type) !== object)).toEqual([])
    expect(objectOfType('CaseComment')).toBe('case_comment')
  })
})
