import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { getDocumentProxy } from 'unpdf'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { aLine, contact, quote } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs, unchanged } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let contactId: string
let sent = 0

beforeAll(async () => {
  member = await platform.member()
  contactId = (await contact(member, { email: 'ines@customer.example' })).id
})
afterAll(() => expectValidEvents(platform))

const now = () => platform.now.toISOString()
const before = (ms: number) => new Date(platform.now.getTime() - ms).toISOString()
const byPhone = { name: 'Ines Duarte', method: 'PHONE' }
const stored = async (id: string) => (await member.rest.quote!({ id })).body
const newEvents = async (id: string) => (await platform.eventTypesOf(id)).slice(3)

/** A sent quote and the address of its page. */
async function aSentQuote(values: object = {}) {
  const { id } = await quote(member, { lineItems: [aLine()], ...values })
  const to = `decider${++sent}@customer.example`
  await member.rest.quoteSend!({ id, body: { to } })
  const [mail] = await mailsTo(platform, to)
  const [link] = /http\S+\/v1\/public\/quotes\/[\w-]{43}/.exec(mail!.text)!
  return { id: id as string, link }
}

async function remarkOf(id: string): Promise<string | undefined> {
  const { documentUrl } = await stored(id)
  const pdf = await fetch(platform.url + documentUrl, { headers: { ...member.headers } })
  const document = await getDocumentProxy(new Uint8Array(await pdf.arrayBuffer()), { verbosity: 0 })
  const { items } = await (await document.getPage(1)).getTextContent()
  return items.map((item) => ('str' in item ? item.str : '')).find((text) => /^(Accepted|Declined)/.test(text))
}

const verbs = [
  {
    verb: 'quoteAccept',
    status: 'ACCEPTED',
    event: 'quote.accepted',
    columns: { at: 'acceptedAt', by: 'acceptedByName' },
    remark: 'Accepted',
  },
  {
    verb: 'quoteDecline',
    status: 'REJECTED',
    event: 'quote.rejected',
    columns: { at: 'rejectedAt', by: 'rejectedByName' },
    remark: 'Declined',
  },
] as const

