import 'reflect-metadata'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { genericPlanOf, statementsOf } from '../../../test/statements.ts'
import { emailTemplate } from '../../outreach/email-template/email-template.record.ts'
import { replyDraft } from '../../outreach/reply-draft/reply-draft.record.ts'
import { newId } from '../ids.ts'
import { CustomFieldsFixture } from './custom-fields.fixture.ts'
import type { RecordShape } from './definition.ts'
import { readPage, type PageArgs } from './list.ts'

const rows = 4_000
const fixture = new CustomFieldsFixture()
const [acme, other, me] = [newId(), newId(), newId()]
const users = [me, newId(), newId()]
/** Every second one is deleted. */
const threads = Array.from({ length: 6 }, newId)

/** Templates of two organizations, and drafts of replies. */
const records = Array.from({ length: rows }, (_, index) => ({
  id: newId(),
  ownerId: users[index % 3]!,
  threadId: threads[index % threads.length]!,
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
        records.map(({ id }) => idOf(id)),
        records.map(({ ownerId }) => ownerId),
        records.map(({ isShared }) => isShared),
        records.map(({ isDeleted }) => isDeleted),
        records.map(({ createdAt }) => createdAt),
      ],
    )
  }
  await fixture.fresh.database.query(
    `insert into outreach.email_thread (organization_id, id, owner_id, subject, status, created_at, updated_at, deleted_at, version, custom_fields)
     select $1, id, id, 'Offer', 'OPEN', now(), now(), case when n % 2 = 0 then now() end, 1, '{}' from unnest($2::uuid[]) with ordinality t(id, n)`,
    [acme, threads],
  )
  await fixture.fresh.database.query(
    `insert into outreach.reply_draft (organization_id, id, owner_id, status, thread_id, reply_to_message_id, subject, body_html, confidence, reason,
       expires_at, created_at, updated_at, deleted_at, version, custom_fields)
     select $1, id, id, 'PENDING', thread_id, id, 'Offer', '', 50, '', now(), created_at, created_at, case when is_deleted then created_at end, 1, '{}'
     from unnest($2::uuid[], $3::uuid[], $4::boolean[], $5::timestamptz[]) t(id, thread_id, is_deleted, created_at)`,
    [
      acme,
      records.map(({ id }) => id),
      records.map(({ threadId }) => threadId),
      records.map(({ isDeleted }) => isDeleted),
      records.map(({ createdAt }) => createdAt),
    ],
  )
  await fixture.fresh.database.query(
    'vacuum analyze outreach.email_template, outreach.email_thread, outreach.reply_draft',
  )
})
afterAll(() => fixture.close())

const read = (type: RecordShape, args: PageArgs, userId = me, total = true): ReturnType<typeof readPage> => {
  const selected = { page: new Set(['nextCursor']), record: new Set(['id']), total }
  return readPage(fixture.context(acme, { userId }), type, args, selected)
}

function inOrder(isSeen: (record: (typeof records)[number]) => boolean, direction: string): string[] {
  const ids = records
    .filter((record) => !record.isDeleted && isSeen(record))
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.id < b.id ? -1 : 1))
    .map(({ id }) => id)
  return direction === 'ASC' ? ids : ids.toReversed()
}

async function expectPages(
  type: RecordShape,
  expected: readonly string[],
  direction: string,
  userId: string,
): Promise<void> {
  const orderBy = [{ field: 'createdAt', direction }]
  for (const page of [1, 5, 6, 12, Math.ceil(expected.length / 100), 50]) {
    const { data, total } = await read(type, { orderBy, page, limit: 100 }, userId)
    expect(data.map(({ id }) => id)).toEqual(expected.slice((page - 1) * 100, page * 100))
    expect(total).toBe(expected.length)
  }
}

const nobody = newId()

