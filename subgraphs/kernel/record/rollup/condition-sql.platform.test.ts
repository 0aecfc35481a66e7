import 'reflect-metadata'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contact } from '../../../crm/contact/contact.record.ts'
import { isFullSweep } from '../../../../test/requests/sweep.ts'
import { newId } from '../../ids.ts'
import type { RequestContext } from '../../request.ts'
import { ConditionOperator } from '../../condition/condition.ts'
import { fieldsOfShape } from '../../condition/condition-fields.ts'
import { matcherOf } from '../../condition/compile-conditions.ts'
import { ConditionParser, type ParsedGroup } from '../../condition/parse-conditions.ts'
import type { CustomFieldDefinition } from '../custom-field-column.ts'
import { CustomFieldsFixture } from '../custom-fields.fixture.ts'
import { columnOf, type RecordShape } from '../definition.ts'
import { insertRecords } from '../insert-records.ts'
import { allColumnNames, readOne } from '../read.ts'
import { normalizeTimestamp } from '../scalars.ts'
import { shapeFor } from '../shape-source.ts'
import { conditionsIn, conditionsSql, hasSql, sqlOperators } from './condition-sql.ts'

const fixture = new CustomFieldsFixture()

const fields: readonly CustomFieldDefinition[] = [
  { name: 'nickname', kind: 'text' },
  { name: 'mail', kind: 'text', format: 'EMAIL' },
  { name: 'margin', kind: 'money' },
  { name: 'budget', kind: 'money' },
  { name: 'loyal', kind: 'boolean', default: true },
  { name: 'active', kind: 'boolean', default: false },
  { name: 'renewalAt', kind: 'timestamp' },
  { name: 'bornOn', kind: 'date' },
  { name: 'tier', kind: 'enum', members: ['HOT', 'COLD'] },
  { name: 'tags', kind: 'textList', members: ['A', 'b', 'C d'] },
]
const custom = fields.map(({ name }) => `customFields.${name}`)
const builtIn = [
  'lastName',
  'firstName',
  'email',
  'secondaryEmails',
  'status',
  'doNotCall',
  'accountId',
  'ownerId',
  'isPrimary',
  'leadSource',
  'mailingCity',
  'lastContactedAt',
]
const named = [...custom, ...builtIn, 'createdAt', 'version', 'consent']

const [one, other] = [newId(), newId()]
/** Values that a field may have, or may be compared with; null is none. */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  text: ['', 'Order', 'order', ' Order', "O'Neill", 'a\\b%_', 'Straße', 'ABC', '10', null],
  email: ['a@example.com', 'A@Example.com', ' a@example.com ', 'b@example.com', null],
  number: [0, -1, 1, 10, 10.5, 0.1, 1e15, JSON.rawJSON('0.10000000000000000001'), null],
  time: ['2027-01-01T00:00:00.000Z', '2027-01-01T10:00:00.000Z', '2026-12-31', '2027-01-01', '9999-12-31', null],
  boolean: [true, false, null],
  enum: ['HOT', 'COLD', null],
  id: [one, other, null],
}

/** The same sequence of choices in each run. */
let state = 7
const below = (limit: number): number => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return Math.floor((state / 2_147_483_648) * limit)
}
const anyOf = <T>(items: readonly T[]): T => items[below(items.length)]!

let ctx: RequestContext
let shape: RecordShape

function sampleOf(name: string): unknown {
  const { kind, isEmail, type } = columnOf(shape, name)
  const members = kind === 'enum' ? [...Object.keys(type), null] : null
  if (members) return anyOf(members)
  if (kind === 'textList') return anyOf(isEmail ? samples['email']! : ['A', 'b', 'C d', null])
  if (kind === 'text') return anyOf(samples[isEmail ? 'email' : 'text']!)
  if (kind === 'timestamp' || kind === 'date') return anyOf(samples['time']!)
  if (kind === 'json') return null
  return anyOf(samples[kind === 'boolean' || kind === 'id' ? kind : 'number']!)
}

function aCondition(): object {
  const field = anyOf(named)
  const operator = anyOf(sqlOperators)
  const base = { field, operator }
  if (operator === 'IS_EMPTY' || operator === 'IS_NOT_EMPTY') return base
  if (below(6) === 0) return { ...base, valueType: 'FIELD', value: anyOf(named) }
  const several = operator === 'IN' || operator === 'NOT_IN' ? 3 : operator === 'BETWEEN' ? 2 : 0
  const values = Array.from({ length: several }, () => sampleOf(field) ?? 1)
  return { ...base, value: several > 0 ? values : sampleOf(field) }
}