describe.each(verbs)('$verb', ({ verb, status, event, columns: { at, by }, remark }) => {
  const decide = (id: string, body: object = byPhone, headers: Record<string, string> = {}) =>
    member.rest[verb]!({ id, body, headers })

  it('records who decided, when and how, in the quote, in one event and on the PDF', async () => {
    const { id } = await aSentQuote()
    platform.advanceClock(3 * 3_600_000)
    const decidedAt = before(3_600_000)
    const body = {
      name: ' Ines Duarte ',
      method: 'PAPER',
      decidedAt,
      contactId: contactId.toUpperCase(),
      email: 'Ines@Customer.example',
      note: 'Signed copy in the drawer.',
    }
    const decision = {
      method: 'PAPER',
      contactId,
      email: 'ines@customer.example',
      note: 'Signed copy in the drawer.',
      recordedAt: now(),
      recordedById: member.userId,
    }
    const answer = await decide(id, body)
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { status, [at]: decidedAt, [by]: 'Ines Duarte', decision, version: 3, updatedById: member.userId },
    ])
    expect(await stored(id)).toEqual(answer.body)
    expect(await newEvents(id)).toEqual(['quote.updated', event])
    const [row] = await platform.query<{ actorId: string; data: { record: object } }>(
      `select actor_id as "actorId", data from kernel.event where record_id = $1 and type = $2`,
      [id, event],
    )
    expect(row).toMatchObject({ actorId: member.userId, data: { record: { status, decision, [by]: 'Ines Duarte' } } })
    const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(decidedAt))
    expect(await remarkOf(id)).toBe(`${remark} on paper by Ines Duarte on ${day}.`)
    const { data } = (
      await member.graphql('query($id: ID!) { quote(id: $id) { decision { recordedBy { id email } } } }', { id })
    ).body
    expect(data.quote.decision.recordedBy.id).toBe(member.userId)
  })

  it.each(['DRAFT', 'IN_REVIEW', 'APPROVED', 'ACCEPTED', 'REJECTED', 'EXPIRED', 'CANCELLED', 'CONVERTED'])(
    'answers 409 in %s and changes nothing',
    async (other) => {
      const { id } = await quote(member, { lineItems: [aLine()] })
      await platform.query('update commerce.quote set status = $2 where id = $1', [id, other])
      expect(await refused(platform, () => decide(id))).toEqual([409, 'INVALID_STATE'])
    },
  )

  it('answers 409 when validUntil has passed, also before the job has run', async () => {
    const { id } = await aSentQuote({ validUntil: new Date(platform.now.getTime() + 60_000).toISOString() })
    platform.advanceClock(60_000)
    expect(await refused(platform, () => decide(id, { ...byPhone, decidedAt: before(30_000) }))).toEqual([
      409,
      'INVALID_STATE',
    ])
  })

  it('takes a date without a time, also that of the day on which the quote was sent', async () => {
    const { id } = await aSentQuote()
    const { sentAt } = await stored(id)
    const { body } = await decide(id, { ...byPhone, decidedAt: sentAt.slice(0, 10) })
    expect(body).toMatchObject({ status, [at]: sentAt })
    const other = await aSentQuote()
    const previous = before(86_400_000).slice(0, 10)
    expect(await refusedInputs(platform, () => decide(other.id, { ...byPhone, decidedAt: previous }))).toEqual([
      400,
      'VALIDATION_FAILED',
      'decidedAt OUT_OF_RANGE',
    ])
  })

  it('refuses each bad input with its path, and changes nothing', async () => {
    const { id } = await aSentQuote()
    platform.advanceClock(60_000)
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    const unseen = (await contact(stranger)).id
    const bad: [object, ...string[]][] = [
      [{ ...byPhone, name: ' ' }, 'name WRONG_FORMAT'],
      [{ ...byPhone, name: 'x'.repeat(201) }, 'name TOO_LONG'],
      [{ method: 'PHONE' }, 'name REQUIRED'],
      [{ name: 'Ines' }, 'method REQUIRED'],
      [{ ...byPhone, method: 'PUBLIC_PAGE' }, 'method NOT_ALLOWED'],
      [{ ...byPhone, decidedAt: new Date(platform.now.getTime() + 1).toISOString() }, 'decidedAt OUT_OF_RANGE'],
      [{ ...byPhone, decidedAt: before(60_001) }, 'decidedAt OUT_OF_RANGE'],
      [{ ...byPhone, contactId: newId() }, 'contactId UNKNOWN_REFERENCE'],
      [{ ...byPhone, contactId: unseen }, 'contactId UNKNOWN_REFERENCE'],
      [{ ...byPhone, email: 'ines' }, 'email NOT_AN_EMAIL'],
      [{ ...byPhone, note: 'x'.repeat(2001) }, 'note TOO_LONG'],
    ]
    for (const [body, ...problems] of bad)
      expect(await refusedInputs(platform, () => decide(id, body))).toEqual([400, 'VALIDATION_FAILED', ...problems])
    const inGraph = `mutation($id: ID!, $input: ${verb === 'quoteAccept' ? 'QuoteAccept' : 'QuoteDecline'}Input!) { ${verb}(id: $id, input: $input) { id } }`
    const { errors } = (
      await unchanged(platform, () => member.graphql(inGraph, { id, input: { ...byPhone, name: ' ', email: 'ines' } }))
    ).body
    expect(errors[0].extensions.errors.map((one: { path: string; code: string }) => `${one.path} ${one.code}`)).toEqual(
      ['name EMPTY', 'email NOT_AN_EMAIL'],
    )
  })

  it('refuses another version, and replays the answer to the same key', async () => {
    const { id } = await aSentQuote()
    const stale = () => decide(id, byPhone, { 'If-Match': '"1"' })
    expect(await refused(platform, stale)).toEqual([409, 'VERSION_CONFLICT'])
    const key = { 'Idempotency-Key': newId(), 'If-Match': '"2"' }
    const first = await decide(id, byPhone, key)
    const second = await unchanged(platform, () => decide(id, byPhone, key))
    expect([first.status, second.status, second.body]).toEqual([200, 200, first.body])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await refused(platform, () => decide(id))).toEqual([409, 'INVALID_STATE'])
  })

  it('answers 403 to READ_ONLY whatever the state, and 404 to another organization', async () => {
    const reader = await platform.member({ role: 'READ_ONLY' })
    const stranger = await platform.member({ organizationId: await platform.organization('Foreign') })
    const { id: draft } = await quote(member, { lineItems: [aLine()] })
    const { id } = await aSentQuote()
    for (const record of [draft, id, newId()])
      expect(await refused(platform, () => reader.rest[verb]!({ id: record, body: byPhone }))).toEqual([
        403,
        'PERMISSION_DENIED',
      ])
    expect(await refused(platform, () => stranger.rest[verb]!({ id, body: byPhone }))).toEqual([404, 'NOT_FOUND'])
  })

  it('shows the decision to no caller whose profile hides it', async () => {
    const limited = await platform.member({ role: 'MANAGER' })
    const ctx = systemContext(platform.services, member.organizationId)
    const fields = { quote: { decision: 'HIDDEN', [by]: 'HIDDEN' } } as const
    const { id: profileId } = await createProfile(ctx, { name: verb, fields })
    await assignProfile(ctx, limited.userId, profileId)
    const { id } = await aSentQuote()
    const { status: code, body } = await limited.rest[verb]!({ id, body: byPhone })
    expect([code, body.status, body.decision ?? null, body[by] ?? null]).toEqual([200, status, null, null])
    expect((await limited.rest.quoteDocument!({ id })).status).toBe(403)
    expect(await stored(id)).toMatchObject({ [by]: 'Ines Duarte', decision: { method: 'PHONE' } })
  })

  it('is the only decision when the customer decides on the page at the same time', async () => {
    for (let round = 0; round < 4; round += 1) {
      const { id, link } = await aSentQuote()
      const post = (action: string, form: Record<string, string>) =>
        fetch(`${link}/${action}`, { method: 'POST', body: new URLSearchParams(form) })
      const [one, page, other] = await Promise.all([
        decide(id),
        round % 2 ? post('accept', { name: 'Page', consent: 'yes' }) : post('reject', { reason: 'Page' }),
        decide(id, { ...byPhone, name: 'Second' }),
      ])
      expect(page.status).toBe(200)
      const record = await stored(id)
      const isByUser = record.decision.method === 'PHONE'
      expect([one.status, other.status].toSorted((a, b) => a - b)).toEqual(isByUser ? [200, 409] : [409, 409])
      expect([one, other].filter((answer) => answer.status === 409).map(({ body }) => body.code)).toEqual(
        isByUser ? ['INVALID_STATE'] : ['INVALID_STATE', 'INVALID_STATE'],
      )
      expect([record.acceptedAt, record.rejectedAt].filter((time) => time !== null)).toHaveLength(1)
      const decided = (await newEvents(id)).filter((type) => type !== 'quote.updated')
      expect(decided).toEqual([record.status === 'ACCEPTED' ? 'quote.accepted' : 'quote.rejected'])
    }
  })
})