describe('pages far back', () => {
  it.each([
    ['DESC', me],
    ['ASC', me],
    ['DESC', users[1]!],
    ['DESC', nobody],
  ])('of own and shared records are in the order of creation: %s', async (direction, userId) => {
    const expected = inOrder(({ ownerId, isShared }) => isShared || ownerId === userId, direction)
    await expectPages(emailTemplate, expected, direction, userId)
  })

  it('of own and shared records are found in the index alone', async () => {
    const statements = await statementsOf(
      fixture,
      () => read(emailTemplate, { page: 12, limit: 100 }),
      /email_template/,
    )
    expect(statements).toHaveLength(1)
    const lines = await genericPlanOf(fixture.fresh.url, statements[0]!, ['seqscan', 'bitmapscan', 'sort'])
    expect(lines.join('\n')).toContain('Index Only Scan Backward using email_template_created on email_template')
  })

  it.each(['DESC', 'ASC'])('of records with a parent are in the order of creation: %s', async (direction) => {
    const live = new Set(threads.filter((_, index) => index % 2 === 0))
    await expectPages(
      replyDraft,
      inOrder(({ threadId }) => live.has(threadId), direction),
      direction,
      me,
    )
  })

  it('of records with a parent have totals without those of deleted parents, also with a filter and a search', async () => {
    const live = new Set(threads.filter((_, index) => index % 2 === 0))
    const expected = inOrder(({ threadId }) => live.has(threadId), 'DESC')
    const before = records[rows / 2]!.createdAt
    const created = new Map(records.map(({ id, createdAt }) => [id, createdAt]))
    const cases: readonly (readonly [PageArgs, number])[] = [
      [{ filter: { status: { eq: 'PENDING' } } }, expected.length],
      [{ filter: { status: { eq: 'SENT' } } }, 0],
      [{ filter: { createdAt: { lt: before } } }, expected.filter((id) => created.get(id)! < before).length],
      [{ search: 'offer' }, expected.length],
      [{ filter: { threadId: { eq: threads[0] } } }, inOrder(({ threadId }) => threadId === threads[0], 'DESC').length],
      [{ filter: { threadId: { eq: threads[1] } } }, 0],
    ]
    for (const [args, total] of cases) expect((await read(replyDraft, args)).total).toBe(total)
    // The total of all of them is maintained: no draft is counted but those of deleted threads.
    const statements = await statementsOf(fixture, () => read(replyDraft, {}), /reply_draft/)
    expect(statements).toHaveLength(1)
    expect(statements[0]).toContain('outreach.reply_draft_totals')
  })

  it('of records with a parent are found without reading those behind them', async () => {
    const statements = await statementsOf(fixture, () => read(replyDraft, { page: 12, limit: 100 }), /reply_draft/)
    const page = statements.find((text) => text.includes('offset'))
    const lines = await genericPlanOf(fixture.fresh.url, page!, ['seqscan', 'bitmapscan', 'sort'])
    expect(lines.join('\n')).toContain('Index Scan Backward using reply_draft_created on reply_draft')
  })
})

describe('lists of private records in the order of isShared', () => {
  it.each(['DESC', 'ASC'])('begin with the shared or with the own records: %s', async (direction) => {
    const seen = inOrder(({ ownerId, isShared }) => isShared || ownerId === me, direction)
    const shared = new Set(records.filter(({ isShared }) => isShared).map(({ id }) => id))
    const both = [seen.filter((id) => shared.has(id)), seen.filter((id) => !shared.has(id))]
    const expected = (direction === 'DESC' ? both : both.toReversed()).flat()
    const orderBy = [{ field: 'isShared', direction }]
    const found: unknown[] = []
    let cursor: string | null = null
    do {
      const page: Awaited<ReturnType<typeof read>> = await read(
        emailTemplate,
        { orderBy, limit: 100, cursor },
        me,
        false,
      )
      found.push(...page.data.map(({ id }) => id))
      cursor = page.nextCursor
    } while (cursor)
    expect(found).toEqual(expected)
    for (const page of [3, 12, Math.ceil(expected.length / 100), 50]) {
      const { data } = await read(emailTemplate, { orderBy, page, limit: 100 })
      expect(data.map(({ id }) => id)).toEqual(expected.slice((page - 1) * 100, page * 100))
    }
    const filtered = await read(emailTemplate, {
      orderBy,
      limit: 100,
      filter: { createdAt: { lt: records[800]!.createdAt } },
    })
    const early = new Set(records.slice(0, 800).map(({ id }) => id))
    expect(filtered.data.map(({ id }) => id)).toEqual(expected.filter((id) => early.has(id)).slice(0, 100))
  })

  it('begin with the own records without reading those of others', async () => {
    const orderBy = [{ field: 'isShared', direction: 'ASC' }]
    const [page] = await statementsOf(fixture, () => read(emailTemplate, { orderBy, limit: 100 }), /email_template/)
    const scanned = ['email_template_by_owner_id', 'email_template_by_is_shared']
    // In so small a table, an index with all columns costs about as much, once vacuum has marked its pages as visible to all.
    await vi.waitFor(
      async () => {
        await fixture.fresh.database.query('vacuum analyze outreach.email_template')
        const without = ['seqscan', 'bitmapscan', 'indexonlyscan', 'sort'] as const
        const lines = await genericPlanOf(fixture.fresh.url, page!, without)
        for (const index of scanned) expect(lines.join('\n')).toContain(`using ${index} on email_template`)
        expect(lines.filter((line) => line.includes('email_template_by_'))).toHaveLength(scanned.length)
      },
      { timeout: 60_000, interval: 500 },
    )
  })
})
