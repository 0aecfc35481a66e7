import 'reflect-metadata'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { genericPlanOf, statementsOf } from '../../../test/statements.ts'
import { activity } from '../../crm/activity/activity.record.ts'
import type { Caller } from '../context.ts'
import { newId } from '../ids.ts'
import { CustomFieldsFixture } from './custom-fields.fixture.ts'
import type { FilterInput } from './filter-input.ts'
import { readPage, type PageArgs } from './list.ts'

/** More than the first rows that a list compares with a filter which the index of its order does not answer. */
const rows = 5_000
const rowsPerDay = 40
const first = Date.parse('2026-01-01T00:00:00.000Z')
const day = 86_400_000

interface Logged {
  readonly id: string
  readonly createdAt: number
  readonly occurredAt: number
  readonly type: string
  readonly accountId: string
  readonly subject: string
  readonly ownerId: string
  readonly isDeleted: boolean
}

const fixture = new CustomFieldsFixture()
const acme = newId()
const other = newId()
const users = [newId(), newId(), newId()]
const accounts = [newId(), newId()]

/** Activities of an organization: four were created at the same time, and most of them happened two hours before. */
function activitiesOf(organization: string, count: number): Logged[] {
  return Array.from({ length: count }, (_, index) => {
    const createdAt = first + Math.floor(index / rowsPerDay) * day + Math.floor((index % rowsPerDay) / 4) * 3_600_000
    const daysAgo = index % 97 === 0 ? 300 : index % 89 === 0 ? -20 : 0
    return {
      id: newId(),
      createdAt,
      occurredAt: createdAt - 2 * 3_600_000 - daysAgo * day,
      type: index % 7 === 0 ? 'CALL' : index === 200 ? 'MEETING' : 'NOTE',
      accountId: accounts[index % 500 === 3 ? 1 : 0]!,
      subject: index % 50 === 0 ? 'Renewal of the licences' : 'Other',
      ownerId: organization === acme ? users[index % 3]! : users[0]!,
      isDeleted: index % 11 === 0,
    }
  })
}

const logged = activitiesOf(acme, rows)
const live = logged.filter(({ isDeleted }) => !isDeleted)

async function insert(organization: string, activities: readonly Logged[]): Promise<void> {
  const times = (of: (one: Logged) => number) => activities.map((one) => new Date(of(one)).toISOString())
  await fixture.fresh.database.query(
    `insert into crm.activity (organization_id, id, owner_id, actor_id, type, subject, account_id, occurred_at, created_at, updated_at, deleted_at, version, custom_fields)
     select $1, id, owner_id, owner_id, type, subject, account_id, occurred_at, created_at, created_at, case when is_deleted then created_at end, 1, '{}'
     from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::uuid[], $7::timestamptz[], $8::timestamptz[], $9::boolean[])
       as a(id, owner_id, type, subject, account_id, occurred_at, created_at, is_deleted)`,
    [
      organization,
      activities.map(({ id }) => id),
      activities.map(({ ownerId }) => ownerId),
      activities.map(({ type }) => type),
      activities.map(({ subject }) => subject),
      activities.map(({ accountId }) => accountId),
      times(({ occurredAt }) => occurredAt),
      times(({ createdAt }) => createdAt),
      activities.map(({ isDeleted }) => isDeleted),
    ],
  )
}

beforeAll(async () => {
  await fixture.open()
  await insert(acme, logged)
  await insert(other, activitiesOf(other, 400))
  await fixture.fresh.database.query('analyze crm.activity')
})
afterAll(() => fixture.close())

async function read(args: PageArgs, caller: Partial<Caller> = {}): ReturnType<typeof readPage> {
  const selected = { page: new Set(['nextCursor']), record: new Set(['id']), total: true }
  return readPage(fixture.context(acme, caller), activity, args, selected)
}

/** The ids of all pages by cursor, from the first one on. */
async function allPages(args: PageArgs, caller: Partial<Caller>): Promise<unknown[]> {
  const ids: unknown[] = []
  for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
    const page = await read({ ...args, limit: 100, cursor }, caller)
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.nextCursor
  }
  return ids
}

/** The order of creation, the ids of equal times in the same direction. */
const inOrder = (found: readonly Logged[], direction: string): string[] =>
  [...found]
    .sort((a, b) => (direction === 'ASC' ? 1 : -1) * (a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)))
    .map(({ id }) => id)

