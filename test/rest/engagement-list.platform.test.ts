import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { engagementConsumer } from '../../subgraphs/insights/engagement/stored/engagement-consumer.ts'
import { engagementList } from '../../subgraphs/insights/engagement/stored/list.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, activity, contact, each, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let narrow: Member
/** Accounts from the lowest engagement to the highest; the first two are equal. */
let accounts: string[]
let records: { readonly contact: string; readonly lead: string }

beforeAll(async () => {
  member = await platform.member()
  narrow = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
  accounts = (await each([1, 1, 2, 3], async () => account(member))).map(({ id }) => id as string)
  await account(member)
  records = { contact: (await contact(member)).id as string, lead: (await lead(member)).id as string }
  const meetings = [1, 1, 2, 3].flatMap((count, index) => Array.from({ length: count }, () => accounts[index]))
  await each(meetings, (accountId) => activity(member, { type: 'MEETING', accountId }))
  await activity(member, { type: 'MEETING', contactId: records.contact })
  await activity(member, { type: 'MEETING', leadId: records.lead })
  const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  const { id: foreign } = await account(stranger)
  await activity(stranger, { type: 'MEETING', accountId: foreign })
  await platform.query('select kernel.assign_event_positions(100000)')
  for (const { organizationId } of [member, stranger])
    while (await consumeNext(platform.services, engagementConsumer, organizationId));
})

const query = `query ($object: EngagementObject!, $orderBy: EngagementOrder, $limit: Int, $cursor: String) {
  engagementList(object: $object, orderBy: $orderBy, limit: $limit, cursor: $cursor) {
    data { recordId account { id name } contact { id } lead { id } engagement { score } } limit hasMore nextCursor } }`
const listed = async (variables: object, who = member) => (await who.graphql(query, variables)).body
const ids = (body: { data: { engagementList: { data: { recordId: string }[] } } }) =>
  body.data.engagementList.data.map(({ recordId }) => recordId)

const byHighest = () => [accounts[3]!, accounts[2]!, accounts[1]!, accounts[0]!]

