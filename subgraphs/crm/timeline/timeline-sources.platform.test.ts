import { beforeAll, describe, expect, it } from 'vitest'
import { account, contact, lead, opportunity, sentInvoice, supportCase } from '../../../test/builders.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { hasColumn } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { timelineSources } from '../../kernel/record/timeline-source.ts'
import { systemContext } from '../../kernel/request.ts'
import { links, type Link } from '../related-record/related-types.ts'
import { readTimeline } from './read-timeline.ts'
import { cursorOf } from './timeline-cursor.ts'
import type { TimelineLink } from './timeline-sources.ts'
import { TimelineKind } from './timeline.types.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member()
})

const hour = 3_600_000
const hoursAgo = (hours: number) => new Date(platform.now.getTime() - hours * hour).toISOString()

interface Entry {
  readonly kind: string
  readonly recordId: string
  readonly title: string | null
  readonly occurredAt: string
}

const timelines = {
  accountId: 'accountTimeline',
  contactId: 'contactTimeline',
  leadId: 'leadTimeline',
  opportunityId: 'opportunityTimeline',
  caseId: 'caseTimeline',
} as const satisfies Record<Link, string>

async function page(link: Link, id: string, query: Readonly<Record<string, string | number>> = {}, who = member) {
  const { status, body } = await who.rest[timelines[link]]!({ id, query })
  expect(status).toBe(200)
  return body as { readonly data: Entry[]; readonly nextCursor: string | null }
}
const kindsOf = async (link: Link, id: string, who = member) =>
  (await page(link, id, {}, who)).data.map(({ kind }) => kind)

async function mail(values: object, by = member): Promise<{ id: string; threadId: string }> {
  const body = { to: ['ida@halvorsen-marine.example'], subject: 'Dock slots', bodyText: 'Hello', ...values }
  const sent = await by.rest.emailSend!({ body })
  expect(sent.status, JSON.stringify(sent.body)).toBe(201)
  return sent.body
}

/** One record of each type, about which nothing is known. */
async function records(): Promise<Record<Link, string>> {
  const { id: accountId } = await account(member)
  const [{ id: contactId }, { id: leadId }] = [await contact(member), await lead(member)]
  const { id: opportunityId } = await opportunity(member, { accountId: (await account(member)).id })
  return { accountId, contactId, leadId, opportunityId, caseId: (await supportCase(member)).id }
}

async function hiding(fields: Parameters<typeof createProfile>[1]['fields']): Promise<Member> {
  const reader = await platform.member({ organizationId: member.organizationId })
  const ctx = systemContext(platform.services, member.organizationId)
  const profile = await createProfile(ctx, { name: `Profile ${newId()}`, fields })
  await assignProfile(ctx, reader.userId, profile.id)
  return reader
}

it('has a source for every kind', () => {
  expect(
    timelineSources()
      .map(({ kind }) => kind)
      .toSorted(),
  ).toEqual(Object.keys(TimelineKind).toSorted())
})

