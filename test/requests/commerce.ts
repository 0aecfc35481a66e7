import { newId } from '../../subgraphs/kernel/ids.ts'
import { readyFile } from './files.ts'
import type { Sender } from './sender.ts'

const lineId = '019a0c5e-7f00-7e11-9c3d-4a6b8f2d1e07'
/** One line as it is stored, as JSON. */
export const storedLines = `[{"id": "${lineId}", "productId": null, "sku": null, "name": "Onboarding", "description": null,
  "quantity": 1, "unitPrice": 100, "listPrice": null, "discountPercent": 0, "discountAmount": 0, "taxRate": 0, "lineTotal": 100,
  "discountShare": 0, "taxAmount": 0, "billingFrequency": "ONE_TIME", "startDate": null, "endDate": null, "sortOrder": 0,
  "quantityFulfilled": 0, "quantityInvoiced": 0}]`

/** Gives a quote or an order a line and a status, as if operations had led to it. */
const documentIn =
  (table: string) =>
  (status: string) =>
  async ({ platform }: Sender, id: string): Promise<void> => {
    await platform.query(
      `update commerce.${table} set status = $2, line_items = $3, subtotal = 100, total = 100 where id = $1`,
      [id, status, storedLines],
    )
  }

const quoteIn = documentIn('quote')
const orderIn = documentIn('"order"')

const paymentId = '019a0c5e-7f00-7d41-8b2e-6f1a9c3e5d70'
const aPayment = `[{"id": "${paymentId}", "invoiceId": "${lineId}", "amount": 10, "currency": "USD", "method": "CARD", "reference": null,
  "paidAt": "2026-03-04T05:06:07.000Z", "note": null, "recordedById": null, "status": "SUCCEEDED", "refundedAmount": 0}]`

/** Gives an invoice a customer, a line and a status, as if operations had led to it; one that is paid in part has a payment. */
const invoiceIn =
  (status: string) =>
  async ({ platform }: Sender, id: string): Promise<void> => {
    const paid = status === 'PARTIALLY_PAID' ? 10 : 0
    await platform.query(
      `update commerce.invoice set status = $2, line_items = $3, subtotal = 100, total = 100, amount_paid = $4::numeric, amount_due = 100 - $4::numeric,
         customer_id = id, account_id = id, payments = $5::jsonb, issue_date = '2026-01-05', due_date = '2026-02-04',
         invoice_number = case when $2 = 'DRAFT' then null else left(id::text, 20) end where id = $1`,
      [id, status, storedLines, paid, paid > 0 ? aPayment : '[]'],
    )
  }

const applicationId = '019a0c5e-7f00-7f52-8c1d-3b9a6e2d7f40'
const customer = '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26'

/** Gives a credit note a customer, a line and a status, as if operations had led to it. */
const creditNoteIn =
  (status: string) =>
  async ({ platform }: Sender, id: string): Promise<void> => {
    await platform.query(
      `update commerce.credit_note set status = $2, line_items = $3, subtotal = 100, total = 100, currency = 'USD', amount_applied = 0,
         applications = '[]', refunds = '[]', amount_refunded = 0, amount_left = case when $2 = 'ISSUED' then 100 else 0 end, customer_id = $4, account_id = $4,
         issue_date = '2026-01-05', credit_note_number = case when $2 = 'DRAFT' then null else left(id::text, 20) end where id = $1`,
      [id, status, storedLines, customer],
    )
  }

/** An open invoice of the customer, that of the credit notes unless another is given. */
async function anOpenInvoice({ platform, member }: Sender, customerId = customer, currency = 'USD'): Promise<string> {
  const { body } = await member.rest.invoiceCreate!({ body: {} })
  await platform.query(
    `update commerce.invoice set status = 'SENT', line_items = $2, subtotal = 100, total = 100, amount_due = 100, currency = $4, customer_id = $3,
       account_id = $3, issue_date = '2026-01-05', due_date = '2026-02-04', invoice_number = left(id::text, 20) where id = $1`,
    [body.id, storedLines, customerId, currency],
  )
  return body.id as string
}

