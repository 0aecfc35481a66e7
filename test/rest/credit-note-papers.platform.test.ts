import { afterAll, beforeAll, expect, it } from 'vitest'
import { getDocumentProxy } from 'unpdf'
import { account, aLine, contact, creditNote, sentInvoice } from '../builders.ts'
import { expectValidEvents, refused } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
const email = 'books@harbour.example'
let member: Member
let customerId: string
let invoice: { readonly id: string; readonly invoiceNumber: string; readonly publicUrl: string }
let note: { readonly id: string; readonly creditNoteNumber: string }

/** An overdue invoice over 119 USD, to which 40.50 of a credit note over 60.50 are applied; 10 of that were paid to the customer. */
beforeAll(async () => {
  platform.now = new Date('2027-02-01T10:00:00.000Z')
  member = await platform.member({ organizationId: await platform.organization('Papers'), role: 'ADMIN' })
  customerId = (await account(member, { name: 'Harbour Books' })).id
  const { id: contactId } = await contact(member, { email, accountId: customerId })
  invoice = await sentInvoice(member, { customerId, contactId, issueDate: '2027-01-02', dueDate: '2027-01-19' })
  const draft = await creditNote(member, { customerId, contactId, lineItems: [aLine({ unitPrice: 60.5 })] })
  note = (await member.rest.creditNoteIssue!({ id: draft.id })).body
  const body = { applications: [{ invoiceId: invoice.id, amount: 40.5 }] }
  await member.rest.creditNoteApply!({ id: note.id, body })
  await member.rest.creditNoteRefund!({ id: note.id, body: { amount: 10, reference: 'SEPA 5' } })
})
afterAll(() => expectValidEvents(platform))

async function textOf(path: string): Promise<string> {
  const response = await fetch(platform.url + path, { headers: member.headers })
  expect(response.status).toBe(200)
  const document = await getDocumentProxy(new Uint8Array(await response.arrayBuffer()), { verbosity: 0 })
  const { items } = await (await document.getPage(1)).getTextContent()
  return items
    .map((item) => ('str' in item ? item.str : ''))
    .join('|')
    .replace(/\|(?: \|)+/g, '|')
    .replace(/\|+/g, '|')
}

it('the statement has the credit note and its refund, and no entry for what was applied', async () => {
  const text = await textOf(`/v1/accounts/${customerId}/statement/document?from=2027-01-01&to=2027-02-01`)
  // 119 - 60.50 + 10. The invoice is due with 78.50, and 10 are left of the credit note.
  expect(text).toContain(
    [
      `Invoice ${invoice.invoiceNumber}|2 January 2027|$119.00|$119.00`,
      `Credit note ${note.creditNoteNumber}|1 February 2027|$60.50|$58.50`,
      `Refund of ${note.creditNoteNumber}|(SEPA 5)|1 February 2027|$10.00|$68.50`,
      'Opening balance|$0.00|Invoiced|$119.00|Credited|$60.50|Voided|$0.00|Paid|$0.00|Refunded|$10.00|Balance|$68.50',
      'Open invoices|Not overdue: $0.00|1 to 30 days overdue: $78.50|',
    ].join('|'),
  )
  const { body } = await member.rest.accountStatement!({
    id: customerId,
    query: { from: '2027-01-01', to: '2027-02-01' },
  })
  expect([body.closingBalance, body.entries.map(({ amount }: { amount: number }) => amount)]).toEqual([
    68.5,
    [119, -60.5, 10],
  ])
})

it('the invoice and its page say what is credited and what is due', async () => {
  const text = await textOf(`/v1/invoices/${invoice.id}/document`)
  for (const shown of ['Total|$119.00', 'Credited|', '$40.50', '$78.50']) expect(text).toContain(shown)
  const html = await (await fetch(invoice.publicUrl)).text()
  const shown = (amount: string) => `USD\u00a0${amount}`
  for (const amount of ['119.00', '40.50', '78.50']) expect(html).toContain(shown(amount))
  expect(html).toContain('Credited')
})

it('a reminder claims what is due after the credit, with a fee and interest on that, and none follows when nothing is', async () => {
  const configuration = {
    interestRatePercent: 10,
    steps: [{ level: 1, daysOverdue: 3, tone: 'FIRM', fee: { type: 'PERCENT', value: 2 } }],
  }
  expect((await member.rest.dunningUpdate!({ body: configuration })).status).toBe(200)
  const { body } = await member.rest.invoiceRemind!({ id: invoice.id })
  // 2 % of 78.50, and 13 days of 10 % a year on 78.50.
  expect(body).toMatchObject({ fee: 1.57, interest: 0.28, invoice: { amountCredited: 40.5, amountDue: 78.5 } })
  const { text } = (await mailsTo(platform, email)).at(-1)!
  for (const shown of ['$78.50', 'Together: $80.35']) expect(text).toContain(shown)
  expect(text).not.toContain('$119.00')

  const rest = await creditNote(member, { customerId, lineItems: [aLine({ unitPrice: 68.5 })] })
  await member.rest.creditNoteIssue!({ id: rest.id })
  for (const id of [rest.id, note.id])
    await member.rest.creditNoteApply!({ id, body: { applications: [{ invoiceId: invoice.id }] } })
  expect((await member.rest.invoice!({ id: invoice.id })).body).toMatchObject({ status: 'PAID', amountDue: 0 })
  platform.now = new Date('2027-02-02T10:00:00.000Z')
  expect(await refused(platform, () => member.rest.invoiceRemind!({ id: invoice.id }))).toEqual([409, 'INVALID_STATE'])
})
