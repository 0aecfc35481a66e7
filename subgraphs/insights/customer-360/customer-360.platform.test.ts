import { beforeAll, describe, expect, it } from 'vitest'
import { account, activity, contact, opportunity, quote, sentInvoice, supportCase } from '../../../test/builders.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { systemContext } from '../../kernel/request.ts'

const platform = usePlatform()
const day = 86_400_000
const daysAgo = (days: number) => new Date(platform.now.getTime() - days * day).toISOString()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

const about = (relatedToId: string) => ({ relatedToType: 'ACCOUNT', relatedToId })
const overview = async (id: string, who = member) => (await who.rest.customer360!({ accountId: id })).body

interface Signal {
  readonly key: string
  readonly evidence: readonly { readonly object: string; readonly id: string }[]
}
const keysOf = ({ signals }: { readonly signals: readonly Signal[] }) => signals.map(({ key }) => key)

async function customer() {
  const { id } = await account(member, { name: 'Halvorsen Marine' })
  const person = await contact(member, { accountId: id, firstName: 'Ida', buyingRole: 'DECISION_MAKER' })
  const deal = await opportunity(member, {
    accountId: id,
    name: 'Renewal',
    type: 'RENEWAL',
    amount: 100,
    closeDate: new Date(platform.now.getTime() + 30 * day).toISOString(),
  })
  const ticket = await supportCase(member, { accountId: id })
  const form = await activity(member, { ...about(id), type: 'FORM_SUBMISSION', occurredAt: daysAgo(1) })
  return { id, person, deal, ticket, form }
}

/** A member who sees the same records with a profile that hides fields. */
async function restricted(fields: Readonly<Record<string, Readonly<Record<string, 'HIDDEN'>>>>): Promise<Member> {
  const other = await platform.member({ organizationId: member.organizationId })
  const ctx = systemContext(platform.services, member.organizationId)
  const profile = await createProfile(ctx, { name: `Profile ${newId()}`, fields } as never)
  await assignProfile(ctx, other.userId, profile.id)
  return other
}

describe('the page of a customer', () => {
  it('has the parts of the account and of nothing else', async () => {
    const { id, person, deal, ticket, form } = await customer()
    await customer()
    const page = await overview(id)
    expect(page.warnings).toEqual([])
    expect(page).toMatchObject({
      account: { id, name: 'Halvorsen Marine' },
      contacts: [{ id: person.id, buyingRole: 'DECISION_MAKER', status: 'ACTIVE', engagementScore: 0 }],
      openDeals: [{ id: deal.id, name: 'Renewal', amount: 100, type: 'RENEWAL' }],
      wonRevenue: 0,
      openCases: 1,
      invoices: { outstanding: 0, overdue: 0, currency: 'USD' },
      brief: null,
      computedAt: platform.now.toISOString(),
    })
    expect(
      page.recentTimeline
        .map(({ recordId }: { recordId: string }) => recordId)
        .toSorted((a: string, b: string) => a.localeCompare(b)),
    ).toEqual([deal.id, ticket.id, form.id].toSorted((a, b) => a.localeCompare(b)))
    expect(page.signals).toEqual([
      {
        key: 'ENGAGEMENT_UP',
        polarity: 'POSITIVE',
        strength: 1,
        detectedAt: daysAgo(1),
        evidence: [{ object: 'ACTIVITY', id: form.id }],
      },
      expect.objectContaining({ key: 'DECISION_MAKER_JOINED', polarity: 'BUYING', strength: 0.25 }),
      expect.objectContaining({ key: 'RENEWAL_NEAR', evidence: [{ object: 'OPPORTUNITY', id: deal.id }] }),
      expect.objectContaining({
        key: 'FORM_SUBMITTED',
        detectedAt: daysAgo(1),
        evidence: [{ object: 'ACTIVITY', id: form.id }],
      }),
    ])
  })

  it('sums won deals and open invoices', async () => {
    const { id } = await customer()
    for (const amount of [200, 50.5]) {
      const { id: won } = await opportunity(member, { accountId: id, amount })
      await member.rest.opportunityUpdate!({ id: won, body: { stage: 'CLOSED_WON' } })
    }
    await sentInvoice(member, { customerId: id })
    const page = await overview(id)
    expect([page.wonRevenue, page.invoices]).toEqual([250.5, { outstanding: 119, overdue: 0, currency: 'USD' }])
  })

  it('is served without /v1 too', async () => {
    const { id } = await customer()
    for (const part of ['', 'Timeline', 'Contacts', 'Deals', 'Documents', 'Signals']) {
      const { status, body } = await member.rest[`customer360${part}`]!({ accountId: id })
      expect(status).toBe(200)
      expect((await member.rest[`customer360${part}_customer-360`]!({ accountId: id })).body).toEqual(body)
    }
  })

  it('tells what is escalated and stalled, and who left', async () => {
    const { id, ticket } = await customer()
    await member.rest.caseSetStatus!({ id: ticket.id, body: { status: 'ESCALATED' } })
    const champion = await contact(member, { accountId: id, buyingRole: 'CHAMPION' })
    await member.rest.contactUpdate!({ id: champion.id, body: { status: 'INACTIVE' } })
    const { body } = await member.rest.customer360Signals!({ accountId: id })
    expect(keysOf(body)).toEqual([
      'ENGAGEMENT_UP',
      'CHAMPION_LEFT',
      'DECISION_MAKER_JOINED',
      'CASES_ESCALATED',
      'RENEWAL_NEAR',
      'FORM_SUBMITTED',
    ])
    expect(body.signals[3].evidence).toEqual([{ object: 'CASE', id: ticket.id }])
  })
})

