import { afterAll, beforeAll, expect, it } from 'vitest'
import { customerMails } from '../../subgraphs/commerce/customer-mail/customer-mails.ts'
import { isSuspended } from '../../subgraphs/identity/public.ts'
import { mailQueue } from '../../subgraphs/kernel/mail/mail-queue.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { outgoingEmailQueue } from '../../subgraphs/outreach/email/outgoing-email.queue.ts'
import { invoice, quote } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const receiver = new SmtpReceiver()
let smtpUrl: string

beforeAll(async () => {
  smtpUrl = await receiver.start()
})
afterAll(() => receiver.stop())

const plain = 'Harbour'
/** Texts that would add a header or a recipient wherever they reached a header as they are. */
const hostile = [
  'Harbour\r\nBcc: eve@attacker.example',
  'Harbour\nX-Injected: 1\n\nBody',
  '=?utf-8?q?Harbour=0D=0ABcc:_eve@attacker.example?=',
  'Harbour" <eve@attacker.example>, "',
  'Harbour\u2028Bcc: eve@attacker.example\u0000',
]

/** Every kind of mail to a customer, with this text wherever a user may set one that gets into a header. */
const ways: Readonly<Record<string, (member: Member, to: string, text: string) => Promise<{ status: number }>>> = {
  emailSend: (member, to, text) =>
    member.rest.emailSend!({
      body: { to: [to], subject: text.replaceAll(/[\r\n\0\u2028]/g, ' '), bodyHtml: '<p>Yes</p>' },
    }),
  quoteSend: async (member, to) => {
    const { id } = await quote(member, { lineItems: [{ name: 'Fee', quantity: 1, unitPrice: 100 }] })
    return member.rest.quoteSend!({ id, body: { to } })
  },
  invoiceSend: async (member, to) => {
    const { id } = await invoice(member)
    return member.rest.invoiceSend!({ id, body: { to } })
  },
}

/** The names of the headers, with folded lines as one; and who gets the mail. */
async function sentBy(way: string, text: string, to: string): Promise<{ headers: string[]; to: string[][] }> {
  const organizationId = await platform.organization(`Sender of ${to}`)
  const member = await platform.member({ organizationId, role: 'OWNER' })
  // The worst that may be stored, past the checks of inputs.
  const stored = text.replaceAll('\0', '')
  await platform.query('update identity.organization set name = $2 where id = $1', [organizationId, stored])
  await platform.query(
    `update identity.person p set name = $2, first_name = $2, last_name = $2 from identity.app_user u where u.person_id = p.id and u.id = $1`,
    [member.userId, stored],
  )
  const { status } = await ways[way]!(member, to, text)
  expect(status).toBeLessThan(300)
  await platform.query(`update commerce.quote set name = $2 where organization_id = $1`, [organizationId, stored])
  const services = { ...platform.services, mailer: new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>') }
  await drain(mailQueue(customerMails, isSuspended), services)
  await drain(outgoingEmailQueue, services)
  const mails = receiver.received.splice(0)
  const head = mails[0]!.text.split('\r\n\r\n')[0]!.replaceAll(/\r\n[ \t]+/g, ' ')
  return {
    headers: head.split('\r\n').map((line) => line.slice(0, line.indexOf(':')).toLowerCase()),
    to: mails.map((mail) => mail.to),
  }
}

it.each(Object.keys(ways))('%s: no text of a user adds a header or a recipient', async (way) => {
  const to = `${way.toLowerCase()}@customer.example`
  const expected = await sentBy(way, plain, to)
  expect(expected.to).toEqual([[to]])
  expect(expected.headers).toContain('subject')
  for (const text of hostile) expect(await sentBy(way, text, to), JSON.stringify(text)).toEqual(expected)
})
