import 'reflect-metadata'
import { describe, expect, it } from 'vitest'
import { subgraphs } from '../../all.ts'
import { account } from '../../crm/account/account.record.ts'
import { product } from '../../commerce/product/product.record.ts'
import { supportCase } from '../../support/case/case.record.ts'
import type { FieldRestrictions } from '../context.ts'
import { fieldRules, isHidden, objectOfType, redact, restrictableTo } from './field-security.ts'

const record = {
  id: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  name: 'Northwind',
  phone: '1',
  tags: ['vip'],
  customFields: { margin: 3, tier: 'gold' },
}
const seenWith = (fields: FieldRestrictions | null) => redact({ fields }, account, record)

describe('a record that was not read for the caller', () => {
  it('is itself when nothing of its kind is withheld', () => {
    const others: FieldRestrictions[] = [{}, { case: { description: 'HIDDEN' } }, { account: { phone: 'READ' } }]
    for (const fields of others) expect(seenWith(fields)).toEqual(record)
    expect(seenWith(null)).toBe(record)
  })

  it('is as if nobody had filled what is hidden', () => {
    const fields = { account: { phone: 'HIDDEN', tags: 'HIDDEN', 'customFields.margin': 'HIDDEN' } } as const
    expect(seenWith(fields)).toEqual({ ...record, phone: null, tags: [], customFields: { tier: 'gold' } })
    expect(seenWith({ account: { customFields: 'HIDDEN' } })).toEqual({ ...record, customFields: {} })
    expect(record.phone).toBe('1')
  })
})

describe('rules', () => {
  it('are read once for each profile', () => {
    const fields = { account: { phone: 'READ' } } as const
    expect(fieldRules({ fields }, account)).toBe(fieldRules({ fields }, account))
  })

  it('hide what is derived from what is hidden', () => {
    const fields = { case: { description: 'HIDDEN' } } as const
    expect(isHidden({ fields }, supportCase, 'aiSummary')).toBe(true)
    expect(isHidden({ fields }, supportCase, 'subject')).toBe(false)
  })

  it('never hide what cannot be empty, and leave alone what a record is', () => {
    const fields = { account: { name: 'HIDDEN', id: 'HIDDEN', deletedAt: 'HIDDEN', toString: 'HIDDEN' } } as const
    const rules = fieldRules({ fields }, account)!
    expect([[...rules.hidden], [...rules.fixed]]).toEqual([[], ['name']])
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
  ] as const)('restrict $object %#: %s to %s', (definition, name, most) => {
    expect(restrictableTo(definition.columns.byName.get(name)!)).toBe(most)
  })
})

describe('the kind of a record', () => {
  it('is the name of its GraphQL type, so that whoever has only the graph finds it', () => {
    const entities = subgraphs.flatMap(({ resources }) =>
      resources.flatMap((one) => Object.entries(one.entities ?? {})),
    )
    expect(entities.filter(([type, { object }]) => objectOfType(type) !== object)).toEqual([])
    expect(objectOfType('CaseComment')).toBe('case_comment')
  })
})
