import { describe, expect, it } from 'vitest'
import { contact } from '../../../crm/contact/contact.record.ts'
import type { NamingField } from './naming.ts'
import { mergedValue, mergedValues } from './merged-values.ts'
import { movedValues } from './moved-values.ts'

describe('mergedValue', () => {
  it.each<[string, readonly unknown[], unknown]>([
    ['the first value', ['a', 'b'], 'a'],
    ['the first value that is not blank', ['', ' ', null, undefined, [], {}, 'b'], 'b'],
    ['null without any', [null, ''], null],
    ['0 and false, which are not blank', [0, 1], 0],
    ['all items of lists, each once', [['a', 'b'], [], ['b', 'c']], ['a', 'b', 'c']],
    ['the first of other lists', [[{ a: 1 }], [{ b: 1 }]], [{ a: 1 }]],
  ])('is %s', (_what, values, expected) => {
    expect(mergedValue(values)).toEqual(expected)
  })
})

describe('mergedValue of a field with bounds', () => {
  const custom = { retired: new Set(['old']) } as unknown as NonNullable<NamingField['column']['custom']>

  it('takes no value from others that can no longer be chosen', () => {
    expect(mergedValue([null, 'old', 'new'], { custom })).toBe('new')
    expect(mergedValue(['old', 'new'], { custom })).toBe('old')
    expect(
      mergedValue(
        [
          ['old', 'a'],
          ['old', 'b'],
        ],
        { custom },
      ),
    ).toEqual(['old', 'a', 'b'])
    expect(mergedValue([['a'], ['old', 'b']], { custom })).toEqual(['a', 'b'])
  })

  it('has as many items of lists as fit', () => {
    expect(mergedValue([['a'], ['b', 'c']], { maxItems: 2 })).toEqual(['a', 'b'])
    expect(mergedValue([['a', 'b'], ['c']], { maxItems: 1 })).toEqual(['a', 'b'])
    const tags = Array.from({ length: 150 }, (_, n) => `t${n}`)
    expect(mergedValue([tags.slice(0, 80), tags.slice(80)])).toEqual(tags.slice(0, 100))
  })
})

describe('mergedValues', () => {
  const blank = contact.columns.blank()
  const record = (values: object) => ({ ...blank, ...values })
  const merged = (records: readonly object[], chosen: object = {}) =>
    mergedValues(contact, {
      records: records.map(record),
      chosen: chosen as Readonly<Record<string, Readonly<Record<string, unknown>>>>,
      keepsTrue: ['emailOptOut'],
      ownReferences: ['reportsToId'],
    })

  it('are only those that differ from the record that stays', () => {
    expect(
      merged([
        { id: 'a', lastName: 'A', email: null },
        { id: 'b', lastName: 'B', email: 'b@b.example' },
      ]),
    ).toEqual({
      values: {},
      implied: { email: 'b@b.example' },
    })
  })

  it('never are what a record is itself: its id, version, times and authors', () => {
    const other = { id: 'b', version: 4, createdAt: 'x', createdById: 'u', updatedById: 'u', deletedAt: 'x' }
    expect(merged([{ id: 'a' }, other])).toEqual({ values: {}, implied: {} })
  })

  it('name none of the merged records', () => {
    const records = [
      { id: 'a', reportsToId: 'b' },
      { id: 'b', reportsToId: 'a' },
      { id: 'c', reportsToId: 'd' },
    ]
    expect(merged(records).implied).toEqual({ reportsToId: 'd' })
    expect(merged(records.slice(0, 2)).implied).toEqual({ reportsToId: null })
  })

  it('keep a flag that is true in one of them', () => {
    expect(merged([{ id: 'a' }, { id: 'b', emailOptOut: true, doNotCall: true }]).implied).toEqual({
      emailOptOut: true,
    })
  })

  it('take custom fields one by one', () => {
    const other = record({ id: 'b', customFields: { one: 2, two: 2, three: 2 } })
    const { values, implied } = merged([{ id: 'a', customFields: { one: 1, three: 1 } }, other], {
      'customFields.three': other,
    })
    expect([values, implied]).toEqual([{ customFields: { three: 2 } }, { customFields: { two: 2 } }])
  })
})

describe('movedValues', () => {
  const winners = new Map([['gone', 'stays']])
  const column = (name: string) => ({ name }) as NamingField['column']
  const plain = (name: string, more: object = {}): NamingField => ({
    column: column(name),
    part: null,
    kind: null,
    index: null,
    ...more,
  })

  it('are those of fields that name a merged record', () => {
    const fields = [plain('accountId'), plain('otherId'), plain('ids')]
    expect(movedValues({ accountId: 'gone', otherId: 'x', ids: ['gone', 'x', 'stays'] }, fields, winners)).toEqual({
      accountId: 'stays',
      ids: ['stays', 'x'],
    })
  })

  it('depend on the type that another column tells', () => {
    const fields = [plain('relatedToId', { kind: { name: 'relatedToType', value: 'ACCOUNT' } })]
    expect(movedValues({ relatedToType: 'ACCOUNT', relatedToId: 'gone' }, fields, winners)).toEqual({
      relatedToId: 'stays',
    })
    expect(movedValues({ relatedToType: 'LEAD', relatedToId: 'gone' }, fields, winners)).toEqual({})
  })

  it('name a record once in a list, as the entry that named it before did', () => {
    const fields = [plain('roles', { part: column('id'), kind: { name: 'type', value: 'CONTACT' } })]
    const entry = (id: string, more: object = {}) => ({ type: 'CONTACT', id, ...more })
    const roles = [entry('gone', { role: 1 }), { type: 'LEAD', id: 'gone' }, entry('stays', { role: 2 })]
    expect(movedValues({ roles }, fields, winners)).toEqual({
      roles: [{ type: 'LEAD', id: 'gone' }, entry('stays', { role: 2 })],
    })
    expect(movedValues({ roles: [entry('gone', { role: 1 })] }, fields, winners)).toEqual({
      roles: [entry('stays', { role: 1 })],
    })
  })

  it('are parts of custom fields and of objects', () => {
    const lookup = {
      column: { name: 'customFields.partner', key: 'partner' },
      part: null,
      kind: null,
      index: null,
    } as NamingField
    const part = plain('filters', { part: column('accountIds') })
    const record = { customFields: { partner: 'gone', other: 1 }, filters: { accountIds: ['gone'], stages: [] } }
    expect(movedValues(record, [lookup, part], winners)).toEqual({
      customFields: { partner: 'stays' },
      filters: { accountIds: ['stays'], stages: [] },
    })
  })
})