/** Applies the credit note to an invoice as if the operation had. */
async function applied(sender: Sender, id: string): Promise<void> {
  await creditNoteIn('ISSUED')(sender, id)
  const invoiceId = await anOpenInvoice(sender)
  const application = {
    id: applicationId,
    creditNoteId: id,
    creditNoteNumber: 'CN-2026-000007',
    invoiceId,
    invoiceNumber: 'INV-2026-000123',
    amount: 10,
    appliedAt: '2026-03-04T05:06:07.000Z',
    reversedAt: null,
    recordedById: null,
  }
  await sender.platform.query(
    `update commerce.credit_note set applications = $2, amount_applied = 10, amount_left = 90 where id = $1`,
    [id, JSON.stringify([application])],
  )
  await sender.platform.query(
    `update commerce.invoice set status = 'PARTIALLY_PAID', credits = $2, amount_credited = 10, amount_due = 90 where id = $1`,
    [invoiceId, JSON.stringify([application])],
  )
}

/** Payments, as if operations had recorded them: no operation creates one alone. Half of them are equal in every column except the id. */
async function payments({ platform, member }: Sender, ids: readonly string[]): Promise<void> {
  await platform.query(
    `insert into commerce.payment (id, organization_id, owner_id, type, invoice_id, account_id, amount, currency, method, reference, paid_at, status,
       refunded_amount, created_at, updated_at)
     select p.id, $1, $2, 'PAYMENT', $3, $3, 10 + p.n % 2, 'USD', 'CARD', case p.n % 2 when 0 then 'SEPA 1' end, '2026-03-04', 'SUCCEEDED', 0,
       '2026-03-05', '2026-03-05'
     from unnest($4::uuid[]) with ordinality as p (id, n)`,
    [member.organizationId, member.userId, lineId, ids],
  )
}

export const commercePreparations = {
  creditNoteIssue: creditNoteIn('DRAFT'),
  creditNoteApply: creditNoteIn('ISSUED'),
  creditNoteReverseApplication: applied,
  creditNoteRefund: creditNoteIn('ISSUED'),
  creditNoteVoid: creditNoteIn('ISSUED'),
  payment: (sender: Sender, id: string) => payments(sender, [id]),
  paymentList: (sender: Sender) => payments(sender, Array.from({ length: 5 }, newId)),
  quoteSubmit: quoteIn('DRAFT'),
  quoteRecall: quoteIn('IN_REVIEW'),
  quoteApprove: quoteIn('IN_REVIEW'),
  quoteReject: quoteIn('IN_REVIEW'),
  quoteSend: quoteIn('DRAFT'),
  quoteAccept: quoteIn('SENT'),
  quoteDecline: quoteIn('SENT'),
  quoteRevise: quoteIn('SENT'),
  quoteConvert: quoteIn('ACCEPTED'),
  orderConfirm: orderIn('DRAFT'),
  orderProcess: orderIn('CONFIRMED'),
  orderFulfill: orderIn('PROCESSING'),
  orderCancel: orderIn('CONFIRMED'),
  orderReturn: orderIn('FULFILLED'),
  invoiceSend: invoiceIn('DRAFT'),
  invoicePayment: invoiceIn('SENT'),
  invoiceRecordPayment: invoiceIn('SENT'),
  invoiceRefundPayment: invoiceIn('PARTIALLY_PAID'),
  invoiceVoid: invoiceIn('SENT'),
  invoiceMarkUncollectible: invoiceIn('OVERDUE'),
  invoiceDispute: invoiceIn('SENT'),
  invoiceRemind: invoiceIn('OVERDUE'),
  invoiceFromOrderById: orderIn('CONFIRMED'),
}

const wholePayment = {
  amount: 1,
  currency: null,
  method: 'CARD',
  reference: 'SEPA 1',
  paidAt: null,
  note: 'Thanks.',
  allowOverpayment: false,
  allowDuplicateReference: true,
}

const wholeDecision = async ({ member }: Sender) => {
  const { body } = await member.rest.contactCreate!({ body: { lastName: 'Duarte' } })
  return {
    name: 'Ines',
    method: 'PAPER',
    decidedAt: null,
    contactId: body.id,
    email: 'ines@example.com',
    note: 'Signed.',
  }
}

