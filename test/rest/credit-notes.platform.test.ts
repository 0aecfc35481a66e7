import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, aLine, creditNote, invoice, sentInvoice } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Credits'), role: 'ADMIN' })
})
afterAll(() => expectValidEvents(platform))

const verb = (name: string, id: string, body: object = {}, more: object = {}) =>
  member.rest[name]!({ id, body, ...more })
const apply = (id: string, ...applications: object[]) => verb('creditNoteApply', id, { applications })
const read = async (id: string) => (await member.rest.invoice!({ id })).body
const byAmount = (unitPrice: number) => ({ lineItems: [aLine({ unitPrice })] })

/** An issued credit note for this customer. */
async function issued(customerId: string, unitPrice: number, values: object = {}) {
  const { id } = await creditNote(member, { customerId, ...byAmount(unitPrice), ...values })
  const { status, body } = await verb('creditNoteIssue', id)
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

describe('creditNoteCreate', () => {
  it('copies the customer, the currency and the lines of the invoice, with their taxes', async () => {
    const source = await sentInvoice(member, { currency: 'EUR' })
    const body = { invoiceId: source.id, reason: 'Returned.' }
    const { status, body: note } = await member.rest.creditNoteCreate!({ body })
    expect([status, note]).toMatchObject([
      201,
      {
        status: 'DRAFT',
        creditNoteNumber: null,
        customerId: source.customerId,
        accountId: source.customerId,
        currency: 'EUR',
        subtotal: 100,
        taxTotal: 19,
        total: 119,
        amountApplied: 0,
        amountRefunded: 0,
        amountLeft: 0,
        documentUrl: `/v1/credit-notes/${note.id}/document`,
      },
    ])
    expect(await platform.eventTypesOf(note.id)).toEqual(['credit_note.created'])
  })

  it('refuses an invoice that is not issued, and another customer or currency', async () => {
    const draft = await invoice(member)
    const source = await sentInvoice(member)
    const { id: customerId } = await account(member)
    const wrong: [object, string][] = [
      [{ invoiceId: draft.id }, 'invoiceId NOT_ALLOWED'],
      [{ invoiceId: source.id, customerId }, 'customerId NOT_ALLOWED'],
      [{ invoiceId: source.id, currency: 'EUR' }, 'currency NOT_ALLOWED'],
    ]
    for (const [body, problem] of wrong)
      expect((await refusedInputs(platform, () => member.rest.creditNoteCreate!({ body }))).slice(2)).toEqual([problem])
  })
})

describe('creditNoteIssue', () => {
  it('numbers credit notes without gaps, and only once', async () => {
    const { id: customerId } = await account(member)
    const numbers = [await issued(customerId, 10), await issued(customerId, 10)].map((one) =>
      Number((one.creditNoteNumber as string).slice(-6)),
    )
    expect(numbers[1]! - numbers[0]!).toBe(1)
    const note = await issued(customerId, 10)
    expect(note).toMatchObject({ status: 'ISSUED', issueDate: '2027-02-01T00:00:00.000Z', amountLeft: 10 })
    expect(await refused(platform, () => verb('creditNoteIssue', note.id))).toEqual([409, 'INVALID_STATE'])
    expect(await refused(platform, () => member.rest.creditNoteDelete!({ id: note.id }))).toEqual([
      409,
      'INVALID_STATE',
    ])
    const body = { reason: 'Other.' }
    expect(await refused(platform, () => member.rest.creditNoteUpdate!({ id: note.id, body }))).toEqual([
      409,
      'INVALID_STATE',
    ])
  })

  it('credits at most what an invoice is over, also at the same time', async () => {
    const source = await sentInvoice(member)
    const drafts = await Promise.all(
      [60, 60, 59].map(async (unitPrice) =>
        creditNote(member, { customerId: source.customerId, invoiceId: source.id, ...byAmount(unitPrice) }),
      ),
    )
    const answers = await Promise.all(drafts.map(({ id }) => verb('creditNoteIssue', id)))
    const issuedSum = drafts.reduce((sum, { total }, index) => (answers[index]!.status === 200 ? sum + total : sum), 0)
    expect(issuedSum).toBeLessThanOrEqual(119)
    expect(answers.filter(({ status }) => status === 400).map(({ body }) => body.errors[0].path)).toContain('lineItems')
  })
})

describe('creditNoteApply', () => {
  it('reduces what is due of several invoices, and what is left', async () => {
    const { id: customerId } = await account(member)
    const [one, two] = [await sentInvoice(member, { customerId }), await sentInvoice(member, { customerId })]
    const note = await issued(customerId, 200)
    const { status, body } = await apply(note.id, { invoiceId: one.id }, { invoiceId: two.id, amount: 50.5 })
    expect([status, body]).toMatchObject([200, { amountApplied: 169.5, amountLeft: 30.5, status: 'ISSUED' }])
    expect(await read(one.id)).toMatchObject({
      status: 'PAID',
      amountPaid: 0,
      amountCredited: 119,
      amountDue: 0,
      paidAt: platform.now.toISOString(),
    })
    const half = await read(two.id)
    expect(half).toMatchObject({ status: 'PARTIALLY_PAID', amountCredited: 50.5, amountDue: 68.5 })
    expect(half.credits).toEqual([
      {
        id: body.applications[1].id,
        creditNoteId: note.id,
        invoiceId: two.id,
        amount: 50.5,
        appliedAt: platform.now.toISOString(),
        reversedAt: null,
        recordedById: member.userId,
      },
    ])
    expect(await platform.eventTypesOf(one.id)).toContain('invoice.paid')
    expect((await platform.eventTypesOf(note.id)).at(-1)).toBe('credit_note.applied')
    expect(await refused(platform, () => verb('invoiceVoid', two.id))).toEqual([409, 'INVALID_STATE'])
    const paid = await verb('invoiceRecordPayment', two.id, { amount: 68.5 })
    expect(paid.body).toMatchObject({ status: 'PAID', amountPaid: 68.5, amountDue: 0 })
    const { body: aging } = await member.rest.invoiceAging!({ query: { customerId } })
    expect(aging.total).toBe(0)
  })

  it('refuses what does not fit, and applies nothing of it', async () => {
    const { id: customerId } = await account(member)
    const [one, euro, foreign] = [
      await sentInvoice(member, { customerId }),
      await sentInvoice(member, { customerId, currency: 'EUR' }),
      await sentInvoice(member),
    ]
    const note = await issued(customerId, 100)
    const wrong: [object[], string][] = [
      [[{ invoiceId: one.id, amount: 100.01 }], 'applications.0.amount OUT_OF_RANGE'],
      [[{ invoiceId: one.id, amount: 0 }], 'applications.0.amount OUT_OF_RANGE'],
      [[{ invoiceId: one.id, amount: 1.001 }], 'applications.0.amount TOO_PRECISE'],
      [[{ invoiceId: one.id, amount: 1 }, { invoiceId: euro.id }], 'applications.1.invoiceId NOT_ALLOWED'],
      [[{ invoiceId: foreign.id }], 'applications.0.invoiceId NOT_ALLOWED'],
      [[{ invoiceId: note.id }], 'applications.0.invoiceId UNKNOWN_REFERENCE'],
      [
        [
          { invoiceId: one.id, amount: 1 },
          { invoiceId: one.id, amount: 1 },
        ],
        'applications.1.invoiceId NOT_UNIQUE',
      ],
    ]
    for (const [applications, problem] of wrong)
      expect((await refusedInputs(platform, () => apply(note.id, ...applications))).slice(2)).toEqual([problem])
  })

  it('never applies more than is left or due, however many requests come at once', async () => {
    const { id: customerId } = await account(member)
    const source = await sentInvoice(member, { customerId })
    const notes = [await issued(customerId, 100), await issued(customerId, 100)]
    const calls = [0, 1, 0, 1, 0, 1].map((index) => apply(notes[index]!.id, { invoiceId: source.id, amount: 40 }))
    const pay = verb('invoiceRecordPayment', source.id, { amount: 40 })
    const answers = await Promise.all([...calls, pay])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    const left = await read(source.id)
    expect(left.amountDue).toBe(39)
    const sums = await platform.query<{ left: number; applied: number }>(
      `select sum(amount_left)::float8 as left, sum(amount_applied)::float8 as applied from commerce.credit_note where customer_id = $1`,
      [customerId],
    )
    expect(sums).toEqual([{ left: 200 - left.amountCredited, applied: left.amountCredited }])
  })
})

describe('creditNoteVoid', () => {
  it.each([
    ['creditNoteApply', (invoiceId: string) => ({ applications: [{ invoiceId, amount: 10 }] }), [10, 0]],
    ['creditNoteRefund', () => ({ amount: 10 }), [0, 10]],
  ] as const)('at the moment of %s lets one of them happen', async (name, bodyOf, [credited, returned]) => {
    const { id: customerId } = await account(member)
    const source = await sentInvoice(member, { customerId })
    const rounds = await Promise.all(
      [0, 1, 2, 3, 4, 5].map(async (round) => {
        const { id } = await issued(customerId, 100)
        const other = () => verb(name, id, bodyOf(source.id))
        const calls =
          round % 2 === 0 ? [() => verb('creditNoteVoid', id), other] : [other, () => verb('creditNoteVoid', id)]
        const statuses = (await Promise.all(calls.map((call) => call()))).map(({ status }) => status)
        return { id, statuses }
      }),
    )
    let applied = 0
    for (const { id, statuses } of rounds) {
      const { body: note } = await member.rest.creditNote!({ id })
      const isVoid = note.status === 'VOID'
      const { amountApplied, amountRefunded, amountLeft } = note
      expect([amountApplied, amountRefunded, amountLeft]).toEqual(isVoid ? [0, 0, 0] : [credited, returned, 90])
      expect(new Set(statuses)).toEqual(new Set([200, 409]))
      applied += amountApplied
    }
    expect(await read(source.id)).toMatchObject({ amountCredited: applied, amountDue: 119 - applied })
  })
})

describe('creditNoteReverseApplication', () => {
  it('makes the amount due again and left again, once', async () => {
    const { id: customerId } = await account(member)
    const source = await sentInvoice(member, { customerId, issueDate: '2027-01-01', dueDate: '2027-01-31' })
    const note = await issued(customerId, 119)
    const { body } = await apply(note.id, { invoiceId: source.id })
    const applicationId = body.applications[0].id as string
    const reverse = () => verb('creditNoteReverseApplication', note.id, {}, { applicationId })
    expect((await reverse()).body).toMatchObject({ amountApplied: 0, amountLeft: 119 })
    expect(await read(source.id)).toMatchObject({ status: 'OVERDUE', amountCredited: 0, amountDue: 119, paidAt: null })
    expect(await refused(platform, reverse)).toEqual([409, 'INVALID_STATE'])
    const unknown = { applicationId: note.id as string }
    expect(await refused(platform, () => verb('creditNoteReverseApplication', note.id, {}, unknown))).toEqual([
      404,
      'NOT_FOUND',
    ])
    expect((await verb('creditNoteVoid', note.id, { reason: 'Twice.' })).body).toMatchObject({
      status: 'VOID',
      voidReason: 'Twice.',
      amountLeft: 0,
    })
  })
})

describe('creditNoteRefund', () => {
  it('pays what is left to the customer, as an entry of the payments and of the statement', async () => {
    const { id: customerId } = await account(member)
    const source = await sentInvoice(member, { customerId })
    const note = await issued(customerId, 150.25)
    await apply(note.id, { invoiceId: source.id })
    const { body } = await verb('creditNoteRefund', note.id, { amount: 30, reference: 'SEPA 90011' })
    expect(body).toMatchObject({ amountRefunded: 30, amountLeft: 1.25 })
    const { body: list } = await member.rest.paymentList!({ query: { creditNoteId: note.id } })
    expect(list.data).toMatchObject([
      {
        id: body.refunds[0].id,
        type: 'REFUND',
        invoiceId: null,
        accountId: customerId,
        amount: 30,
        method: 'BANK_TRANSFER',
      },
    ])
    expect(await refused(platform, () => verb('creditNoteVoid', note.id))).toEqual([409, 'INVALID_STATE'])
    expect((await verb('creditNoteRefund', note.id)).body).toMatchObject({ amountRefunded: 31.25, amountLeft: 0 })
    expect(await refused(platform, () => verb('creditNoteRefund', note.id))).toEqual([409, 'INVALID_STATE'])
    const { body: statement } = await member.rest.accountStatement!({ id: customerId })
    const entries = statement.entries as Record<string, unknown>[]
    expect(entries.map(({ type, amount, number }) => [type, amount, number])).toEqual(
      expect.arrayContaining([
        ['INVOICE', 119, source.invoiceNumber],
        ['CREDIT_NOTE', -150.25, note.creditNoteNumber],
        ['REFUND', 30, note.creditNoteNumber],
        ['REFUND', 1.25, note.creditNoteNumber],
      ]),
    )
    expect([statement.totalCredited, statement.totalRefunded, statement.closingBalance]).toEqual([150.25, 31.25, 0])
  })
})

describe('creditNoteRefund of a past day', () => {
  it('needs what was left at its end, and on every day since', async () => {
    const { id: customerId } = await account(member)
    const source = await sentInvoice(member, { customerId, issueDate: '2027-01-01', dueDate: '2027-01-31' })
    const note = await issued(customerId, 119, { issueDate: '2027-01-20' })
    const { body } = await apply(note.id, { invoiceId: source.id, amount: 100 })
    platform.advanceClock(3 * 86_400_000)
    const applicationId = body.applications[0].id as string
    await verb('creditNoteReverseApplication', note.id, {}, { applicationId })
    const refund = (amount: number, refundedAt: string) => verb('creditNoteRefund', note.id, { amount, refundedAt })
    for (const refundedAt of ['2027-01-25', '2027-02-03T23:00:00Z'])
      expect((await refusedInputs(platform, () => refund(20, refundedAt))).slice(2)).toEqual([
        'refundedAt OUT_OF_RANGE',
      ])
    expect((await refund(19, '2027-01-25')).body).toMatchObject({ amountRefunded: 19, amountLeft: 100 })
    // The day of the reversal, though it begins before it.
    expect((await refund(100, '2027-02-04')).body).toMatchObject({ amountRefunded: 119, amountLeft: 0 })
    for (const asOf of ['2027-01-25', '2027-02-02', '2027-02-04']) {
      const query = { from: '2027-01-01', to: asOf }
      const { body: statement } = await member.rest.accountStatement!({ id: customerId, query })
      const { body: aging } = await member.rest.invoiceAging!({ query: { asOf, customerId } })
      expect([aging.balance, aging.unappliedCredit >= 0]).toEqual([statement.closingBalance, true])
    }
  })
})

describe('creditNoteDocument', () => {
  it('is a PDF with the number of the credit note', async () => {
    const { id: customerId } = await account(member)
    const note = await issued(customerId, 10)
    const { status, headers } = await member.rest.creditNoteDocument!({ id: note.id })
    expect([status, headers.get('content-disposition')]).toEqual([
      200,
      `attachment; filename="${note.creditNoteNumber}.pdf"`,
    ])
  })
})

it('a key with WRITE_INVOICES alone learns which status it can set', async () => {
  const { id: customerId } = await account(member)
  const { id } = await issued(customerId, 100)
  const key = await platform.member({ organizationId: member.organizationId, scopes: ['WRITE_INVOICES'] })
  const again = await key.rest['creditNoteIssue']!({ id })
  expect([again.status, again.body.code, again.body.allowed]).toEqual([409, 'INVALID_STATE', ['VOID']])
})