describe('the signals of a customer', () => {
  const signalOf = async (accountId: string, key: string): Promise<object> => {
    const { body } = await member.rest.customer360Signals!({ accountId })
    return body.signals.find((one: { key: string }) => one.key === key)
  }

  it('tell of less engagement, and of silence', async () => {
    const { id } = await account(member)
    const meetings = []
    for (const days of [15, 17, 19, 21, 23])
      meetings.push(
        await activity(member, { ...about(id), type: 'MEETING', direction: 'INBOUND', occurredAt: daysAgo(days) }),
      )
    const evidence = meetings.map((one) => ({ object: 'ACTIVITY', id: one.id }))
    const common = { polarity: 'NEGATIVE', detectedAt: daysAgo(15), evidence }
    expect(await signalOf(id, 'ENGAGEMENT_DOWN')).toEqual({ key: 'ENGAGEMENT_DOWN', strength: 1, ...common })
    // 15 days of silence are 7.5 of the usual gaps of 2 days; the strength is 1 at 12 of them.
    expect(await signalOf(id, 'SILENCE')).toEqual({ key: 'SILENCE', strength: 0.63, ...common })
  })

  it('tell of overdue invoices', async () => {
    const { id } = await account(member)
    const invoice = await sentInvoice(member, { customerId: id })
    await platform.query(`update commerce.invoice set status = 'OVERDUE', overdue_at = $2 where id = $1`, [
      invoice.id,
      daysAgo(3),
    ])
    expect(await signalOf(id, 'INVOICES_OVERDUE')).toEqual({
      key: 'INVOICES_OVERDUE',
      polarity: 'NEGATIVE',
      strength: 0.25,
      detectedAt: daysAgo(3),
      evidence: [{ object: 'INVOICE', id: invoice.id }],
    })
  })

  it('tell of deals that stay in a stage for longer than it allows', async () => {
    const { id } = await account(member)
    const [stalled, fresh] = [
      await opportunity(member, { accountId: id }),
      await opportunity(member, { accountId: id }),
    ]
    for (const [deal, days] of [
      [stalled, 31],
      [fresh, 29],
    ] as const)
      await platform.query('update crm.opportunity set stage_entered_at = $2 where id = $1', [deal.id, daysAgo(days)])
    expect(await signalOf(id, 'DEAL_STALLED')).toEqual({
      key: 'DEAL_STALLED',
      polarity: 'NEGATIVE',
      strength: 0.25,
      detectedAt: daysAgo(1),
      evidence: [{ object: 'OPPORTUNITY', id: stalled.id }],
    })
  })

  it('tell of documents that were viewed in the last 30 days', async () => {
    const { id } = await account(member)
    const view = (days: number) => activity(member, { ...about(id), type: 'DOCUMENT_VIEW', occurredAt: daysAgo(days) })
    await view(31)
    const recent = await view(29)
    expect(await signalOf(id, 'DOCUMENT_VIEWED')).toEqual({
      key: 'DOCUMENT_VIEWED',
      polarity: 'BUYING',
      strength: 0.25,
      detectedAt: daysAgo(29),
      evidence: [{ object: 'ACTIVITY', id: recent.id }],
    })
  })
})

