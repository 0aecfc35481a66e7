import type { Column } from '../../kernel/record/column.ts'

export const intents = ['COUNT', 'SUM', 'AVERAGE', 'LIST', 'TOP', 'GROUP', 'RECORD', 'TIMELINE', 'SCORE'] as const
export type Intent = (typeof intents)[number]

export const operators = ['eq', 'ne', 'in', 'notIn', 'gt', 'gte', 'lt', 'lte', 'contains', 'isNull'] as const
export type Operator = (typeof operators)[number]

export type ConditionValue = string | number | boolean | readonly (string | number)[]

/** A condition on a field of the records. All conditions of a question must hold. */
export interface Condition {
  readonly field: string
  readonly operator: Operator
  readonly value: ConditionValue
}

/** What somebody wants to know of the records of one type. */
export interface Question {
  readonly intent: Intent
  /** The record type, such as `opportunity`; `quota` with the intent SCORE is the attainment of quotas. */
  readonly object: string
  readonly filters: readonly Condition[]
  /** The number that SUM, AVERAGE and TOP are about. */
  readonly measure?: string | null
  /** The field of GROUP. */
  readonly groupBy?: string | null
  readonly order?: { readonly field: string; readonly direction: 'ASC' | 'DESC' } | null
  /** Records of LIST and TOP, entries of TIMELINE. */
  readonly limit?: number | null
}

export const limitMax = 50
export const conditionsMax = 20
export const valuesMax = 50
export const textMax = 500

/** The record types of questions, and how people name a record of each. */
export const namesOf: Readonly<Record<string, readonly string[]>> = {
  account: ['name'],
  contact: ['name', 'email'],
  lead: ['name', 'company', 'email'],
  opportunity: ['name'],
  quote: ['quoteNumber', 'name'],
  order: ['orderNumber'],
  invoice: ['invoiceNumber'],
  task: ['subject'],
  activity: ['subject', 'type'],
  case: ['caseNumber', 'subject'],
  product: ['name', 'sku'],
}
export const questionObjects: readonly string[] = Object.keys(namesOf)

/** The measure of SUM, AVERAGE and TOP where none is named. */
export const defaultMeasures: Readonly<Record<string, string>> = {
  account: 'annualRevenue',
  opportunity: 'amount',
  quote: 'total',
  order: 'total',
  invoice: 'total',
  product: 'listPrice',
  lead: 'leadScore',
}

/** What is shown of a record besides its name. */
export const shownOf: Readonly<Record<string, readonly string[]>> = {
  account: ['type', 'accountStatus', 'industry', 'churnRisk', 'annualRevenue'],
  contact: ['title', 'email', 'phone', 'buyingRole', 'status'],
  lead: ['company', 'status', 'rating', 'leadSource', 'leadScore'],
  opportunity: ['stage', 'amount', 'currency', 'closeDate', 'probability'],
  quote: ['name', 'status', 'total', 'currency', 'validUntil'],
  order: ['status', 'paymentStatus', 'total', 'currency', 'orderDate'],
  invoice: ['status', 'total', 'amountDue', 'currency', 'dueDate'],
  task: ['status', 'priority', 'type', 'dueDate'],
  activity: ['type', 'direction', 'outcome', 'occurredAt'],
  case: ['status', 'priority', 'type', 'origin', 'createdAt'],
  product: ['sku', 'type', 'category', 'listPrice', 'currency', 'isActive'],
}

/** Amounts that have the currency of their record. */
export const moneyFields: ReadonlySet<string> = new Set(
  'amount expectedRevenue total subtotal discountTotal taxTotal shippingTotal amountPaid amountDue listPrice unitPrice costPrice'.split(
    ' ',
  ),
)

/** The field of other records that refers to a record of this type. */
export const referenceTo: Readonly<Record<string, string>> = {
  account: 'accountId',
  contact: 'contactId',
  lead: 'leadId',
  opportunity: 'opportunityId',
  case: 'caseId',
}

const questionKinds: ReadonlySet<string> = new Set(
  'id text enum integer number money boolean timestamp date textList'.split(' '),
)
export const isPlain = ({ kind, structure, key }: Column): boolean =>
  structure === undefined && key === undefined && questionKinds.has(kind)
export const isNumeric = ({ kind }: Column): boolean => kind === 'integer' || kind === 'number' || kind === 'money'