/** Conditions as clients could send them; null for those that are refused. */
function someConditions(): ParsedGroup | null {
  const parser = new ConditionParser(fieldsOfShape(shape, null))
  const conditions: object[] = Array.from({ length: 1 + below(3) }, aCondition)
  if (below(4) === 0) conditions.push({ logic: anyOf(['AND', 'OR']), conditions: [aCondition(), aCondition()] })
  const group = parser.parse({ conditions, logic: anyOf(['AND', 'OR', null]) }, 'conditions')
  return group && parser.problems.length === 0 && conditionsIn(group).every(hasSql) ? group : null
}

beforeAll(async () => {
  await fixture.open()
  const organizationId = newId()
  fixture.definitions.define(organizationId, { contact: fields })
  ctx = fixture.context(organizationId)
  shape = shapeFor(ctx, contact)
})
afterAll(() => fixture.close())

const columnSql = (name: string) => {
  const column = columnOf(shape, name)
  return { column, sql: column.sql('t') }
}

const count = isFullSweep ? 40_000 : 3_000

describe('conditionsSql', { timeout: 600_000 }, () => {
  it(`holds for the records for which the same conditions hold in JavaScript, for ${count} random ones on fields of each kind`, async () => {
    const given = (name: string): unknown => {
      const { kind, nullable, isEmail = false } = columnOf(shape, name)
      const value = sampleOf(name)
      if (kind === 'textList') return [value, sampleOf(name)].filter((item) => item !== null)
      if (kind === 'date') return typeof value === 'string' ? value.slice(0, 10) : value
      if (kind === 'timestamp') return typeof value === 'string' ? normalizeTimestamp(value) : value
      return value ?? (nullable || isEmail ? null : kind === 'boolean' ? false : (columnOf(shape, name).default ?? 'X'))
    }
    const { organizationId } = ctx.caller
    const records = Array.from({ length: 80 }, () => {
      const customFields = Object.fromEntries(
        fields.map(({ name }) => [name, given(`customFields.${name}`)] as const).filter(([, value]) => value !== null),
      )
      const values = Object.fromEntries(builtIn.map((name) => [name, given(name)]))
      const createdAt = normalizeTimestamp((sampleOf('createdAt') ?? '2027-01-01') as string)!
      return {
        values: { ...values, id: newId(), organizationId, createdAt, customFields },
        actorId: null,
        eventId: newId(),
      }
    })
    await insertRecords(fixture.fresh.database, shapeFor(ctx, contact), records as never)
    const ids = records.map(({ values }) => values.id)
    const read = await Promise.all(ids.map((id) => readOne(ctx, shape, id, allColumnNames(shape))))

    const groups: ParsedGroup[] = []
    while (groups.length < count) {
      const group = someConditions()
      if (group) groups.push(group)
    }
    const met = new Set<string>()
    const different: unknown[] = []
    for (let at = 0; at < groups.length; at += 100) {
      const part = groups.slice(at, at + 100)
      const sqls = part.map((group) => conditionsSql(group, columnSql))
      const rows = await fixture.fresh.database.query<{ id: string; met: boolean[] }>(
        `select t.id, array[${sqls.join(', ')}] as met from ${shape.table} t where t.organization_id = $1`,
        [ctx.caller.organizationId],
      )
      const inSql = new Map(rows.map((row) => [row.id, row.met]))
      for (const [index, group] of part.entries()) {
        const matches = matcherOf(group)
        for (const [row, id] of ids.entries()) {
          const expected = matches(read[row] as never, null, 0)
          if (inSql.get(id)![index] !== expected) different.push({ expected, group, record: read[row] })
          else for (const { operator } of conditionsIn(group)) met.add(`${operator} ${expected}`)
        }
      }
    }
    expect(different.slice(0, 1)).toEqual([])
    const operators = Object.keys(ConditionOperator).filter((name) => sqlOperators.includes(name as never))
    expect(operators.filter((name) => !met.has(`${name} true`) || !met.has(`${name} false`))).toEqual([])
  })
})