/** All values of a credit note for an issued invoice, its customer and its currency. */
async function wholeCreditNote(requests: Sender) {
  const { rest, userId } = requests.member
  const { body: account } = await rest.accountCreate!({ body: { name: 'Credited' } })
  const { body: contact } = await rest.contactCreate!({ body: { lastName: 'Duarte' } })
  const customerId = account.id as string
  return {
    ownerId: userId,
    currency: 'EUR',
    discountType: 'AMOUNT',
    discountValue: 1,
    shippingTotal: 1,
    invoiceId: await anOpenInvoice(requests, customerId, 'EUR'),
    customerId,
    contactId: contact.id as string,
    issueDate: '2026-01-05',
    lineItems: [{ name: 'Box', quantity: 2, unitPrice: 12.5, taxRate: 19 }],
    reason: 'Damaged.',
    notes: 'Called twice.',
    tags: ['returned'],
    externalId: newId(),
    metadata: { source: 'erp' },
    customFields: {},
  }
}

export const commerceBodies = {
  creditNoteCreate: async (requests: Sender, whole: boolean) =>
    whole ? { id: newId(), ...(await wholeCreditNote(requests)) } : {},
  creditNoteUpdate: async (requests: Sender, whole: boolean) => (whole ? wholeCreditNote(requests) : {}),
  creditNoteApply: async (requests: Sender, whole: boolean) => ({
    applications: [{ invoiceId: await anOpenInvoice(requests), ...(whole && { amount: 1 }) }],
  }),
  creditNoteRefund: async (_requests: Sender, whole: boolean) =>
    whole ? { amount: 1, method: 'CARD', reference: 'SEPA 2', refundedAt: null, note: 'Paid.' } : { amount: 1 },
  quoteAccept: async (requests: Sender, whole: boolean) =>
    whole ? wholeDecision(requests) : { name: 'Ines', method: 'PHONE' },
  quoteDecline: async (requests: Sender, whole: boolean) =>
    whole ? { ...(await wholeDecision(requests)), reason: 'Too late.' } : { name: 'Ines', method: 'PHONE' },
  quoteSend: async (requests: Sender, whole: boolean) => ({
    to: 'ines.duarte@example.com',
    ...(whole && { message: 'As discussed.', fileIds: [await readyFile(requests)] }),
  }),
  invoicePayment: async (_requests: Sender, whole: boolean) => (whole ? wholePayment : { amount: 1 }),
  invoiceRecordPayment: async (_requests: Sender, whole: boolean) => (whole ? wholePayment : { amount: 1 }),
  invoiceRefundPayment: async (_requests: Sender, whole: boolean) =>
    whole ? { amount: 1, reason: 'Twice.', refundedAt: null } : {},
  async invoiceFromOrder(requests: Sender, whole: boolean) {
    const { body } = await requests.member.rest.orderCreate!({ body: {} })
    await orderIn('CONFIRMED')(requests, body.id as string)
    return { orderId: body.id, ...(whole && { lineItems: [{ lineItemId: lineId, quantity: 1 }] }) }
  },
  async dunningUpdate({ member }: Sender, whole: boolean) {
    if (!whole) return {}
    const { body } = await member.rest.accountCreate!({ body: { name: 'Excluded' } })
    return {
      enabled: false,
      gracePeriodDays: 4,
      minimumAmount: 5,
      sendTime: '08:15',
      timezone: 'Europe/Oslo',
      skipWeekends: true,
      stopOnPartialPayment: true,
      pauseWhileDisputed: true,
      excludeAccountIds: [body.id],
      steps: [{ level: 1, daysOverdue: 3, tone: 'FIRM', fee: { type: 'FIXED', value: 5 } }],
      interestRatePercent: 2,
      markUncollectibleAfterDays: 90,
    }
  },
  orderFulfill: async (_requests: Sender, whole: boolean) =>
    whole ? { lines: [{ lineItemId: lineId, quantity: 1 }] } : {},
}