const at = (days: number): number => first + days * day + 7_200_000
const iso = (days: number): string => new Date(at(days)).toISOString()

interface Case {
  readonly name: string
  readonly filter: FilterInput
  readonly search?: string
  readonly matches: (one: Logged) => boolean
}

const before = (days: number) => ({ occurredAt: { lt: iso(days) } })
const cases: readonly Case[] = [
  { name: 'before a day', filter: before(30), matches: ({ occurredAt }) => occurredAt < at(30) },
  {
    name: 'after a day',
    filter: { occurredAt: { gte: iso(100) } },
    matches: ({ occurredAt }) => occurredAt >= at(100),
  },
  {
    name: 'between two days',
    filter: { occurredAt: { gte: iso(20), lt: iso(24) } },
    matches: ({ occurredAt }) => occurredAt >= at(20) && occurredAt < at(24),
  },
  { name: 'before all of them', filter: before(-400), matches: () => false },
  {
    name: 'before a day, of a frequent type',
    filter: { ...before(30), type: { eq: 'CALL' } },
    matches: ({ occurredAt, type }) => occurredAt < at(30) && type === 'CALL',
  },
  {
    name: 'before a day, of a type that one has',
    filter: { ...before(30), type: { eq: 'MEETING' } },
    matches: ({ occurredAt, type }) => occurredAt < at(30) && type === 'MEETING',
  },
  {
    name: 'before a day, of an account with few',
    filter: { ...before(60), accountId: { eq: accounts[1] } },
    matches: ({ occurredAt, accountId }) => occurredAt < at(60) && accountId === accounts[1],
  },
  {
    name: 'before a day, with a word',
    filter: before(60),
    search: 'renewal',
    matches: ({ occurredAt, subject }) => occurredAt < at(60) && subject.startsWith('Renewal'),
  },
]

describe('a range of values in the order of creation', () => {
  describe.each([
    ['of all owners', null],
    ['of one owner', [users[1]!]],
    ['of two owners', [users[1]!, users[2]!]],
  ])('%s', (_, ownerIds) => {
    const caller: Partial<Caller> = ownerIds ? { visibility: 'TEAM', ownerIds } : {}
    const visible = live.filter(({ ownerId }) => !ownerIds || ownerIds.includes(ownerId))

    it.each(cases.flatMap((one) => ['DESC', 'ASC'].map((direction) => ({ ...one, direction }))))(
      'is found $name, $direction',
      async ({ filter, search = null, matches, direction }) => {
        const args = { filter, search, orderBy: [{ field: 'createdAt', direction }] }
        const expected = inOrder(visible.filter(matches), direction)
        expect(await allPages(args, caller)).toEqual(expected)
        for (const page of [1, 2, 9]) {
          const { data, total } = await read({ ...args, limit: 60, page }, caller)
          expect(data.map(({ id }) => id)).toEqual(expected.slice((page - 1) * 60, page * 60))
          expect(total).toBe(expected.length)
        }
      },
    )
  })

  it('is read from the index by day, from the cursor on', async () => {
    const { nextCursor } = await read({ limit: 5 })
    for (const cursor of [null, nextCursor]) {
      const statements = await statementsOf(fixture, () => read({ filter: before(30), limit: 60, cursor }))
      const byDay = statements.filter((text) => text.includes('date_bin'))
      expect(byDay).toHaveLength(1)
      const lines = await genericPlanOf(fixture.fresh.url, byDay[0]!)
      expect(lines.filter((line) => / Scan /.test(line) && !line.includes('Subquery Scan'))).toEqual([
        expect.stringMatching(/Index (Only )?Scan Backward using activity_day_occurred_at on activity/),
        expect.stringContaining('Function Scan on unnest'),
        expect.stringContaining('Index Scan using activity_pkey on activity'),
      ])
      const [, ofDay] = /Index Cond: (.*)/.exec(lines.find((line) => line.includes('Index Cond'))!)!
      expect(ofDay).toContain('organization_id =')
      expect(ofDay).toContain('occurred_at <')
      expect(ofDay!.includes('date_bin')).toBe(cursor !== null)
    }
  })

  it('is not looked for where another condition leaves few rows', async () => {
    const filter = { ...before(30), accountId: { eq: accounts[1] } }
    const statements = await statementsOf(fixture, () => read({ filter }))
    expect(statements.filter((text) => text.includes('date_bin'))).toEqual([])
  })
})
