import { beforeAll, describe, expect, it } from 'vitest'
import { groupableColumns, isTime, numberColumns } from '../../subgraphs/kernel/record/aggregate/aggregate-columns.ts'
import type { RestArea } from '../../subgraphs/kernel/record/rest-area.ts'
import { restContract } from '../contract-of-rest.ts'
import { usePlatform, type Member } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { prefixOf, restAreas } from '../rest-areas.ts'

const { operations } = restContract()
const platform = usePlatform()
let member: Member
/** The path parameters of the operations of a record type, such as the name of a custom object, by its prefix. */
const paths: Record<string, Readonly<Record<string, string>>> = {}

const operationOf = (id: string) => operations.find((operation) => operation.id === id)
/** Payments are recorded at invoices, so their test creates them: `payments.platform.test.ts`. */
const aggregated = restAreas
  .filter((area) => operationOf(`${prefixOf(area)}Aggregate`) && operationOf(`${prefixOf(area)}Create`))
  .map((area): [string, RestArea] => [prefixOf(area), area])

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
  const requests = await Requests.of(platform, member)
  for (const [prefix] of aggregated) {
    const creator = operationOf(`${prefix}Create`)!
    for (const whole of [true, false, true]) {
      const request = await requests.valid(creator, { whole })
      paths[prefix] = request.path
      const { status, text } = await requests.send(request)
      if (status !== 201) throw new Error(`${prefix}: ${text}`)
    }
  }
})

type Row = Readonly<Record<string, string | number | boolean | null>>

/** The number of rows by the value of a field, computed here. */
const countsOf = (rows: readonly Row[], name: string): Record<string, number> =>
  Object.fromEntries(
    Array.from(
      Map.groupBy(rows, (row) => String(row[name])),
      ([value, own]) => [value, own.length],
    ),
  )

describe.each(aggregated)('%sAggregate', (prefix, { definition, within }) => {
  it('groups by every field that the contract names, and adds up every number', async () => {
    const { shown } = definition.columns
    const list = await member.rest[`${prefix}List`]!({ ...paths[prefix], query: { limit: 100 } })
    const rows = list.body.data as Row[]
    expect(rows.length).toBeGreaterThanOrEqual(3)
    const numbers = numberColumns(shown).slice(0, 10)
    for (const column of groupableColumns(shown)) {
      const groupBy = isTime(column) ? `${column.name}:day` : column.name
      const query = { groupBy, ...(numbers.length > 0 && { sum: numbers.map(({ name }) => name).join() }) }
      const { status, body } = await member.rest[`${prefix}Aggregate`]!({ ...paths[prefix], query })
      expect(status, JSON.stringify(body)).toBe(200)
      const groups = body.groups as { keys: { value: string | null }[]; count: number }[]
      const counts = Object.fromEntries(groups.map(({ keys, count }) => [String(keys[0]!.value), count]))
      const shownValues = isTime(column)
        ? rows.map((row) => ({ [column.name]: (row[column.name] as string | null)?.slice(0, 10) ?? null }))
        : rows
      expect(counts, groupBy).toEqual(countsOf(shownValues, column.name))
      expect(body.total.count).toBe(list.body.total)
      const sums = (body.total.sum as { field: string; value: number }[]).filter(
        ({ field }) => !definition.amounts?.columns.includes(field),
      )
      for (const { field, value } of sums)
        expect(value, field).toBeCloseTo(
          rows.reduce((all, row) => all + Number(row[field] ?? 0), 0),
          6,
        )
    }
  })

  it('has the filter of the list, as the statistics have', async () => {
    const hasStats = operationOf(`${prefix}Stats`) !== undefined
    const list = await member.rest[`${prefix}List`]!({ ...paths[prefix], query: { limit: 1 } })
    const [{ id }] = list.body.data as [{ id: string }]
    const above = within ? `${within.argument}: "${paths[prefix]![within.parameter]}", ` : ''
    const { body } = await member.graphql(
      `{ ${hasStats ? `one: ${prefix}Stats(filter: { id: { eq: "${id}" } }) { total } none: ${prefix}Stats(filter: { id: { ne: "${id}" } }) { total }` : ''}
         aggregate: ${prefix}Aggregate(${above}filter: { id: { eq: "${id}" } }) { total { count } } }`,
    )
    expect(body).toEqual({
      data: {
        ...(hasStats && { one: { total: 1 }, none: { total: (list.body.total as number) - 1 } }),
        aggregate: { total: { count: 1 } },
      },
    })
  })
})