describe('engagementList', () => {
  it('has the records with engagement, the highest or the lowest first', async () => {
    const body = await listed({ object: 'ACCOUNT' })
    expect(ids(body)).toEqual(byHighest())
    // S of 30 points of one type is 12, of which k is 25.
    expect(body.data.engagementList).toMatchObject({
      data: [
        {
          account: { id: accounts[3], name: 'Northwind Traders' },
          contact: null,
          lead: null,
          engagement: { score: 38.12 },
        },
        {},
        {},
        {},
      ],
      limit: 20,
      hasMore: false,
      nextCursor: null,
    })
    expect(ids(await listed({ object: 'ACCOUNT', orderBy: 'LOWEST' }))).toEqual(byHighest().toReversed())
  })

  it.each(['HIGHEST', 'LOWEST'] as const)('has each record on one page, %s first', async (orderBy) => {
    const found: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const body = await listed({ object: 'ACCOUNT', orderBy, limit: 1, cursor })
      found.push(...ids(body))
      cursor = body.data.engagementList.nextCursor
    }
    expect(found).toEqual(orderBy === 'HIGHEST' ? byHighest() : byHighest().toReversed())
  })

  it('has contacts and leads', async () => {
    const { contact: contactId, lead: leadId } = records
    const of = async (object: string) => (await listed({ object })).data.engagementList.data
    expect(await of('CONTACT')).toMatchObject([{ account: null, contact: { id: contactId }, lead: null }])
    expect(await of('LEAD')).toMatchObject([{ account: null, contact: null, lead: { id: leadId } }])
  })

  it('has only the live records that the caller sees', async () => {
    expect(ids(await listed({ object: 'ACCOUNT' }, narrow))).toEqual([])
    await member.rest.accountUpdate!({ id: accounts[1], body: { ownerId: narrow.userId } })
    expect(ids(await listed({ object: 'ACCOUNT' }, narrow))).toEqual([accounts[1]])
    await member.rest.accountDelete!({ id: accounts[1] })
    expect(ids(await listed({ object: 'ACCOUNT' }, narrow))).toEqual([])
    await member.rest.accountRestore!({ id: accounts[1] })
    expect(ids(await listed({ object: 'ACCOUNT' }, narrow))).toEqual([accounts[1]])
  })

  it('is refused to a profile that hides what engagement is made of, and to a key without the scope', async () => {
    const hiding = await platform.member({ organizationId: member.organizationId })
    const ctx = systemContext(platform.services, member.organizationId)
    const fields = { activity: { outcome: 'HIDDEN' } } as const
    await assignProfile(ctx, hiding.userId, (await createProfile(ctx, { name: 'No outcomes', fields })).id)
    const { errors } = await listed({ object: 'ACCOUNT' }, hiding)
    expect(errors[0].extensions).toMatchObject({ code: 'FIELD_NOT_READABLE', errors: [{ path: 'activity.outcome' }] })
    const key = await platform.member({ organizationId: member.organizationId, scopes: ['READ_ACCOUNTS'] })
    expect((await listed({ object: 'ACCOUNT' }, key)).errors[0].extensions.code).toBe('API_KEY_SCOPE_INSUFFICIENT')
  })

  it('refuses a cursor of another list, and values out of their bounds', async () => {
    const { nextCursor } = (await listed({ object: 'ACCOUNT', limit: 1 })).data.engagementList
    const forged = Buffer.from(JSON.stringify(['engagement', 'ACCOUNT', 'HIGHEST', 'NaN', newId()])).toString(
      'base64url',
    )
    for (const [variables, problem] of [
      [{ object: 'LEAD', cursor: nextCursor }, 'NOT_A_CURSOR'],
      [{ object: 'ACCOUNT', orderBy: 'LOWEST', cursor: nextCursor }, 'NOT_A_CURSOR'],
      [{ object: 'ACCOUNT', cursor: forged }, 'NOT_A_CURSOR'],
      [{ object: 'ACCOUNT', cursor: '😀' }, 'NOT_A_CURSOR'],
      [{ object: 'ACCOUNT', limit: 101 }, 'OUT_OF_RANGE'],
    ] as const) {
      const { errors } = await listed(variables)
      expect(errors[0].extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ code: problem }] })
    }
  })

  it.each([
    ['HIGHEST', 'total', 'Backward ', '<'],
    ['LOWEST', 'total', '', '>'],
    ['RISING', 'velocity', 'Backward ', '<'],
    ['FALLING', 'velocity', '', '>'],
  ] as const)('reads a range of an index, %s first', async (orderBy, column, direction, sign) => {
    const ctx = systemContext(platform.services, member.organizationId)
    const tenant = platform.services.tenants.of(member.organizationId)
    let plan = ''
    const db: typeof ctx.db = {
      ...ctx.db,
      query: <R>(text: string, values: readonly unknown[] = []) => {
        const explained = tenant.transaction(async (sql) => {
          await sql.query('set local enable_seqscan = off')
          await sql.query('set local enable_sort = off')
          const rows = await sql.query(`explain (costs off) ${text}`, values)
          plan = rows.map((row) => String(Object.values(row)[0])).join('\n')
        })
        return explained.then(() => tenant.query<R>(text, values))
      },
    }
    const { nextCursor: cursor } = (await listed({ object: 'ACCOUNT', orderBy, limit: 1 })).data.engagementList
    await engagementList({ ...ctx, db }, { object: 'ACCOUNT', orderBy, limit: 1, cursor })
    expect(plan).toMatch(
      new RegExp(
        `Index (Only )?Scan ${direction}using engagement_by_${column}[^\n]*\n\\s+Index Cond: [^\n]*ROW\\(${column}, record_id\\) ${sign} `,
      ),
    )
    expect(plan).not.toContain('Sort')
  })
})
