import { beforeAll, describe, expect, it } from 'vitest'
import { forgetBriefs } from '../../subgraphs/assistant/account-brief/account-brief.job.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { updateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, activity, opportunity, sentInvoice, supportCase } from '../builders.ts'
import { refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let ann: Member

beforeAll(async () => {
  platform.now = new Date('2026-11-28T13:00:00.000Z')
  ann = await platform.member()
})

const generated = async (id: string, who = ann, headers: Record<string, string> = {}) => {
  const { status, body } = await who.rest.accountBriefGenerate!({ id, headers })
  expect([status, status === 201 ? '' : body]).toEqual([201, ''])
  return body
}
const read = async (id: string, who = ann) => {
  const { status, body } = await who.rest.accountBrief!({ id })
  return status === 200 ? (body as unknown) : [status, body.code]
}
const storedRows = async () => (await platform.query('select from assistant.account_brief')).length
/** Longer than a gateway caches a key, in milliseconds. */
const cachedMs = 1_000
async function setUser({ organizationId, userId }: Member, change: Parameters<typeof updateUser>[3]): Promise<void> {
  await updateUser(platform.services, organizationId, userId, change)
  platform.advanceClock(cachedMs)
}

/** An account with a deal, an overdue invoice, an escalated case and an activity. */
async function customer(who = ann) {
  const { id } = await account(who, { name: 'Halvorsen Marine', type: 'CUSTOMER', industry: 'Shipping' })
  const deal = await opportunity(who, { accountId: id, name: 'Renewal', amount: 100, closeDate: '2026-11-01' })
  const ticket = await supportCase(who, { accountId: id, subject: 'Labels' })
  await who.rest.caseSetStatus!({ id: ticket.id, body: { status: 'ESCALATED' } })
  const invoice = await sentInvoice(who, { customerId: id })
  await platform.query(
    `update commerce.invoice set status = 'OVERDUE', due_date = '2026-10-31T12:00:00Z' where id = $1`,
    [invoice.id],
  )
  const call = await activity(who, {
    relatedToType: 'ACCOUNT',
    relatedToId: id,
    subject: 'Berths',
    occurredAt: '2026-11-20T10:00:00.000Z',
  })
  return { id: id as string, deal, ticket, invoice, call }
}

async function restrict({ organizationId, userId }: Member, fields: object): Promise<void> {
  const ctx = systemContext(platform.services, organizationId)
  const profile = await createProfile(ctx, { name: `Profile ${newId()}`, fields } as never)
  await assignProfile(ctx, userId, profile.id)
  platform.advanceClock(cachedMs)
}

describe('a brief of an account', () => {
  it('is null, then what the rules write from the records of the account, for its user alone', async () => {
    const { id, invoice } = await customer()
    const before = await fetch(`${platform.url}/v1/accounts/${id}/ai-brief`, { headers: ann.headers })
    expect([before.status, await before.text()]).toEqual([200, 'null'])
    const brief = await generated(id)
    expect(brief).toEqual({
      summary:
        'Halvorsen Marine is a customer in Shipping and belongs to Ann Lee. 1 deal is open. The first one closes on 2026-11-01: Renewal. 1 invoice is overdue. 1 case is open. The last activity was a call on 2026-11-20: Berths.',
      highlights: [],
      risks: [
        'The health is low: 37.5.',
        '1 case is escalated.',
        `The invoice ${invoice.invoiceNumber} is overdue since 2026-10-31: 119 USD.`,
        'The deal Renewal should have closed on 2026-11-01.',
      ],
      generatedAt: platform.now.toISOString(),
      model: 'brief-rules-1',
    })
    expect(await read(id)).toEqual(brief)
    const other = await platform.member({ organizationId: ann.organizationId })
    expect(await read(id, other)).toBe(null)
  })

  it('is served below /v1/companies, as an edge of the account, and on the page of the customer', async () => {
    const { id } = await customer()
    const { status, body } = await ann.rest['accountBriefGenerate_companies']!({ id })
    expect(status).toBe(201)
    expect((await ann.rest['accountBrief_companies']!({ id })).body).toEqual(body)
    const edges = await ann.graphql('{ accountList(limit: 2) { data { id aiBrief { summary model } } } }')
    expect(edges.body.data.accountList.data[0]).toEqual({
      id,
      aiBrief: { summary: body.summary, model: body.model },
    })
    const page = (await ann.rest.customer360!({ accountId: id })).body
    expect([page.brief, page.warnings]).toEqual([body, []])
    const other = await platform.member({ organizationId: ann.organizationId })
    expect((await other.rest.customer360!({ accountId: id })).body.brief).toBe(null)
  })

  it('is replaced by the next one', async () => {
    const { id, ticket } = await customer()
    await generated(id)
    await ann.rest.caseDelete!({ id: ticket.id })
    const count = await storedRows()
    const next = await generated(id)
    expect([next.risks.includes('1 case is escalated.'), await read(id), await storedRows()]).toEqual([
      false,
      next,
      count,
    ])
  })

  it('has names of records without links, images and HTML', async () => {
    const { id } = await account(ann, { name: '<img src=x>Eve ![](https://evil.example) [me](https://evil.example)' })
    await opportunity(ann, { accountId: id, name: 'See https://evil.example/?d=1 </p><b>now</b>' })
    const { summary } = await generated(id)
    expect(summary).toBe(
      'Eve  me belongs to Ann Lee. 1 deal is open. The first one closes on 2027-03-31: See (link removed) now. 0 invoices are overdue. 0 cases are open.',
    )
  })

  it('is 404 for an account that the caller does not see, and nothing is stored', async () => {
    const { id } = await customer()
    const foreign = await platform.member({ organizationId: await platform.organization('Other') })
    const own = await platform.member({ organizationId: ann.organizationId, visibility: 'OWN' })
    await ann.rest.accountDelete!({ id: (await account(ann)).id })
    const { id: deleted } = await account(ann)
    await ann.rest.accountDelete!({ id: deleted })
    const count = await storedRows()
    for (const [who, wanted] of [
      [foreign, id],
      [own, id],
      [ann, newId()],
      [ann, deleted],
    ] as const) {
      expect(await refused(platform, () => who.rest.accountBriefGenerate!({ id: wanted }))).toEqual([404, 'NOT_FOUND'])
      expect(await read(wanted, who)).toEqual([404, 'NOT_FOUND'])
    }
    expect(await storedRows()).toBe(count)
  })

  it('needs its scopes, and a user who may change records', async () => {
    const { id } = await customer()
    const keys = (scopes: readonly string[]) => platform.member({ organizationId: ann.organizationId, scopes })
    const reader = await keys(['READ_ACCOUNTS'])
    const count = await storedRows()
    expect(await refused(platform, () => reader.rest.accountBriefGenerate!({ id }))).toEqual([
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
    ])
    expect(await read(id, reader)).toBe(null)
    expect(await read(id, await keys(['READ_LEADS']))).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    const readOnly = await platform.member({ organizationId: ann.organizationId, role: 'READ_ONLY' })
    expect(await refused(platform, () => readOnly.rest.accountBriefGenerate!({ id }))).toEqual([
      403,
      'PERMISSION_DENIED',
    ])
    expect([await read(id, readOnly), await storedRows()]).toEqual([null, count])
  })

  it('is made of what the scopes of a key permit to read', async () => {
    const { id } = await customer()
    const key = await platform.member({ organizationId: ann.organizationId, scopes: ['WRITE_ACCOUNTS', 'READ_CASES'] })
    expect(await generated(id, key)).toMatchObject({
      summary: 'Halvorsen Marine is a customer in Shipping and belongs to Ann Lee. 1 case is open.',
      risks: ['The health is low: 37.5.', '1 case is escalated.'],
    })
  })

  it('is made of the records and fields that its user sees', async () => {
    const { id } = await customer()
    const hidden = await platform.member({ organizationId: ann.organizationId })
    await restrict(hidden, {
      account: { industry: 'HIDDEN' },
      activity: { subject: 'HIDDEN' },
      case: { accountId: 'HIDDEN' },
    })
    const { summary, risks } = await generated(id, hidden)
    expect([summary, risks.length]).toEqual([
      'Halvorsen Marine is a customer and belongs to Ann Lee. 1 deal is open. The first one closes on 2026-11-01: Renewal. 1 invoice is overdue. The last activity was a call on 2026-11-20.',
      2,
    ])
    const own = await platform.member({ organizationId: ann.organizationId, visibility: 'OWN' })
    await ann.rest.accountUpdate!({ id, body: { ownerId: own.userId } })
    expect((await generated(id, own)).summary).toBe(
      'Halvorsen Marine is a customer in Shipping and belongs to Ann Lee. 0 deals are open. 0 invoices are overdue. 0 cases are open.',
    )
  })
})

describe('a stored brief is not shown', () => {
  const others: [string, (who: Member, made: Awaited<ReturnType<typeof customer>>) => Promise<unknown>][] = [
    ['after a profile hides a field', (who) => restrict(who, { contact: { email: 'HIDDEN' } })],
    ['after the visibility is reduced', (who) => setUser(who, { visibility: 'OWN' })],
    [
      'to a key with fewer scopes',
      ({ keyId }) =>
        platform.query(`update identity.api_key set scopes = '{READ_ACCOUNTS,READ_CASES}' where id = $1`, [keyId]),
    ],
  ]
  it.each(others)('%s, until it is written again', async (_, change) => {
    const who = await platform.member({ organizationId: ann.organizationId, role: 'MANAGER' })
    const made = await customer(who)
    const brief = await generated(made.id, who)
    expect(await read(made.id, who)).toEqual(brief)
    await change(who, made)
    // The process learns of changed rights by a notice of the database.
    await expect.poll(() => read(made.id, who)).toBe(null)
    const edge = await who.graphql('query ($id: ID!) { account(id: $id) { aiBrief { summary } } }', { id: made.id })
    expect(edge.body.data.account).toEqual({ aiBrief: null })
  })

  it('while one of its records is out of sight, also after a change of the role', async () => {
    const own = await platform.member({ organizationId: ann.organizationId, role: 'MANAGER', visibility: 'OWN' })
    const { id, deal } = await customer(own)
    const brief = await generated(id, own)
    const give = (userId: string) => ann.rest.opportunityUpdate!({ id: deal.id, body: { ownerId: userId } })
    await give(ann.userId)
    expect(await read(id, own)).toBe(null)
    await give(own.userId)
    expect(await read(id, own)).toEqual(brief)
    await setUser(own, { role: 'MEMBER' })
    expect(await read(id, own)).toBe(null)
  })

  it('as a replay to a caller who sees less; otherwise the replay is the same and writes nothing', async () => {
    const own = await platform.member({ organizationId: ann.organizationId, visibility: 'OWN' })
    const { id, deal } = await customer(own)
    const headers = { 'Idempotency-Key': newId() }
    const brief = await generated(id, own, headers)
    platform.advanceClock(1_000)
    const again = await own.rest.accountBriefGenerate!({ id, headers })
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([brief, 'true'])
    await ann.rest.opportunityUpdate!({ id: deal.id, body: { ownerId: ann.userId } })
    const less = await own.rest.accountBriefGenerate!({ id, headers })
    expect([less.status, less.body.code]).toEqual([404, 'NOT_FOUND'])
  })

  it('as a replay to a key that has lost the scope of what it was made of', async () => {
    const key = await platform.member({
      organizationId: ann.organizationId,
      scopes: ['WRITE_ACCOUNTS', 'READ_OPPORTUNITIES'],
    })
    const { id } = await customer(ann)
    const call = { id, headers: { 'Idempotency-Key': newId() } }
    const first = await key.rest.accountBriefGenerate!(call)
    const scoped = async (scopes: string) => {
      await platform.query('update identity.api_key set scopes = $2::text[] where id = $1', [key.keyId, scopes])
      platform.advanceClock(1_000)
      const { status, body, headers } = await key.rest.accountBriefGenerate!(call)
      return [status, body.code ?? body, headers.get('idempotent-replayed')]
    }
    expect(first.status).toBe(201)
    expect(await scoped('{WRITE_ACCOUNTS}')).toEqual([403, 'PERMISSION_DENIED', null])
    expect(await scoped('{WRITE_ACCOUNTS,WRITE_OPPORTUNITIES}')).toEqual([201, first.body, 'true'])
  })
})

describe('the stored briefs', () => {
  it('of one user are at most a thousand: the oldest leaves', async () => {
    const who = await platform.member({ organizationId: ann.organizationId })
    const { id } = await account(who)
    await platform.query(
      `insert into assistant.account_brief
         (organization_id, user_id, account_id, summary, highlights, risks, model, sight, records, generated_at)
       select $1, $2, gen_random_uuid(), 's', '[]', '[]', 'm', '', '{}', $3::timestamptz - n * interval '1 hour'
       from generate_series(1, 1000) n`,
      [who.organizationId, who.userId, platform.now.toISOString()],
    )
    const oldest = async () => {
      const [row] = await platform.query<{ count: number; oldest: Date }>(
        'select count(*)::int as count, min(generated_at) as oldest from assistant.account_brief where user_id = $1',
        [who.userId],
      )
      return [row!.count, (platform.now.getTime() - new Date(row!.oldest).getTime()) / 3_600_000]
    }
    expect(await oldest()).toEqual([1_000, 1_000])
    await generated(id as string, who)
    expect(await oldest()).toEqual([1_000, 999])
  })

  it('are deleted after ninety days', async () => {
    const { id } = await customer()
    const brief = await generated(id)
    const age = (time: string) =>
      platform.query('update assistant.account_brief set generated_at = $2 where account_id = $1', [id, time])
    const limit = platform.now.getTime() - 90 * 86_400_000
    await age(new Date(limit).toISOString())
    await forgetBriefs.run(platform.services)
    expect(await read(id)).toEqual({ ...brief, generatedAt: new Date(limit).toISOString() })
    await age(new Date(limit - 1).toISOString())
    await forgetBriefs.run(platform.services)
    expect(await read(id)).toBe(null)
  })
})
