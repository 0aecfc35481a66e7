import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { contact } from '../builders.ts'
import { expectValidEvents, unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { graphqlClient } from '../rest-client.ts'
import { aMail, aSequence, react, run } from './sequence.fixture.ts'

const platform = usePlatform()
const receiver = new SmtpReceiver()
let member: Member
let smtpUrl: string

beforeAll(async () => {
  smtpUrl = await receiver.start()
  member = await platform.member()
})
afterAll(async () => {
  await receiver.stop()
  await expectValidEvents(platform)
})

let people = 0
const anAddress = () => `person${++people}@reply.example`
const deliver = () =>
  drain(outgoingEmailQueue, { ...platform.services, mailer: new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>') })

interface Mail {
  readonly id: string
  readonly threadId: string
  readonly internetMessageId: string
}

async function sent(to: string, values: object = {}): Promise<Mail> {
  const { status, body } = await member.rest.emailSend!({
    body: { to: [to], subject: 'Dock slots', bodyText: 'Hello', ...values },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  await deliver()
  return body
}

async function receive(from: string, values: object = {}) {
  const { status, body } = await member.rest.emailInboundReceive!({
    query: { api_key: member.secret },
    body: { from, to: ['ann@fjordline.example'], subject: 'RE: dock slots', text: 'Yes', ...values },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

const threadOf = async (id: string) => (await member.rest.emailThread!({ id })).body
const statusesOf = async (id: string) =>
  (await threadOf(id)).messages.map(({ direction, status }: Record<string, string>) => `${direction} ${status}`)

/** A person who has got the first mail of a sequence. */
async function enrolled(settings: object = {}) {
  const { id } = await aSequence(member, [aMail(), aMail({ delayDays: 5 })], { settings })
  const person = await contact(member, { firstName: `Ida${++people}`, email: anAddress() })
  const body = { entityType: 'CONTACT', entityId: person.id }
  const { id: enrollmentId } = (await member.rest.sequenceEnroll!({ id, body })).body
  await run(platform)
  await deliver()
  const status = async () => {
    await react(platform, member)
    return (await member.rest.sequenceEnrollment!({ id: enrollmentId })).body.status
  }
  return { email: person.email as string, subject: `Re: Dock slots for ${person.firstName}`, status }
}

describe('a Message-ID of a received mail', () => {
  const query = 'query { __type(name: "EmailInboundInput") { inputFields { name description } } }'
  const receiving = 'mutation ($input: EmailInboundInput!) { emailInboundReceive(input: $input) { emailId threadId } }'

  it.each(['messageId', 'inReplyTo', 'references'])('has at most as many characters as %s says', async (name) => {
    const graphql = graphqlClient(platform.url, member.headers)
    const { inputFields } = (await graphql(query)).body.data.__type
    const field = (inputFields as Record<string, string>[]).find((one) => one['name'] === name)!
    const max = Number(/at most (\d+) characters/.exec(field['description']!)?.[1])
    const input = (length: number) => {
      const id = String(++people).padEnd(length, 'x')
      const value = name === 'references' ? [id] : id
      return { from: anAddress(), to: ['ann@fjordline.example'], subject: 'Long', [name]: value }
    }
    const longest = input(max)
    const { body } = await graphql(receiving, { input: longest })
    expect(body.errors).toBeUndefined()
    const [{ internetMessageId, inReplyTo, references }] = (await threadOf(body.data.emailInboundReceive.threadId))
      .messages
    expect({ messageId: internetMessageId, inReplyTo, references: references[0] }).toMatchObject({
      [name]: `<${[longest[name]].flat()[0]}>`,
    })

    const { extensions } = (await unchanged(platform, () => graphql(receiving, { input: input(max + 1) }))).body
      .errors[0]
    expect(extensions).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ code: 'TOO_LONG' }] })
  })
})

describe('a reply that names no mail', () => {
  it('answers the last mail of the thread that was sent to its sender', async () => {
    const [to, other] = [anAddress(), anAddress()]
    const first = await sent(to)
    await sent(to, { threadId: first.threadId, cc: [other] })
    await sent(other, { threadId: first.threadId })
    const queued = await member.rest.emailSend!({ body: { to: [to], bodyText: 'x', threadId: first.threadId } })
    platform.advanceClock(60_000)
    const { threadId } = await receive(to)
    expect(threadId).toBe(first.threadId)
    expect(await statusesOf(threadId)).toEqual([
      'OUTBOUND SENT',
      'OUTBOUND REPLIED',
      'OUTBOUND SENT',
      'OUTBOUND QUEUED',
      'INBOUND DELIVERED',
    ])
    expect(await threadOf(threadId)).toMatchObject({ status: 'REPLIED', firstResponseSeconds: 60, unread: true })
    const { messages } = await threadOf(threadId)
    expect(await platform.eventTypesOf(messages[1].id)).toEqual(['email.created', 'email.sent', 'email.replied'])
    expect(await platform.eventTypesOf(queued.body.id)).toEqual(['email.created'])
  })

  it('ends the enrollment of its sender, if the sequence stops on replies', async () => {
    const [stopped, continued] = [await enrolled(), await enrolled({ stopOnReply: false })]
    for (const { email, subject } of [stopped, continued]) await receive(email, { subject })
    expect([await stopped.status(), await continued.status()]).toEqual(['REPLIED', 'ACTIVE'])
  })

  it.each([
    { headers: { 'Auto-Submitted': 'auto-replied' } },
    { headers: { Precedence: 'auto_reply' } },
    { headers: { 'Delivered-To': ['ann@fjordline.example', 'Autoresponder'] } },
    { headers: { 'Content-Type': 'multipart/report; report-type=disposition-notification; boundary="b"' } },
    { text: 'Out of office', headers: { 'X-Autoreply': 'yes' } },
  ])('answers nothing as an automatic mail: %j', async (values) => {
    const { email, subject, status } = await enrolled()
    const { threadId } = await receive(email, { subject, ...values })
    expect(await statusesOf(threadId)).toEqual(['OUTBOUND SENT', 'INBOUND DELIVERED'])
    expect([(await threadOf(threadId)).status, await status()]).toEqual(['AWAITING_RESPONSE', 'ACTIVE'])
  })

  it('answers the mail although its program wants no automatic replies', async () => {
    const { email, subject, status } = await enrolled()
    const { threadId } = await receive(email, { subject, headers: { 'X-Auto-Response-Suppress': 'All' } })
    expect(await statusesOf(threadId)).toEqual(['OUTBOUND REPLIED', 'INBOUND DELIVERED'])
    expect([(await threadOf(threadId)).status, await status()]).toEqual(['REPLIED', 'REPLIED'])
  })

  it('answers nothing if no mail of the thread was sent to its sender', async () => {
    const [to, hidden, colleague] = [anAddress(), anAddress(), anAddress()]
    const mail = await sent(to, { bcc: [hidden] })
    const { threadId } = await receive(to, { cc: [colleague], headers: { 'Auto-Submitted': 'auto-replied' } })
    expect((await receive(colleague)).threadId).toBe(threadId)
    expect(threadId).toBe(mail.threadId)
    expect((await statusesOf(threadId))[0]).toBe('OUTBOUND SENT')
    await receive(hidden, { references: [mail.internetMessageId] })
    expect((await statusesOf(threadId))[0]).toBe('OUTBOUND REPLIED')
  })
})

describe('a reply whose last named mail was received', () => {
  it('answers the last mail of the thread that was sent to its sender', async () => {
    const to = anAddress()
    const first = await sent(to)
    const answer = { messageId: '<in1@reply.example>', inReplyTo: first.internetMessageId }
    await receive(to, answer)
    await sent(to, { threadId: first.threadId })
    const more = { inReplyTo: answer.messageId, references: [first.internetMessageId, answer.messageId] }
    await receive(to, { ...more, headers: { 'Auto-Submitted': 'auto-replied' } })
    expect((await statusesOf(first.threadId))[2]).toBe('OUTBOUND SENT')
    await receive(to, more)
    expect(await statusesOf(first.threadId)).toEqual([
      'OUTBOUND REPLIED',
      'INBOUND DELIVERED',
      'OUTBOUND REPLIED',
      'INBOUND DELIVERED',
      'INBOUND DELIVERED',
    ])
  })

  it('ends the enrollment of its sender', async () => {
    const { email, subject, status } = await enrolled()
    const [first] = [{ subject, messageId: `<auto${++people}@reply.example>`, headers: { Precedence: 'bulk' } }]
    await receive(email, first)
    expect(await status()).toBe('ACTIVE')
    await receive(email, { subject: 'Another subject', inReplyTo: first!.messageId })
    expect(await status()).toBe('REPLIED')
  })
})
