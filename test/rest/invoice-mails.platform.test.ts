import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { customerMails } from '../../subgraphs/commerce/customer-mail/customer-mails.ts'
import { runDunning } from '../../subgraphs/commerce/dunning/dunning.job.ts'
import { invoiceMailing } from '../../subgraphs/commerce/invoice/invoice-mail.job.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { isSuspended } from '../../subgraphs/identity/public.ts'
import { mailQueue } from '../../subgraphs/kernel/mail/mail-queue.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { contact, invoice } from '../builders.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const receiver = new SmtpReceiver()
let smtpUrl: string
let member: Member
let people = 0

beforeAll(async () => {
  smtpUrl = await receiver.start()
  member = await platform.member({ role: 'ADMIN' })
})
afterAll(() => receiver.stop())

const emailOf = async ({ userId }: Member) =>
  (await platform.query<{ email: string }>('select email from identity.admin_user where id = $1', [userId]))[0]!.email

async function anInvoice(values: object = {}, person: object = { firstName: 'Ines', lastName: 'Duarte' }) {
  const email = `payer${++people}@mails.example`
  const { id: contactId } = await contact(member, { ...person, email })
  const { id } = await invoice(member, { contactId, ...values })
  return { id: id as string, email }
}
/** The paragraphs of the text of the last mail to an address. */
const paragraphsTo = async (email: string) => (await mailsTo(platform, email)).at(-1)!.text.trimEnd().split('\n\n')

