import 'reflect-metadata'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { genericPlanOf, statementsOf } from '../../../test/statements.ts'
import { emailTemplate } from '../../outreach/email-template/email-template.record.ts'
import { newId } from '../ids.ts'
import { CustomFieldsFixture } from './custom-fields.fixture.ts'
import { readPage, type PageArgs } from './list.ts'

/** Templates of two organizations; every second one is shared, every fifth one is deleted, and one in three belongs to `me`. */
const rows = 4_000
const fixture = new CustomFieldsFixture()
const [acme, other, me] = [newId(), newId(), newId()]
const users = [me, newId(), newId()]

const templates = Array.from({ length: rows }, (_, index) => ({
  id: newId(),
  ownerId: users[index % 3]!,
  isShared: index % 2 === 0,
  isDeleted: index % 5 === 0,
  // Four have the same time.
  createdAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 4) * 60_000).toISOString(),
}))

beforeAll(async () => {
  await fixture.open()
  for (const [organization, idOf] of [[acme, (id: string) => id] as const, [other, () => newId()] as const]) {
    await fixture.fresh.database.query(
      `insert into outreach.email_template (organization_id, id, owner_id, name, subject, body_html, category, status, is_shared, created_at,
         updated_at, deleted_at, version, custom_fields)
       select $1, id, owner_id, 'Offer', 'Offer', '', 'OTHER', 'ACTIVE', is_shared, created_at, created_at,
         case when is_deleted then created_at end, 1, '{}'
       from unnest($2::uuid[], $3::uuid[], $4::boolean[], $5::boolean[], $6::timestamptz[])
         as t(id, owner_id, is_shared, is_deleted, created_at)`,
      [
        organization,
        templates.map(({ id }) => idOf(id)),
        templates.map(({ ownerId }) => ownerId),
        templates.map(({ isShared }) => isShared),
        templates.map(({ isDeleted }) => isDeleted),
        templates.map(({ createdAt }) => createdAt),
      ],
    )
  }
  await fixture.fresh.database.query('vacuum analyze outreach.email_template')
})
afterAll(() => fixture.close())

const read = (args: PageArgs, userId = me): ReturnType<typeof readPage> => {
  const selected = { page: new Set(['nextCursor']), record: new Set(['id']), total: true }
  return readPage(fixture.context(acme, { userId }), emailTemplate, args, selected)
}

function seenBy(userId: string, direction: string): string[] {
  const seen = templates.filter(({ ownerId, isShared, isDeleted }) => !isDeleted && (isShared || ownerId === userId))
  const ids = seen
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
  return direction === 'ASC' ? ids : ids.reverse()
}

describe('pages of own and shared records', () => {
  it.each([
    ['DESC', me],
    ['ASC', me],
    ['DESC', users[1]!],
    ['DESC', newId()],
  ])('are in the order of creation, also those far back: %s', async (direction, userId) => {
    const expected = seenBy(userId, direction)
    const orderBy = [{ field: 'createdAt', direction }]
    for (const page of [1, 5, 6, 12, Math.ceil(expected.length / 100), 50]) {
      const { data, total } = await read({ orderBy, page, limit: 100 }, userId)
      expect(data.map(({ id }) => id)).toEqual(expected.slice((page - 1) * 100, page * 100))
      expect(total).toBe(expected.length)
    }
  })

  it('far back are skipped in the index alone', async () => {
    const statements = await statementsOf(fixture, () => read({ page: 12, limit: 100 }), /email_template/)
    expect(statements).toHaveLength(1)
    const lines = await genericPlanOf(fixture.fresh.url, statements[0]!, ['seqscan', 'bitmapscan', 'sort'])
    expect(lines.join('\n')).toContain('Index Only Scan Backward using email_template_created on email_template')
  })
})