describe('a mail in timelines', () => {
  it.each(links)('is in that of the record of %s', async (link) => {
    const ids = await records()
    // No mail that is sent names a case; the threads of cases have it.
    const { id, threadId } = await mail(link === 'caseId' ? {} : { [link]: ids[link] })
    if (link === 'caseId')
      await platform.query('update outreach.email_thread set case_id = $1 where id = $2', [ids[link], threadId])
    const { data } = await page(link, ids[link], { kinds: 'EMAIL' })
    expect(data).toEqual([
      {
        kind: 'EMAIL',
        recordId: id,
        occurredAt: platform.now.toISOString(),
        title: 'Dock slots',
        type: 'OUTBOUND',
        status: expect.stringMatching(/^(QUEUED|SENT)$/),
        actorId: member.userId,
      },
    ])
    for (const other of links.filter((name) => name !== link && name !== 'accountId'))
      expect((await page(other, ids[other], { kinds: 'EMAIL' })).data).toEqual([])
  })

  it('follows its thread to another record, is at the time when it was sent, and leaves with the thread', async () => {
    const [{ id: first }, { id: second }] = [await account(member), await account(member)]
    const { id, threadId } = await mail({ accountId: first })
    await platform.query('update outreach.email_thread set account_id = $1 where id = $2', [second, threadId])
    await platform.query('update outreach.email_message set sent_at = $1 where id = $2', [hoursAgo(3), id])
    const mails = async (accountId: string) => (await page('accountId', accountId, { kinds: 'EMAIL' })).data
    expect(await mails(first)).toEqual([])
    expect(await mails(second)).toMatchObject([{ recordId: id, occurredAt: hoursAgo(3) }])
    await platform.query('update outreach.email_thread set deleted_at = now() where id = $1', [threadId])
    expect(await mails(second)).toEqual([])
    await platform.query('delete from outreach.email_message where id = $1', [id])
    expect(await platform.query('select 1 from outreach.email_entry where message_id = $1', [id])).toEqual([])
  })

  it('is seen by those who see the thread and hold its scope', async () => {
    const { organizationId } = member
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { id: accountId } = await account(own)
    await mail({ accountId })
    const { id } = await mail({ accountId }, own)
    const { data } = await page('accountId', accountId, { kinds: 'EMAIL' }, own)
    expect(data.map(({ recordId }) => recordId)).toEqual([id])
    expect((await page('accountId', accountId, { kinds: 'EMAIL' })).data).toHaveLength(2)
    const key = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS', 'READ_ACTIVITIES'] })
    expect(await kindsOf('accountId', accountId, key)).toEqual([])
  })

  it('is absent where the profile hides the link or the time', async () => {
    const { id: accountId } = await account(member)
    await mail({ accountId })
    for (const fields of [{ email_thread: { accountId: 'HIDDEN' } }, { email: { sentAt: 'HIDDEN' } }] as const)
      expect(await kindsOf('accountId', accountId, await hiding(fields))).toEqual([])
    expect(await kindsOf('accountId', accountId)).toEqual(['EMAIL'])
  })

  it('has no record in the graph, where a union would need the scope of all', async () => {
    const { id } = await account(member)
    await mail({ accountId: id })
    const query = 'query ($id: ID!) { account(id: $id) { timeline { nodes { kind record { __typename } } } } }'
    const { body } = await member.graphql(query, { id })
    expect(body.data.account.timeline.nodes).toEqual([{ kind: 'EMAIL', record: null }])
  })

  it('counts no engagement', async () => {
    const { id } = await account(member)
    await mail({ accountId: id })
    const { body } = await member.graphql(
      'query ($id: ID!) { account(id: $id) { lastActivityDate engagement { score channels { activities } } } }',
      { id },
    )
    expect(body.data.account).toEqual({ lastActivityDate: null, engagement: { score: 0, channels: [] } })
  })
})

