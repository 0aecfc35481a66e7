import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { customerMails } from '../../subgraphs/commerce/customer-mail/customer-mails.ts'
import { isSuspended } from '../../subgraphs/identity/public.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { mailQueue } from '../../subgraphs/kernel/mail/mail-queue.ts'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { SmtpMailer } from '../../subgraphs/kernel/mail/smtp-mailer.ts'
import { drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { aLine, contact, quote } from '../builders.ts'
import { refused, refusedInputs } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const receiver = new SmtpReceiver()
let smtpUrl: string
let member: Member
let sender: { name: string; email: string }
let people = 0

beforeAll(async () => {
  smtpUrl = await receiver.start()
  member = await platform.member({ role: 'ADMIN' })
  const [user] = await platform.query<typeof sender>('select name, email from identity.admin_user where id = $1', [
    member.userId,
  ])
  sender = user!
})
afterAll(() => receiver.stop())

async function aQuote(person: object = { firstName: 'Ines', lastName: 'Duarte' }, values: object = {}) {
  const email = `reader${++people}@mails.example`
  const { id: contactId } = await contact(member, { ...person, email })
  const { id, quoteNumber } = await quote(member, { contactId, lineItems: [aLine()], ...values })
  return { id: id as string, quoteNumber: quoteNumber as string, email }
}
/** The paragraphs of the text of the last mail to an address. */
const paragraphsTo = async (email: string) => (await mailsTo(platform, email)).at(-1)!.text.trimEnd().split('\n\n')

/** The headers of the mail that the mail server of the platform received for an address. */
async function headersTo(email: string): Promise<string> {
  const mailer = new SmtpMailer(smtpUrl, 'CRM <crm@platform.example>')
  await drain(mailQueue(customerMails, isSuspended), { ...platform.services, mailer })
  mailer.close()
  const { text } = receiver.received.find(({ to }) => to.includes(email))!
  return text.slice(0, text.indexOf('\r\n\r\n')).replaceAll(/\r\n[ \t]+/g, ' ')
}

describe('the mail with a quote', () => {
  it('greets the contact, and has the words of the sender, the total and the last day', async () => {
    await platform.query(`update identity.organization set settings = $2 where id = $1`, [
      member.organizationId,
      JSON.stringify({ timezone: 'America/Los_Angeles' }),
    ])
    const { id, quoteNumber, email } = await aQuote(undefined, {
      currency: 'KWD',
      lineItems: [aLine({ unitPrice: 1234.5 })],
      validUntil: '2027-12-31',
    })
    const message = '  As discussed on <Tuesday>.\r\n\r\nBest\n'
    expect((await member.rest.quoteSend!({ id, body: { message } })).body.status).toBe('SENT')
    expect((await paragraphsTo(email)).map((text) => text.replaceAll(/[\u00a0\u202f]/g, ' '))).toEqual([
      'Dear Ines Duarte,',
      `The organization “Acme” sends you the quote ${quoteNumber}.`,
      'Ann Lee writes:',
      'As discussed on <Tuesday>.',
      'Best',
      'Total: KWD 1,234.500\nValid until: 31 December 2027',
      expect.stringMatching(/^View the quote:\nhttp\S+\/v1\/public\/quotes\/[\w-]{43}$/),
      'On this page you can accept or reject it. Everybody with the link can do this, so do not share it.',
      'If you have questions, answer this mail.',
      '-- \nAcme',
    ])
    const [mail] = await mailsTo(platform, email)
    expect(mail!.subject).toBe(`Quote ${quoteNumber}`)
    expect(mail!.html).toContain('<p style="margin:0 0 16px">As discussed on &lt;Tuesday&gt;.</p>')
    const headers = await headersTo(email)
    expect(headers).toContain(`Reply-To: ${sender.name} <${sender.email}>`)
    expect(headers).toContain('From: CRM <crm@platform.example>')
  })

  it('is mailed once with an Idempotency-Key, to the contact of the quote', async () => {
    const { id, email } = await aQuote()
    const headers = { 'Idempotency-Key': `send ${id}` }
    const [first, second] = [
      await member.rest.quoteSend!({ id, headers }),
      await member.rest.quoteSend!({ id, headers }),
    ]
    expect([first.status, first.body.status, second.body]).toEqual([200, 'SENT', first.body])
    expect(await mailsTo(platform, email)).toHaveLength(1)
    expect((await paragraphsTo(email))[0]).toBe('Dear Ines Duarte,')
  })

  it('greets nobody by name at another address, and has no line for what the quote or the sender does not say', async () => {
    const { id, quoteNumber } = await aQuote()
    const to = 'colleague@mails.example'
    await member.rest.quoteSend!({ id, body: { to, message: ' \n ' } })
    expect((await paragraphsTo(to)).slice(0, 3)).toEqual([
      'Hello,',
      `The organization “Acme” sends you the quote ${quoteNumber}.`,
      'Total: $100.00',
    ])
    expect((await paragraphsTo(to))[3]).toMatch(/^View the quote:/)
  })

  it('shows no name that could lead the reader elsewhere', async () => {
    const { id, email } = await aQuote({ firstName: 'Visit', lastName: 'evil.example' })
    await member.rest.quoteSend!({ id })
    expect((await paragraphsTo(email))[0]).toBe('Hello,')
  })

  it('has nothing in its text that the profile of the sender hides', async () => {
    const limited = await platform.member({ role: 'MANAGER' })
    const ctx = systemContext(platform.services, member.organizationId)
    const fields = { quote: { validUntil: 'HIDDEN' }, contact: { firstName: 'HIDDEN' } } as const
    const profile = await createProfile(ctx, { name: 'Restricted', fields })
    await assignProfile(ctx, limited.userId, profile.id)
    const { id, quoteNumber, email } = await aQuote(undefined, { validUntil: '2027-12-31' })
    expect((await limited.rest.quoteSend!({ id })).body.status).toBe('SENT')
    const paragraphs = await paragraphsTo(email)
    expect(paragraphs.slice(0, 3)).toEqual([
      'Hello,',
      `The organization “Acme” sends you the quote ${quoteNumber}.`,
      'Total: $100.00',
    ])
    expect(paragraphs[3]).toMatch(/^View the quote:/)
  })

  it('is refused with words that are too long or no text, and for READ_ONLY, and nothing changes', async () => {
    const { id, email } = await aQuote()
    const send = (message: string) => () => member.rest.quoteSend!({ id, body: { message } })
    expect(await refusedInputs(platform, send('x'.repeat(2001)))).toEqual([
      400,
      'VALIDATION_FAILED',
      'message TOO_LONG',
    ])
    const mutation = 'mutation($id: ID!, $message: String) { quoteSend(id: $id, message: $message) { id } }'
    const inGraph = await member.graphql(mutation, { id, message: 'x'.repeat(2001) })
    expect(inGraph.body.errors[0].extensions.errors).toMatchObject([{ path: 'message', code: 'TOO_LONG' }])
    const reader = await platform.member({ role: 'READ_ONLY' })
    const read = () => reader.rest.quoteSend!({ id, body: { message: 'Hello' } })
    expect(await refused(platform, read)).toEqual([403, 'PERMISSION_DENIED'])
    expect(await mailsTo(platform, email)).toEqual([])
  })
})
