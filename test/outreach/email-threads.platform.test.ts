import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { contact, lead } from '../builders.ts'
import { expectValidEvents, refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let stranger: Member
/** Callers that must not change what belongs to `member`, with the answer that they get. */
let others: readonly (readonly [by: Member, status: number, code: string])[]
let reader: Member

beforeAll(async () => {
  member = await platform.member()
  reader = await platform.member({ scopes: ['READ_ACCOUNTS', 'WRITE_CONTACTS'] })
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  others = [
    [stranger, 404, 'NOT_FOUND'],
    [await platform.member({ visibility: 'OWN' }), 404, 'NOT_FOUND'],
    [reader, 403, 'API_KEY_SCOPE_INSUFFICIENT'],
  ]
})
afterAll(() => expectValidEvents(platform))

let people = 0
const anAddress = () => `person${++people}@thread.example`

async function received(from = anAddress()) {
  const { body } = await member.rest.emailInboundReceive!({
    query: { api_key: member.secret },
    body: { from, to: ['ann@fjordline.example'], subject: 'Dock slots', text: 'When?' },
  })
  return { from, threadId: body.threadId as string }
}
const threadOf = async (id: string) => (await member.rest.emailThread!({ id })).body

describe.each([
  ['emailThreadMarkRead', { unread: false, status: 'OPEN' }],
  ['emailThreadClose', { unread: false, status: 'CLOSED' }],
] as const)('%s', (operation, values) => {
  it('changes the thread once, with one event', async () => {
    const { threadId: id } = await received()
    const before = await threadOf(id)
    expect(before).toMatchObject({ unread: true, status: 'OPEN' })
    const answer = await member.rest[operation]!({ id })
    expect([answer.status, answer.body]).toMatchObject([200, { id, ...values, version: before.version + 1 }])
    expect((await member.rest[operation]!({ id })).body).toEqual(answer.body)
    expect(await threadOf(id)).toMatchObject({ ...values, version: before.version + 1 })
    const types = await platform.eventTypesOf(id)
    expect(types).toEqual(['email_thread.created', 'email_thread.updated', 'email_thread.updated'])
  })

  it('is undone by the next mail', async () => {
    const { from, threadId: id } = await received()
    await member.rest[operation]!({ id })
    expect((await received(from)).threadId).toBe(id)
    expect(await threadOf(id)).toMatchObject({ unread: true, status: 'OPEN', messageCount: 2 })
  })

  it('is refused to another organization, to a colleague who does not see the thread, and without the scope', async () => {
    const { threadId: id } = await received()
    for (const [by, status, code] of others)
      expect(await refused(platform, () => by.rest[operation]!({ id }))).toEqual([status, code])
    expect(await refused(platform, () => member.rest[operation]!({ id: newId() }))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('the records of a thread', () => {
  const query = `query($id: ID!) { emailThread(id: $id) {
    contactId account { id } contact { id email } lead { id } opportunity { id } case { id } } }`

  it('are read with it, and are null once the caller does not see them', async () => {
    const email = anAddress()
    const { id: contactId } = await contact(member, { email })
    const { threadId: id } = await received(email)
    const none = { account: null, lead: null, opportunity: null, case: null }
    expect((await member.graphql(query, { id })).body).toEqual({
      data: { emailThread: { contactId, contact: { id: contactId, email }, ...none } },
    })
    await member.rest.contactDelete!({ id: contactId })
    expect((await member.graphql(query, { id })).body).toEqual({
      data: { emailThread: { contactId, contact: null, ...none } },
    })
  })
})

describe('emailUnsuppress', () => {
  const listed = async (email: string) => (await member.rest.emailSuppressionList!({ query: { email } })).body.data

  it('removes the address in any spelling, once, and mails go to it again', async () => {
    const email = anAddress()
    await member.rest.emailSuppress!({ body: { email } })
    expect(await listed(email)).toMatchObject([{ email, reason: 'MANUAL' }])
    const body = { to: [email], subject: 'x', bodyText: 'x' }
    expect((await member.rest.emailSend!({ body })).status).toBe(400)
    const answer = await member.rest.emailUnsuppress!({ email: email.toUpperCase() })
    expect([answer.status, await listed(email)]).toEqual([204, []])
    expect((await member.rest.emailSend!({ body })).status).toBe(201)
    const again = () => member.rest.emailUnsuppress!({ email })
    expect(await refused(platform, again)).toEqual([404, 'NOT_FOUND'])
    expect(await refused(platform, () => member.rest.emailUnsuppress!({ email: 'nobody' }))).toEqual([404, 'NOT_FOUND'])
  })

  it('leaves what contacts say', async () => {
    const email = anAddress()
    const { id } = await contact(member, { email, emailOptOut: true })
    await member.rest.emailSuppress!({ body: { email } })
    expect((await member.rest.emailUnsuppress!({ email })).status).toBe(204)
    expect((await member.rest.contact!({ id })).body.emailOptOut).toBe(true)
    expect((await member.rest.emailSend!({ body: { to: [email], subject: 'x', bodyText: 'x' } })).status).toBe(400)
  })

  it('concerns only what the caller may see, and may remove', async () => {
    const [seen, unseen, hidden, added] = [anAddress(), anAddress(), anAddress(), anAddress()]
    const { organizationId } = member
    const [colleague, admin] = [
      await platform.member({ organizationId, visibility: 'OWN' }),
      await platform.member({ organizationId, role: 'ADMIN', visibility: 'OWN' }),
    ]
    await contact(colleague, { email: seen })
    await lead(colleague, { email: seen })
    await contact(member, { email: unseen })
    for (const email of [seen, unseen, hidden]) await admin.rest.emailSuppress!({ body: { email } })
    await colleague.rest.emailSuppress!({ body: { email: added } })
    const of = async (by: Member, query = {}) => {
      const { body } = await by.rest.emailSuppressionList!({ query: { limit: 100, ...query } })
      return body.data.map(({ email }: { email: string }) => email)
    }
    expect((await of(colleague)).toSorted()).toEqual([added, seen].toSorted())
    expect(await of(admin)).toEqual(expect.arrayContaining([added, hidden, seen, unseen]))
    expect(await of(colleague, { email: unseen })).toEqual([])
    const remove = (by: Member, email: string) => () => by.rest.emailUnsuppress!({ email })
    expect(await refused(platform, remove(colleague, unseen))).toEqual([404, 'NOT_FOUND'])
    expect(await refused(platform, remove(colleague, seen))).toEqual([403, 'PERMISSION_DENIED'])
    expect((await remove(colleague, added)()).status).toBe(204)
    expect((await remove(admin, unseen)()).status).toBe(204)
  })

  it('lists pages of what the caller sees, whatever lies between', async () => {
    const organizationId = await platform.organization('Pages')
    const [admin, colleague] = [
      await platform.member({ organizationId, role: 'ADMIN' }),
      await platform.member({ organizationId, visibility: 'OWN' }),
    ]
    const emails = Array.from({ length: 12 }, (_, index) => `p${String(index).padStart(2, '0')}@list.example`)
    for (const [index, email] of emails.entries())
      await (index % 4 === 3 ? colleague : admin).rest.emailSuppress!({ body: { email } })
    const found: string[] = []
    let cursor: string | null = null
    do {
      const { body } = await colleague.rest.emailSuppressionList!({ query: { limit: 1, ...(cursor && { cursor }) } })
      found.push(...body.data.map(({ email }: { email: string }) => email))
      cursor = body.nextCursor
    } while (cursor !== null)
    expect(found).toEqual([emails[3], emails[7], emails[11]])
  })

  it('is refused to another organization and without the scope', async () => {
    const email = anAddress()
    await member.rest.emailSuppress!({ body: { email } })
    const remove = (by: Member) => refused(platform, () => by.rest.emailUnsuppress!({ email }))
    expect(await remove(stranger)).toEqual([404, 'NOT_FOUND'])
    expect(await remove(reader)).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    expect(await listed(email)).toMatchObject([{ email }])
  })
})
