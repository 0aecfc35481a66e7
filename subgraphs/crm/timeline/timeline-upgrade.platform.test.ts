import { expect, it } from 'vitest'
import { account, contact, sentInvoice } from '../../../test/builders.ts'
import { usePlatform } from '../../../test/platform.ts'
import { migrations } from '../../all.ts'
import { paymentEntryTable } from '../../commerce/invoice/payment-entry.migrations.ts'
import { migrate } from '../../kernel/database/migrate.ts'
import { emailEntryTable } from '../../outreach/email/email-entry.migrations.ts'

const platform = usePlatform()

/** The database as before the release that put mails and payments into timelines, with all mails and invoices. */
async function asBefore(): Promise<void> {
  for (const table of ['outreach.email_entry', 'commerce.payment_entry'])
    await platform.query(`drop table ${table} cascade`)
  const functions = ['outreach.add_email_entries', 'outreach.keep_email_entries', 'outreach.link_email_entries']
  for (const name of [...functions, 'commerce.keep_payment_entries'])
    await platform.query(`drop function ${name} cascade`)
  const added = [emailEntryTable, paymentEntryTable].map(({ name }) => name)
  await platform.query('delete from kernel.migration where name = any($1)', [added])
}

it('mails and payments of an older database are in the timelines of its records after the migration', async () => {
  const member = await platform.member()
  const other = await platform.member()
  const { id: accountId } = await account(member)
  const { id: contactId } = await contact(member)
  const mail = async (values: object): Promise<string> => {
    const body = { to: ['ida@halvorsen-marine.example'], subject: 'Dock slots', bodyText: 'Hello', ...values }
    const sent = await member.rest.emailSend!({ body })
    expect(sent.status).toBe(201)
    return sent.body.id
  }
  const mails = [await mail({ accountId }), await mail({ contactId }), await mail({})]
  const { id: invoiceId } = await sentInvoice(member, { customerId: accountId, contactId })
  const { id: unpaidId } = await sentInvoice(member, { customerId: accountId, contactId })
  for (const paidAt of ['2027-01-30T08:00:00.000Z', '2027-01-31T08:00:00.000Z'])
    await member.rest.invoiceRecordPayment!({ id: invoiceId, body: { amount: 5, method: 'CARD', paidAt } })
  const foreign = await account(other)
  const timelines = async () => {
    const query = { kinds: 'EMAIL,PAYMENT' }
    return {
      account: (await member.rest.accountTimeline!({ id: accountId, query })).body.data,
      contact: (await member.rest.contactTimeline!({ id: contactId, query })).body.data,
      foreign: (await other.rest.accountTimeline!({ id: foreign.id, query })).body.data,
    }
  }
  const before = await timelines()

  await asBefore()
  await migrate(platform.services.database, platform.databaseUrl, migrations)

  const after = await timelines()
  expect(after).toEqual(before)
  const idsOf = (entries: { kind: string; recordId: string }[], wanted: string) =>
    entries.filter(({ kind }) => kind === wanted).map(({ recordId }) => recordId)
  expect([idsOf(after.account, 'EMAIL'), idsOf(after.contact, 'EMAIL')]).toEqual([[mails[0]], [mails[1]]])
  for (const entries of [after.account, after.contact])
    expect(idsOf(entries, 'PAYMENT')).toEqual([invoiceId, invoiceId])
  expect(after.foreign).toEqual([])
  // What happens after the migration is kept up to date, too.
  await member.rest.invoiceRecordPayment!({ id: unpaidId, body: { amount: 5, paidAt: '2027-02-01T08:00:00.000Z' } })
  await mail({ accountId })
  const later = (await timelines()).account
  expect([idsOf(later, 'EMAIL').length, idsOf(later, 'PAYMENT').length]).toEqual([2, 3])
})