describe('a payment in timelines', () => {
  const paid = async (values: object = {}) => {
    const { id: customerId } = await account(member)
    const { id: contactId } = await contact(member)
    const { id, invoiceNumber } = await sentInvoice(member, { customerId, contactId, ...values })
    return { id, invoiceNumber, customerId, contactId }
  }
  const pay = async (id: string, body: object) =>
    expect((await member.rest.invoiceRecordPayment!({ id, body })).status).toBeLessThan(300)

  it('is in those of the account and the contact, at the time when it was received', async () => {
    const { id, invoiceNumber, customerId, contactId } = await paid()
    await pay(id, { amount: 20, method: 'CARD', paidAt: hoursAgo(5) })
    const entry = {
      kind: 'PAYMENT',
      recordId: id,
      occurredAt: hoursAgo(5),
      title: invoiceNumber,
      type: 'CARD',
      status: 'SUCCEEDED',
      actorId: member.userId,
    }
    expect((await page('accountId', customerId, { kinds: 'PAYMENT' })).data).toEqual([entry])
    expect((await page('contactId', contactId, { kinds: 'PAYMENT' })).data).toEqual([entry])
    expect(await kindsOf('accountId', customerId)).toEqual(['INVOICE', 'PAYMENT'])
    const { body } = await member.rest.customer360Timeline!({ accountId: customerId, query: { type: 'PAYMENT,EMAIL' } })
    expect(body.data).toEqual([entry])
  })

  it('shows a refund, and is on one page only among payments of the same time', async () => {
    const { id, customerId } = await paid()
    for (const amount of [10, 20, 30]) await pay(id, { amount, paidAt: hoursAgo(1) })
    const { payments } = (await member.rest.invoice!({ id })).body
    await member.rest.invoiceRefundPayment!({ id, paymentId: payments[0].id, body: {} })
    const found: unknown[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { kinds: 'PAYMENT', limit: 1, ...(cursor && { cursor }) }
      const { data, nextCursor } = await page('accountId', customerId, query)
      found.push(...data)
      cursor = nextCursor
    }
    expect(found).toMatchObject([{ status: 'SUCCEEDED' }, { status: 'SUCCEEDED' }, { status: 'REFUNDED' }])
  })

  it('is seen by those who see the invoice and its payments', async () => {
    const { id, customerId, contactId } = await paid()
    await pay(id, { amount: 20 })
    const own = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    await member.rest.accountUpdate!({ id: customerId, body: { ownerId: own.userId } })
    expect(await kindsOf('accountId', customerId, own)).toEqual([])
    expect(await kindsOf('accountId', customerId, await hiding({ invoice: { payments: 'HIDDEN' } }))).toEqual([
      'INVOICE',
    ])
    expect(await kindsOf('contactId', contactId, await hiding({ invoice: { contactId: 'HIDDEN' } }))).toEqual([])
  })
})

describe('the plan of a timeline', () => {
  const cases = ([...links, 'relatedToId'] as const).flatMap((link) =>
    timelineSources()
      .filter(({ object, items }) => (items ? link in items.links : hasColumn(recordType(object)(), link)))
      .map(({ kind }) => [kind as TimelineKind, link] as const),
  )

  /** The plan of the page after a cursor, and its text. */
  async function planOf(link: TimelineLink, kind: TimelineKind): Promise<string> {
    const ctx = systemContext(platform.services, member.organizationId)
    const tenant = platform.services.tenants.of(member.organizationId)
    let plan = ''
    const db: typeof ctx.db = {
      ...ctx.db,
      query: <R>(text: string, values: readonly unknown[] = []) => {
        const explained = tenant.transaction(async (sql) => {
          await sql.query('set local enable_seqscan = off')
          const rows = await sql.query(`explain (costs off) ${text}`, values)
          plan = rows.map((row) => String(Object.values(row)[0])).join('\n')
        })
        return explained.then(() => tenant.query<R>(text, values))
      },
    }
    const names = { limit: 'limit', cursor: 'cursor' }
    const cursor = cursorOf({ kind, occurredAt: hoursAgo(1), entryId: newId(), entryNumber: 1 })
    await readTimeline({ ...ctx, db }, link, newId(), { kinds: [kind], limit: 10, cursor, names })
    return plan
  }

  it.each(cases)('of %s by %s is a range of an index, newest first', async (kind, link) => {
    const plan = await planOf(link, kind)
    // A stage change is in the timeline of its own record by the key of the table; an opportunity has few.
    if (kind === 'STAGE_CHANGE' && link === 'opportunityId') return expect(plan).toMatch(/stage_entry_pkey/)
    expect(plan).not.toMatch(/Sort Key: [^\n]*\bi\./)
    expect(plan).toMatch(
      /Index (Only )?Scan Backward using \w+[^\n]*\n\s+Index Cond: [^\n]*p\.parent_id\) AND \(ROW\([^)]*/,
    )
  })
})
