import { getDocumentProxy } from 'unpdf'
import { beforeAll, describe, expect, it } from 'vitest'
import { runDunning } from '../../subgraphs/commerce/dunning/dunning.job.ts'
import { addresseeOf } from '../../subgraphs/crm/public.ts'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, aLine, contact, quote, sentInvoice } from '../builders.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let writer: Member
let profiles = 0
let parties: { accountId: string; contactId: string }

beforeAll(async () => {
  writer = await platform.member({ role: 'ADMIN' })
  const accountId = (await account(writer, { name: 'Docks', billingStreet: 'Quay 7', phone: '+49 30 111' })).id
  const contactId = (
    await contact(writer, { firstName: 'Ida', lastName: 'Ek', phone: '+49 30 222', email: 'ida@docks.example' })
  ).id
  parties = { accountId, contactId }
})

async function restricted(fields: object): Promise<Member> {
  const member = await platform.member({ role: 'MANAGER' })
  const ctx = systemContext(platform.services, member.organizationId)
  const { id } = await createProfile(ctx, { name: `Profile ${++profiles}`, fields: fields as never })
  await assignProfile(ctx, member.userId, id)
  return member
}
const invoiceOfParties = (values: object = {}) =>
  sentInvoice(writer, { customerId: parties.accountId, contactId: parties.contactId, ...values })

