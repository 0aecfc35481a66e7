import { expect } from 'vitest'
import type { Answer } from './rest-client.ts'
import type { Member } from './platform.ts'

let skus = 0

export const anAccount = (values: object = {}) => ({ name: 'Northwind Traders', ...values })
export const aCase = (values: object = {}) => ({ subject: 'Labels print without a barcode', ...values })
export const aContact = (values: object = {}) => ({ lastName: 'Halvorsen', ...values })
export const aLead = (values: object = {}) => ({ firstName: 'Jonas', lastName: 'Lindqvist', ...values })
/** An opportunity of this account. */
export const anOpportunity = (accountId: string, values: object = {}) => ({
  name: 'Northwind - 12 licences',
  accountId,
  closeDate: '2027-03-31T00:00:00.000Z',
  ...values,
})
/** Each product gets a unique SKU unless `values` sets one. */
export const aProduct = (values: object = {}) => ({
  name: 'Dock planner',
  sku: `SKU-${++skus}`,
  listPrice: 490,
  ...values,
})

export const aQuote = (values: object = {}) => ({ name: 'Dock scheduling for two yards', ...values })
/** A line without a product. */
export const aLine = (values: object = {}) => ({ name: 'Onboarding', quantity: 1, unitPrice: 100, ...values })

async function created(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}

/** Creates an account and returns it; the functions below do the same for other records. */
export const account = (member: Member, values: object = {}) =>
  created(member.rest.accountCreate!({ body: anAccount(values) }))
export const supportCase = (member: Member, values: object = {}) =>
  created(member.rest.caseCreate!({ body: aCase(values) }))
export const contact = (member: Member, values: object = {}) =>
  created(member.rest.contactCreate!({ body: aContact(values) }))
export const lead = (member: Member, values: object = {}) => created(member.rest.leadCreate!({ body: aLead(values) }))
/** Creates an opportunity, with a new account unless `values` names one. */
export const opportunity = async (
  member: Member,
  values: { readonly accountId?: string; readonly [name: string]: unknown } = {},
) => {
  const accountId = values.accountId ?? (await account(member)).id
  return created(member.rest.opportunityCreate!({ body: anOpportunity(accountId, values) }))
}
export const product = (member: Member, values: object = {}) =>
  created(member.rest.productCreate!({ body: aProduct(values) }))
export const quote = (member: Member, values: object = {}) =>
  created(member.rest.quoteCreate!({ body: aQuote(values) }))
export const order = (member: Member, values: object = {}) => created(member.rest.orderCreate!({ body: values }))
/** Creates a DRAFT over 119 USD for a new account, unless `values` say something else. */
export const invoice = async (member: Member, values: { readonly [name: string]: unknown } = {}) => {
  const customerId = 'customerId' in values ? values.customerId : (await account(member)).id
  const lineItems = [aLine({ taxRate: 19 })]
  return created(member.rest.invoiceCreate!({ body: { lineItems, ...values, customerId } }))
}
/** As `invoice`, and sends it without a mail. */
export const sentInvoice = async (member: Member, values: { readonly [name: string]: unknown } = {}) => {
  const { id } = await invoice(member, values)
  const { status, body } = await member.rest.invoiceSend!({ id, body: {} })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}

/** Creates a credit note of 119 USD for a new account, a DRAFT, unless `values` say something else. */
export const creditNote = async (member: Member, values: { readonly [name: string]: unknown } = {}) => {
  const customerId = 'customerId' in values ? values['customerId'] : (await account(member)).id
  const lineItems = [aLine({ taxRate: 19 })]
  return created(member.rest.creditNoteCreate!({ body: { customerId, currency: 'USD', lineItems, ...values } }))
}

export const task = (member: Member, values: object = {}) =>
  created(member.rest.taskCreate!({ body: { subject: 'Call the yard', ...values } }))
export const activity = (member: Member, values: object = {}) =>
  created(member.rest.activityCreate!({ body: { type: 'CALL', ...values } }))

/** Creates one record after another, so that the ids are in the order of the list. */
export async function each<T, R>(items: readonly T[], create: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (const item of items) results.push(await create(item))
  return results
}
