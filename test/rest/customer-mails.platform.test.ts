import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { customerMails } from '../../subgraphs/commerce/customer-mail/customer-mails.ts'
import { isSuspended } from '../../subgraphs/identity/public.ts'
import { mailQueue, mailTable } from '../../subgraphs/kernel/mail/mail-queue.ts'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { contact, invoice, quote } from '../builders.ts'
import { expectValidEvents, refusedInputs } from '../expectations.ts'
import { memberWithEmail, notify } from '../notifications/notify.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const receiver = new SmtpReceiver()
const gone = '550 5.1.1 No such user'
const hourMs = 3_600_000
let smtpUrl: string
let member: Member

beforeAll(async () => {
  smtpUrl = await receiver.start()
  member = await memberWithEmail(platform, { role: 'ADMIN' })
})
afterEach(() => {
  receiver.refusals.clear()
  receiver.refusesContent = null
})
afterAll(async () => {
  await receiver.stop()
  await expectValidEvents(platform)
})

const queue = mailQueue(customerMails, isSuspended)
const services = () => ({ ...platform.services, mailer: new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>') })
const deliver = async (ms = 0) => {
  await ageQueueItems(platform.services, mailTable.table, ms)
  await drain(queue, services())
}
let people = 0
/** A customer with an address of its own. */
async function aCustomer(email = `customer${++people}@mails.example`) {
  const { id: contactId } = await contact(member, { email })
  return { email, contactId: contactId as string }
}
const received = (email: string) => receiver.received.filter(({ to }) => to.includes(email)).length
const rowsOf = (email: string) =>
  platform.query('select state, attempts, last_error as error from kernel.mail where recipient = $1 order by id', [
    email,
  ])
const listed = async (email: string) => {
  const { body } = await member.rest.emailSuppressionList!({ query: { email } })
  return body.data.map(({ reason, messageId }: Record<string, unknown>) => [reason, messageId])
}
const failuresOf = async (id: string) =>
  (await platform.eventTypesOf(id)).filter((type) => type.endsWith('.mail_failed')).length

type Kind = 'invoice' | 'quote'
const send = async (kind: Kind, contactId: string) => {
  const lineItems = [{ name: 'Fee', quantity: 1, unitPrice: 100 }]
  const { id } =
    kind === 'invoice' ? await invoice(member, { contactId }) : await quote(member, { contactId, lineItems })
  const { status, body } = await member.rest[`${kind}Send`]!({ id, body: {} })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as { id: string; status: string; mailFailure: string | null }
}
const read = async (kind: Kind, id: string) => (await member.rest[kind]!({ id })).body

describe.each<Kind>(['invoice', 'quote'])('the mail with the %s', (kind) => {
  it.each([
    ['its address', (email: string) => receiver.refusals.set(email, gone)],
    ['its content because of the address', () => (receiver.refusesContent = gone)],
  ])('bounces if the server refuses %s: the address is suppressed, and the owner is told once', async (_, refuse) => {
    const { email, contactId } = await aCustomer()
    const { id } = await send(kind, contactId)
    refuse(email)
    await deliver()
    expect(await rowsOf(email)).toEqual([{ state: 'BOUNCED', attempts: 1, error: gone }])
    expect(await listed(email)).toEqual([['BOUNCED', null]])
    expect((await member.rest.contact!({ id: contactId })).body.emailStatus).toBe('BOUNCED')
    expect(await read(kind, id)).toMatchObject({ status: 'SENT', mailFailure: gone })

    await deliver(24 * hourMs)
    expect([received(email), await failuresOf(id)]).toEqual([0, 1])
    await notify(platform, member.organizationId)
    const { body } = await member.rest.notificationList!({ query: { pageSize: 100 } })
    const told = body.data.filter(({ entityId }: { entityId: string }) => entityId === id)
    expect(told).toMatchObject([{ eventKey: `${kind}.mail_failed`, body: `Reason: ${gone}.` }])
  })

  it.each([
    ['its content', () => (receiver.refusesContent = '550 5.7.1 Not by our policy'), '550 5.7.1 Not by our policy'],
    ['a full mailbox', (email: string) => receiver.refusals.set(email, '552 5.2.2 Full'), '552 5.2.2 Full'],
  ])('fails without a suppression and is not tried again if the server refuses %s', async (_, refuse, reason) => {
    const { email, contactId } = await aCustomer()
    const { id } = await send(kind, contactId)
    refuse(email)
    await deliver()
    receiver.refusals.clear()
    receiver.refusesContent = null
    await deliver(24 * hourMs)
    expect(await rowsOf(email)).toEqual([{ state: 'FAILED', attempts: 1, error: reason }])
    expect([await listed(email), received(email), await failuresOf(id)]).toEqual([[], 0, 1])
    expect(await read(kind, id)).toMatchObject({ mailFailure: reason })
    // Sending again begins anew.
    expect((await member.rest[`${kind}Send`]!({ id, body: {} })).body).toMatchObject({ mailFailure: null })
    await deliver()
    expect([received(email), (await read(kind, id)).mailFailure]).toEqual([1, null])
  })

  it('is tried again after a temporary refusal, and says it when no attempt is left', async () => {
    const { email, contactId } = await aCustomer()
    const { id } = await send(kind, contactId)
    receiver.refusesContent = '451 4.7.1 Later'
    await deliver()
    expect(await rowsOf(email)).toMatchObject([{ state: 'QUEUED', attempts: 1 }])
    expect((await read(kind, id)).mailFailure).toBe(null)
    await platform.query('update kernel.mail set attempts = 9 where recipient = $1', [email])
    await deliver(24 * hourMs)
    expect(await rowsOf(email)).toMatchObject([{ state: 'FAILED', attempts: 10 }])
    expect((await read(kind, id)).mailFailure).toContain('451 4.7.1 Later')
    expect([await listed(email), await failuresOf(id)]).toEqual([[], 1])
  })

  it('says that it could not be delivered in time', async () => {
    const { email, contactId } = await aCustomer()
    const { id } = await send(kind, contactId)
    await platform.query('update kernel.mail set expires_at = $2 where recipient = $1', [
      email,
      platform.now.toISOString(),
    ])
    await deliver()
    expect(await rowsOf(email)).toMatchObject([{ state: 'EXPIRED', attempts: 1 }])
    expect([(await read(kind, id)).mailFailure, received(email)]).toEqual(['It could not be delivered in time.', 0])
  })

  it('is refused with 400 for a suppressed address, and nothing changes', async () => {
    const { email, contactId } = await aCustomer()
    await member.rest.emailSuppress!({ body: { email } })
    const lineItems = [{ name: 'Fee', quantity: 1, unitPrice: 100 }]
    const { id } =
      kind === 'invoice' ? await invoice(member, { contactId }) : await quote(member, { contactId, lineItems })
    for (const body of [{}, { to: email }])
      expect(await refusedInputs(platform, () => member.rest[`${kind}Send`]!({ id, body }))).toEqual([
        400,
        'VALIDATION_FAILED',
        'to SUPPRESSED',
      ])
    expect(await rowsOf(email)).toEqual([])
    const other = await aCustomer()
    expect((await member.rest[`${kind}Send`]!({ id, body: { to: other.email } })).status).toBe(200)
  })

  it('is told once if the worker dies before it has recorded the outcome', async () => {
    const { email, contactId } = await aCustomer()
    const { id } = await send(kind, contactId)
    receiver.refusals.set(email, gone)
    const dying = mailQueue(
      {
        ...customerMails,
        failed: async (...failure) => {
          await customerMails.failed(...failure)
          throw new Error('killed')
        },
      },
      isSuspended,
    )
    await drain(dying, services())
    expect(await rowsOf(email)).toMatchObject([{ state: 'QUEUED', attempts: 1 }])
    await deliver(24 * hourMs)
    expect(await rowsOf(email)).toEqual([{ state: 'FAILED', attempts: 2, error: 'Not sent: BOUNCED.' }])
    expect([(await read(kind, id)).mailFailure, await failuresOf(id)]).toEqual([gone, 1])
  })

  it('is not sent if the address was suppressed after it was queued', async () => {
    const { email, contactId } = await aCustomer()
    const { id } = await send(kind, contactId)
    await member.rest.emailSuppress!({ body: { email } })
    await deliver()
    expect(await rowsOf(email)).toEqual([{ state: 'FAILED', attempts: 1, error: 'Not sent: MANUAL.' }])
    expect([received(email), (await read(kind, id)).mailFailure]).toEqual([0, 'Not sent: MANUAL.'])
  })

  it('reaches a contact whose address has capital letters, and finds it on the suppression list', async () => {
    const written = `Capital.${kind}@Mails.Example`
    const email = written.toLowerCase()
    const { contactId } = await aCustomer(written)
    const { id } = await send(kind, contactId)
    await deliver()
    expect([received(email), (await read(kind, id)).mailFailure]).toEqual([1, null])
    await member.rest.emailSuppress!({ body: { email: written } })
    expect((await member.rest[`${kind}Send`]!({ id, body: {} })).status).toBe(400)
  })

  it('is sent to a person who wants no advertising', async () => {
    const { email, contactId } = await aCustomer()
    await member.rest.contactUpdate!({ id: contactId, body: { emailOptOut: true } })
    const { id } = await send(kind, contactId)
    await deliver()
    expect([received(email), (await read(kind, id)).mailFailure]).toEqual([1, null])
  })
})

describe('a reminder', () => {
  const overdue = { issueDate: '2020-01-01T00:00:00.000Z', dueDate: '2020-01-31T00:00:00.000Z' }

  it('that bounces says so in its invoice, and no further one is sent or charged', async () => {
    const { email, contactId } = await aCustomer()
    const { id } = await invoice(member, { contactId, ...overdue })
    await member.rest.invoiceSend!({ id, body: {} })
    await deliver()
    receiver.refusals.set(email, gone)
    const { body } = await member.rest.invoiceRemind!({ id })
    expect(body).toMatchObject({ sentTo: email, skippedReason: null })
    await deliver()
    expect([received(email), await listed(email)]).toEqual([1, [['BOUNCED', null]]])
    const after = await read('invoice', id)
    expect(after).toMatchObject({ mailFailure: gone, reminderCount: 1 })
    platform.advanceClock(48 * hourMs)
    expect((await member.rest.invoiceRemind!({ id })).body).toMatchObject({
      sentTo: null,
      skippedReason: 'SUPPRESSED',
      fee: 0,
      invoice: { ...after, daysOverdue: expect.any(Number) },
    })
    expect(await rowsOf(email)).toMatchObject([{ state: 'SENT' }, { state: 'BOUNCED' }])
  })
})

describe('the mail with a quote that is deleted', () => {
  it('suppresses its address all the same', async () => {
    const { email, contactId } = await aCustomer()
    const { id } = await send('quote', contactId)
    expect((await member.rest.quoteDelete!({ id })).status).toBe(204)
    receiver.refusals.set(email, gone)
    await deliver()
    expect(await rowsOf(email)).toEqual([{ state: 'BOUNCED', attempts: 1, error: gone }])
    expect([await listed(email), await failuresOf(id)]).toEqual([[['BOUNCED', null]], 0])
  })
})

describe('the mails of an organization', () => {
  it('obey its own suppression list only', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Other'), role: 'ADMIN' })
    const { email, contactId } = await aCustomer()
    await other.rest.emailSuppress!({ body: { email } })
    await send('invoice', contactId)
    await deliver()
    expect(received(email)).toBe(1)
    receiver.refusals.set(email, gone)
    await send('invoice', contactId)
    await deliver()
    expect((await other.rest.emailSuppressionList!({ query: { email } })).body.data).toMatchObject([
      { reason: 'MANUAL' },
    ])
  })

  it('to users stay as they are', async () => {
    const [user] = await platform.query<{ email: string }>('select email from identity.admin_user where id = $1', [
      member.userId,
    ])
    const { email, contactId } = await aCustomer()
    receiver.refusals.set(user!.email, gone).set(email, gone)
    await send('invoice', contactId)
    await deliver()
    await notify(platform, member.organizationId)
    await deliver()
    expect((await rowsOf(user!.email)).at(-1)).toMatchObject({ state: 'FAILED', attempts: 1 })
    expect(await listed(user!.email)).toEqual([])
  })
})