/** Delivers what is queued. A mail that was sent has no content any more. */
async function deliver(): Promise<void> {
  const mailer = new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>')
  await drain(mailQueue(customerMails, isSuspended), { ...platform.services, mailer })
  mailer.close()
  await platform.query(`delete from kernel.mail where state = 'SENT'`)
}
/** The header of the last mail that the mail server of the platform received for an address; undefined without it. */
async function replyToOf(email: string): Promise<string | undefined> {
  await deliver()
  const { text } = receiver.received.findLast(({ to }) => to.includes(email))!
  const headers = text.slice(0, text.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
  expect(headers).toContain('From: CRM <crm@platform.example>')
  return /^Reply-To: (.*)$/m.exec(headers)?.[1]
}
const send = async (by: Member, id: string, body: object = {}) => {
  const answer = await by.rest.invoiceSend!({ id, body })
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body as { invoiceNumber: string }
}

describe('the mail with an invoice', () => {
  it('greets the contact, names the amount and the due date, and leads answers to the sender', async () => {
    const { id, email } = await anInvoice()
    const { invoiceNumber } = await send(member, id)
    expect(await paragraphsTo(email)).toEqual([
      'Dear Ines Duarte,',
      `The organization “Acme” sends you the invoice ${invoiceNumber}.`,
      'To pay: $119.00\nDue date: 3 March 2027',
      expect.stringMatching(/^View the invoice:\nhttp/),
      'Everybody with the link can see the invoice, so do not share it.',
      'If you have questions, answer this mail.',
      '-- \nAcme',
    ])
    expect(await replyToOf(email)).toBe(`Ann Lee <${await emailOf(member)}>`)
  })

  it('is the same when the job makes it after the commit', async () => {
    const { id, email } = await anInvoice()
    const headers = { 'Idempotency-Key': `mail ${id}` }
    expect((await member.rest.invoiceSend!({ id, body: {}, headers })).status).toBe(200)
    expect(await mailsTo(platform, email)).toEqual([])
    await invoiceMailing.run(platform.services)
    expect((await paragraphsTo(email))[0]).toBe('Dear Ines Duarte,')
    expect(await replyToOf(email)).toBe(`Ann Lee <${await emailOf(member)}>`)
  })

  it.each([
    ['at another address', {}, { to: 'clerk@mails.example' }],
    ['by a name that could lead the reader elsewhere', { firstName: 'Visit', lastName: 'evil.example' }, {}],
  ])('greets nobody %s', async (_, person, body: { to?: string }) => {
    const { id, email } = await anInvoice({}, { firstName: 'Ines', lastName: 'Duarte', ...person })
    await send(member, id, body)
    expect((await paragraphsTo(body.to ?? email))[0]).toBe('Hello,')
  })

  it('of a sender who has left meanwhile does not give their words to the owner, who gets the answers', async () => {
    const sender = await platform.member({ role: 'MANAGER' })
    const { id, email } = await anInvoice()
    const headers = { 'Idempotency-Key': `left ${id}` }
    expect((await sender.rest.invoiceSend!({ id, body: { message: 'Thank you.' }, headers })).status).toBe(200)
    await platform.query('update identity.app_user set is_active = false where id = $1', [sender.userId])
    await invoiceMailing.run(platform.services)
    expect((await paragraphsTo(email)).slice(2, 4)).toEqual(['The sender writes:', 'Thank you.'])
    expect(await replyToOf(email)).toBe(`Ann Lee <${await emailOf(member)}>`)
  })

  it('has no name that the profile of the sender hides', async () => {
    const limited = await platform.member({ role: 'MANAGER' })
    const ctx = systemContext(platform.services, member.organizationId)
    const profile = await createProfile(ctx, { name: 'No names', fields: { contact: { firstName: 'HIDDEN' } } })
    await assignProfile(ctx, limited.userId, profile.id)
    const { id, email } = await anInvoice()
    await send(limited, id)
    expect((await paragraphsTo(email))[0]).toBe('Hello,')
  })
})

describe('a reminder', () => {
  // There is one run on a day.
  const runOnNextDay = async () => {
    platform.advanceClock(86_400_000)
    await runDunning(platform.services)
  }
  const overdue = { issueDate: '2026-12-20', dueDate: '2027-01-19' }

  it('greets the contact, names the amount and the due date, and leads answers to who sends it', async () => {
    const { id, email } = await anInvoice(overdue)
    const { invoiceNumber } = await send(member, id)
    await deliver()
    const colleague = await platform.member({ role: 'MANAGER' })
    expect((await colleague.rest.invoiceRemind!({ id })).body).toMatchObject({ sentTo: email })
    expect(await paragraphsTo(email)).toEqual([
      'Dear Ines Duarte,',
      `The invoice ${invoiceNumber} of the organization “Acme” was due on 19 January 2027, 13 days ago.`,
      expect.any(String),
      'Amount due: $119.00\nDue date: 19 January 2027',
      expect.stringMatching(/^View the invoice:\nhttp/),
      'If you have paid already, please ignore this mail.',
      'If you have questions, answer this mail.',
      '-- \nAcme',
    ])
    expect(await replyToOf(email)).toBe(`Ann Lee <${await emailOf(colleague)}>`)
  })

  it('of the daily run leads answers to the owner of the invoice, with the text of a template too', async () => {
    const template = await member.rest.emailTemplateCreate!({
      body: { name: 'Dunning', subject: 'Pay', bodyHtml: '<p>{{ invoice.amountDue }}</p>', status: 'ACTIVE' },
    })
    expect(template.status, JSON.stringify(template.body)).toBe(201)
    const owner = await platform.member({ role: 'MANAGER' })
    for (const templateId of [null, template.body.id as string]) {
      const { steps } = (await member.rest.dunningConfiguration!({})).body
      const body = { enabled: true, steps: steps.map((step: object) => ({ ...step, templateId })) }
      const updated = await member.rest.dunningUpdate!({ body })
      expect(updated.status, JSON.stringify(updated.body)).toBe(200)
      const { id, email } = await anInvoice({ ...overdue, ownerId: owner.userId })
      await send(member, id)
      await deliver()
      await runOnNextDay()
      expect((await member.rest.invoice!({ id })).body.reminderCount).toBe(1)
      expect((await paragraphsTo(email))[0]).toBe(templateId === null ? 'Dear Ines Duarte,' : '$119.00')
      expect(await replyToOf(email)).toBe(`Ann Lee <${await emailOf(owner)}>`)
    }
  })

  it('leads answers to nobody whose address is not verified', async () => {
    const owner = await platform.member({ role: 'MANAGER', isEmailVerified: false })
    const { id, email } = await anInvoice({ ...overdue, ownerId: owner.userId })
    await send(member, id)
    await deliver()
    await runOnNextDay()
    expect((await paragraphsTo(email)).at(-1)).not.toContain('answer this mail')
    expect(await replyToOf(email)).toBe(undefined)
  })
})