describe('the decision', () => {
  it('has its contact for callers who see it', async () => {
    const { id } = await aSentQuote()
    const body = { ...byPhone, contactId }
    expect((await member.rest.quoteAccept!({ id, body })).body.decision.contactId).toBe(contactId)
    const contactOf = async (by: Member) => {
      const document = 'query($id: ID!) { quote(id: $id) { decision { contactId contact { id email } } } }'
      return (await by.graphql(document, { id })).body
    }
    expect(await contactOf(member)).toEqual({
      data: { quote: { decision: { contactId, contact: { id: contactId, email: 'ines@customer.example' } } } },
    })
    const own = await platform.member({ visibility: 'OWN' })
    await platform.query('update commerce.quote set owner_id = $2 where id = $1', [id, own.userId])
    expect(await contactOf(own)).toEqual({ data: { quote: { decision: { contactId, contact: null } } } })
    const limited = await platform.member({ scopes: ['READ_QUOTES'] })
    expect((await contactOf(limited)).errors[0].extensions.code).toBe('API_KEY_SCOPE_INSUFFICIENT')
  })

  it('of the public page says so, and has no user', async () => {
    const { id, link } = await aSentQuote()
    await fetch(`${link}/accept`, { method: 'POST', body: new URLSearchParams({ name: 'Ines', consent: 'yes' }) })
    const decision = {
      method: 'PUBLIC_PAGE',
      contactId: null,
      email: null,
      note: null,
      recordedAt: now(),
      recordedById: null,
    }
    expect(await stored(id)).toMatchObject({ status: 'ACCEPTED', acceptedAt: now(), acceptedByName: 'Ines', decision })
    expect(await remarkOf(id)).toMatch(/^Accepted electronically by Ines on /)
  })

  it('has the reason for which the customer declined, and leads on as that of the page', async () => {
    const declined = await aSentQuote()
    const { body } = await member.rest.quoteDecline!({
      id: declined.id,
      body: { ...byPhone, reason: 'Budget was cut.' },
    })
    expect(body).toMatchObject({ status: 'REJECTED', rejectionReason: 'Budget was cut.', acceptedAt: null })
    expect((await member.rest.quoteRevise!({ id: declined.id })).body).toMatchObject({
      decision: null,
      status: 'DRAFT',
    })
    const accepted = await aSentQuote()
    await member.rest.quoteAccept!({ id: accepted.id, body: byPhone })
    expect((await member.rest.quoteConvert!({ id: accepted.id })).status).toBe(201)
    expect(await stored(accepted.id)).toMatchObject({ status: 'CONVERTED', decision: { method: 'PHONE' } })
  })
})