describe('fields that a profile hides', () => {
  it('are empty in the addressee of a document, and whole for the platform', async () => {
    const system = systemContext(platform.services, writer.organizationId)
    const fields = { contact: { phone: 'HIDDEN', email: 'HIDDEN' }, account: { billingStreet: 'HIDDEN' } } as const
    expect(await addresseeOf(system, parties)).toMatchObject({
      email: 'ida@docks.example',
      phone: '+49 30 222',
      address: ['Quay 7', null, null],
    })
    const limited = { ...system, caller: { ...system.caller, fields, visibility: 'OWN' as const, ownerIds: [] } }
    expect(await addresseeOf({ ...limited, batches: new Map() }, parties)).toEqual({
      accountName: 'Docks',
      contactName: 'Ida Ek',
      address: [null, null, null],
      email: null,
      phone: null,
    })
  })

  it.each([
    [{ invoice: { terms: 'HIDDEN' } }, 403],
    [{ contact: { phone: 'HIDDEN' } }, 200],
    [{ account: { billingStreet: 'HIDDEN' } }, 200],
  ])('%j: the public address of an invoice is null, and no other address gets it', async (fields, document) => {
    const { id, publicUrl } = await invoiceOfParties({ terms: 'Net.' })
    const limited = await restricted(fields)
    expect((await limited.rest.invoiceDocument!({ id })).status).toBe(document)
    expect((await limited.rest.invoice!({ id })).body.publicUrl ?? null).toBe(null)
    const sent = await limited.rest.invoiceSend!({ id, body: { to: 'own@private.example' } })
    expect([sent.status, sent.body.code]).toEqual([403, 'FIELD_NOT_READABLE'])
    expect(await mailsTo(platform, 'own@private.example')).toEqual([])
    expect((await writer.rest.invoice!({ id })).body).toMatchObject({ publicUrl, sentTo: 'ida@docks.example' })
    expect((await limited.rest.invoiceSend!({ id, body: {} })).status).toBe(200)
  })

  it('of a quote are mailed to the contact only', async () => {
    const { id } = await quote(writer, { ...parties, lineItems: [aLine()] })
    const limited = await restricted({ contact: { phone: 'HIDDEN' } })
    const refused = await limited.rest.quoteSend!({ id, body: { to: 'own@private.example' } })
    expect([refused.status, refused.body.code]).toEqual([403, 'FIELD_NOT_READABLE'])
    expect(await mailsTo(platform, 'own@private.example')).toEqual([])
    expect((await writer.rest.quote!({ id })).body.status).toBe('DRAFT')
    expect((await limited.rest.quoteSend!({ id, body: {} })).body.status).toBe('SENT')
  })

  it('are not in reminders: a user with restrictions gets the names only', async () => {
    const template = await writer.rest.emailTemplateCreate!({
      body: {
        name: 'Reminder',
        subject: 'Due',
        bodyHtml: '<p>{{contact.firstName}} [{{contact.phone}}]</p>',
        status: 'ACTIVE',
        isShared: true,
      },
    })
    expect(template.status, JSON.stringify(template.body)).toBe(201)
    const steps = [{ level: 1, daysOverdue: 3, tone: 'FIRM', templateId: template.body.id }]
    expect((await writer.rest.dunningUpdate!({ body: { steps } })).status).toBe(200)
    const limited = await restricted({ contact: { phone: 'HIDDEN' } })
    const textBy = async (member: Member) => {
      const { id } = await invoiceOfParties({ issueDate: '2026-12-20', dueDate: '2027-01-19' })
      const { status, body } = await member.rest.invoiceRemind!({ id })
      expect(status, JSON.stringify(body)).toBe(200)
      return (await mailsTo(platform, 'ida@docks.example')).at(-1)!.text
    }
    expect(await textBy(writer)).toContain('Ida [+49 30 222]')
    expect(await textBy(limited)).not.toContain('222')
    // An automatic reminder has what the owner of the invoice sees: without it, the platform's own text is sent.
    expect((await writer.rest.dunningUpdate!({ body: { enabled: true } })).status).toBe(200)
    const values = { customerId: parties.accountId, contactId: parties.contactId }
    const { id, invoiceNumber } = await sentInvoice(limited, {
      ...values,
      issueDate: '2026-12-20',
      dueDate: '2027-01-19',
    })
    await runDunning(platform.services)
    expect((await writer.rest.invoice!({ id })).body.reminderCount).toBe(1)
    const mails = await mailsTo(platform, 'ida@docks.example')
    const texts = mails.map(({ text }) => text).filter((text) => text.includes(`${invoiceNumber} of the organization`))
    expect(texts.at(-1)).toContain('Please pay now')
    expect(texts.at(-1)).not.toContain('222')
  })

  it('are not in the text of the PDF', async () => {
    const { documentUrl } = await invoiceOfParties()
    const textFor = async ({ headers }: Member) => {
      const response = await fetch(platform.url + documentUrl, { headers })
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/pdf'])
      const document = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()), { verbosity: 0 })
      const { items } = await (await document.getPage(1)).getTextContent()
      return items.map((item) => ('str' in item ? item.str : '')).join('|')
    }
    const whole = await textFor(writer)
    for (const shown of ['Docks', 'Quay 7', 'Ida Ek', 'ida@docks.example']) expect(whole).toContain(shown)
    const limited = await restricted({ account: { billingStreet: 'HIDDEN' }, contact: { email: 'HIDDEN' } })
    const text = await textFor(limited)
    for (const shown of ['Docks', 'Ida Ek']) expect(text).toContain(shown)
    for (const hidden of ['Quay 7', 'ida@docks.example']) expect(text).not.toContain(hidden)
  })
})

describe('a READ_ONLY user', () => {
  it('is refused by its role before the state of a quote is looked at', async () => {
    const reader = await platform.member({ role: 'READ_ONLY' })
    const { id } = await quote(writer, { ...parties, lineItems: [aLine()] })
    for (const verb of ['quoteConvert', 'quoteRevise', 'quoteSubmit', 'quoteRecall', 'quoteCancel', 'quoteSend']) {
      const { status, body } = await reader.rest[verb]!({ id })
      expect([verb, status, body.code]).toEqual([verb, 403, 'PERMISSION_DENIED'])
    }
    expect((await writer.rest.quote!({ id })).body).toMatchObject({ status: 'DRAFT', version: 1 })
  })
})
