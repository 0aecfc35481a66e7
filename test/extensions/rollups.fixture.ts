import { expect } from 'vitest'
import { opportunity } from '../../subgraphs/crm/opportunity/opportunity.record.ts'
import { account } from '../../subgraphs/crm/account/account.record.ts'
import { customFieldName } from '../../subgraphs/kernel/record/custom-field-column.ts'
import { columnOf } from '../../subgraphs/kernel/record/definition.ts'
import { shapeFor } from '../../subgraphs/kernel/record/shape-source.ts'
import { systemContext, type RequestContext } from '../../subgraphs/kernel/request.ts'
import type { Member, Platform } from '../platform.ts'
import { field } from './custom-fields.fixture.ts'

/** A field of accounts that is a rollup of their deals. */
export const rollup = (name: string, config: object, values: object = {}) => ({
  name,
  fieldType: 'ROLLUP_SUMMARY',
  rollupConfig: { childObject: 'OPPORTUNITY', relationField: 'accountId', ...config },
  ...values,
})

/** Rollups of each kind, with SQL of their values that reads the deals `d` of the account `a`. */
export const rollups: readonly (readonly [field: ReturnType<typeof rollup>, sql: string])[] = [
  [rollup('deals', { aggregate: 'COUNT' }), 'count(*)::numeric'],
  [
    rollup('large', {
      aggregate: 'COUNT',
      logic: 'OR',
      conditions: [
        { field: 'amount', operator: 'GREATER_THAN', value: 50.5 },
        { field: 'name', operator: 'CONTAINS', value: 'ORD' },
      ],
    }),
    `count(*) filter (where d.amount > 50.5 or d.name ilike '%ord%')::numeric`,
  ],
  [
    rollup('seatsSold', { aggregate: 'SUM', field: 'customFields.seats' }),
    `coalesce(sum((d.custom_fields ->> 'seats')::numeric), 0)`,
  ],
  [
    rollup('weight', { aggregate: 'SUM', field: 'customFields.weighted' }),
    `coalesce(sum(round(coalesce(d.amount, 0) * 2 + coalesce((d.custom_fields ->> 'seats')::numeric, 0), 4)), 0)`,
  ],
  [
    rollup('mean', {
      aggregate: 'AVG',
      field: 'amount',
      conditions: [{ field: 'customFields.hot', operator: 'EQUALS', value: true }],
    }),
    `round(avg(d.amount) filter (where d.custom_fields -> 'hot' = 'true'), 10)`,
  ],
  [
    rollup('least', {
      aggregate: 'MIN',
      field: 'amount',
      conditions: [{ field: 'customFields.seats', operator: 'IS_NOT_EMPTY' }],
    }),
    `min(d.amount) filter (where d.custom_fields ? 'seats')`,
  ],
  [rollup('latest', { aggregate: 'MAX', field: 'closeDate' }), 'max(d.close_date)'],
]

/** The fields of deals that the rollups read. */
export async function fieldsOfDeals(owner: Member): Promise<void> {
  const deal = { entity: 'OPPORTUNITY' }
  await field(owner, { ...deal, name: 'seats', fieldType: 'NUMBER' })
  await field(owner, { ...deal, name: 'hot', fieldType: 'CHECKBOX' })
  const formulaConfig = { expression: 'amount * 2 + customFields.seats', returnType: 'NUMBER', decimals: 4 }
  await field(owner, { ...deal, name: 'weighted', fieldType: 'FORMULA', formulaConfig })
}

/** A context of the platform with the latest definitions of the organization. */
export async function definedContext({ services }: Platform, { organizationId }: Member): Promise<RequestContext> {
  await services.extensions.load(organizationId)
  return systemContext(services, organizationId)
}

export const dealShape = (ctx: RequestContext) => shapeFor(ctx, opportunity)

/**
 * The rollups whose value, as the SQL of reads gives it, is another one than that of the deals, of all accounts of the organization: in one statement, so
 * in one snapshot. Empty if all are right.
 */
export async function wrongRollups(
  platform: Platform,
  ctx: RequestContext,
  expected: readonly (readonly [field: { readonly name: string }, sql: string])[] = rollups,
): Promise<unknown[]> {
  const shape = shapeFor(ctx, account)
  const [names, values] = [expected.map(([{ name }]) => name), expected.map(([, sql]) => sql)]
  const read = names.map((name) => `(${columnOf(shape, customFieldName(name)).sql('a')})::text`)
  const found = (sqls: readonly string[]) => `array[${sqls.join(', ')}]`
  return platform.query(
    `select c.id, c.read, c.expected from (
       select a.id, ${found(read.map((sql) => `trim(trailing '.' from regexp_replace(${sql}, '(\\.\\d*?)0+$', '\\1'))`))} as read,
         (select ${found(values.map((sql) => `trim(trailing '.' from regexp_replace((${sql})::text, '(\\.\\d*?)0+$', '\\1'))`))}
          from crm.opportunity d where d.organization_id = a.organization_id and d.account_id = a.id and d.deleted_at is null) as expected
       from crm.account a where a.organization_id = $1) c
     where c.read is distinct from c.expected`,
    [ctx.caller.organizationId],
  )
}

export async function expectRight(platform: Platform, ctx: RequestContext): Promise<void> {
  expect(await wrongRollups(platform, ctx)).toEqual([])
}

/** Numbers from 0 up to one that is given, the same ones for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}