describe('the parts of a customer', () => {
  it('are pages of the records', async () => {
    const { id, person, deal } = await customer()
    const contacts = (await member.rest.customer360Contacts!({ accountId: id })).body
    expect(contacts).toMatchObject({
      data: [{ contact: { id: person.id, firstName: 'Ida' }, engagement: { score: 0 } }],
      total: 1,
      page: 1,
      limit: 20,
      hasMore: false,
    })
    const deals = (await member.rest.customer360Deals!({ accountId: id })).body
    expect(deals).toMatchObject({
      data: [{ deal: { id: deal.id, stageHistory: [{ stage: 'PROSPECTING' }] } }],
      total: 1,
    })
  })

  it('have the quotes in every status, also the accepted one', async () => {
    const { id } = await customer()
    const first = await quote(member, { accountId: id })
    const accepted = await quote(member, { accountId: id })
    await platform.query(`update commerce.quote set status = 'ACCEPTED' where id = $1`, [accepted.id])
    const { body } = await member.rest.customer360Documents!({ accountId: id })
    expect(body.quotes.map(({ id: one, status }: { id: string; status: string }) => [one, status])).toEqual([
      [accepted.id, 'ACCEPTED'],
      [first.id, 'DRAFT'],
    ])
    expect([body.contracts, body.orders, body.warnings]).toEqual([[], [], []])
  })

  it('have the timeline by numbers of pages and by cursors', async () => {
    const { id } = await account(member)
    for (const subject of ['a', 'b', 'c', 'd', 'e'])
      await activity(member, { ...about(id), subject, occurredAt: daysAgo(subject.charCodeAt(0)) })
    const page = async (query: Readonly<Record<string, string | number>>) =>
      (await member.rest.customer360Timeline!({ accountId: id, query })).body
    const titles = ({ data }: { data: readonly { title: string }[] }) => data.map(({ title }) => title).join('')
    const pages = [
      await page({ pageSize: 2 }),
      await page({ pageSize: 2, page: 2 }),
      await page({ pageSize: 2, page: 3 }),
    ]
    expect(pages.map((one) => [titles(one), one.page, one.limit, one.hasMore])).toEqual([
      ['ab', 1, 2, true],
      ['cd', 2, 2, true],
      ['e', 3, 2, false],
    ])
    expect(titles(await page({ pageSize: 2, cursor: pages[0].nextCursor }))).toBe('cd')
    expect(pages[2].nextCursor).toBe(null)
    expect(titles(await page({ type: 'TASK,CASE' }))).toBe('')
    expect(titles(await page({ pageSize: 100, page: 100 }))).toBe('')
    const refused = await member.rest.customer360Timeline!({ accountId: id, query: { pageSize: 100, page: 101 } })
    expect(refused.body.errors).toMatchObject([{ path: 'page', code: 'OUT_OF_RANGE' }])
  })
})

describe('a part that cannot be read', () => {
  it('is null with a warning if it is forbidden, and the others are there', async () => {
    const { id, person, deal } = await customer()
    const other = await restricted({
      case: { accountId: 'HIDDEN' },
      contact: { buyingRole: 'HIDDEN', email: 'HIDDEN' },
    })
    const page = await overview(id, other)
    expect(page.warnings).toEqual([
      { block: 'CASES', code: 'FIELD_NOT_READABLE' },
      { block: 'ROLES', code: 'FIELD_NOT_READABLE' },
    ])
    expect(page).toMatchObject({
      openCases: null,
      contacts: [{ id: person.id, email: null, buyingRole: null }],
      openDeals: [{ id: deal.id }],
    })
    expect(keysOf(page)).toEqual(['ENGAGEMENT_UP', 'RENEWAL_NEAR', 'FORM_SUBMITTED'])
  })

  it('is null with a warning if it is dead, and the others are there', async () => {
    const { id, deal } = await customer()
    await platform.query('alter view tenant.support_case rename to absent')
    try {
      const page = await overview(id)
      expect(page.warnings.map(({ block }: { block: string }) => block)).toEqual(['CASES', 'TIMELINE'])
      expect(page).toMatchObject({ openCases: null, recentTimeline: null, openDeals: [{ id: deal.id }], wonRevenue: 0 })
    } finally {
      await platform.query('alter view tenant.absent rename to support_case')
    }
  })

  it('is null with a warning after 1.5 s if it is stuck, and the others are there', async () => {
    const { id, deal } = await customer()
    await platform.services.database.transaction(async (sql) => {
      await sql.query('lock table crm.task in access exclusive mode')
      const started = performance.now()
      const page = await overview(id)
      expect(performance.now() - started).toBeLessThan(2500)
      expect(page.warnings.map(({ block }: { block: string }) => block)).toEqual(['TIMELINE'])
      expect(page).toMatchObject({ recentTimeline: null, openCases: 1, openDeals: [{ id: deal.id }] })
    })
  })

  it('is all of them if the account is out of sight', async () => {
    const { id } = await customer()
    const stranger = await platform.member({ organizationId: await platform.organization() })
    const blind = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    for (const who of [stranger, blind])
      for (const name of ['customer360', 'customer360Timeline', 'customer360Contacts', 'customer360Deals'] as const) {
        const { status, body } = await who.rest[name]!({ accountId: id })
        expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
      }
    expect((await member.rest.customer360!({ accountId: newId() })).status).toBe(404)
  })
})
