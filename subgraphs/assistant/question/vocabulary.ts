import { enumerationOf } from '../../kernel/record/column.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { isPlain } from './question.ts'

import { plural } from './object-words.ts'
import { eq, ownPhrases, type Meaning } from './own-phrases.ts'

export * from './object-words.ts'
export type { Meaning }

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '))

/** Dates of statuses, and whether such a record may have another status later. */
const statusDates: Readonly<Record<string, readonly [field: string, isDateAlone: boolean]>> = {
  SENT: ['sentAt', true],
  ACCEPTED: ['acceptedAt', true],
  REJECTED: ['rejectedAt', true],
  ESCALATED: ['escalatedAt', true],
  PAID: ['paidAt', false],
  FULFILLED: ['fulfilledAt', false],
  COMPLETED: ['completedAt', false],
  RESOLVED: ['resolvedAt', false],
  CONVERTED: ['convertedAt', false],
  CLOSED: ['closedAt', false],
}

/** The order in which fields get a value that several of them have, unless the message names the field. */
const preferred = ['status', 'accountStatus', 'stage', 'priority', 'type', 'rating']

const synonyms: Readonly<Record<string, readonly string[]>> = {
  PENDING_CUSTOMER: ['waiting for the customer'],
  C_LEVEL: ['c-level', 'executive'],
  IN_REVIEW: ['waiting for review', 'under review'],
  DRAFT: ['drafts'],
  MEDIUM: ['medium'],
  ONE_TIME: ['one-time'],
  NOT_STARTED: ['not started'],
  UNPAID: ['not paid'],
}

export interface EnumPhrase {
  readonly field: string
  readonly value: string
}

export interface Vocabulary {
  readonly own: ReadonlyMap<string, Meaning>
  /** Every field that has the value of a phrase, the preferred first. */
  readonly values: ReadonlyMap<string, readonly EnumPhrase[]>
  readonly fields: ReadonlyMap<string, string>
}

const fieldSynonyms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  opportunity: {
    size: 'amount',
    value: 'amount',
    worth: 'amount',
    money: 'amount',
    category: 'forecastCategory',
    probability: 'probability',
    'close date': 'closeDate',
  },
  invoice: {
    value: 'total',
    amount: 'total',
    worth: 'total',
    outstanding: 'amountDue',
    balance: 'amountDue',
    money: 'total',
  },
  quote: { value: 'total', amount: 'total', worth: 'total' },
  order: { value: 'total', amount: 'total', worth: 'total' },
  lead: { source: 'leadSource', score: 'leadScore' },
  contact: { source: 'leadSource', role: 'buyingRole' },
  account: {
    revenue: 'annualRevenue',
    status: 'accountStatus',
    employees: 'numberOfEmployees',
    country: 'billingCountry',
    city: 'billingCity',
  },
  product: { price: 'listPrice', billing: 'billingFrequency', billed: 'billingFrequency' },
}

const spaced = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ id$/, '')

/** Stages of pipelines are texts; these are those of the default pipeline. */
const stages = 'PROSPECTING QUALIFICATION NEEDS_ANALYSIS PROPOSAL NEGOTIATION'.split(' ')

function vocabularyOf(shape: RecordShape): Omit<Vocabulary, 'own'> {
  const values = new Map<string, EnumPhrase[]>()
  const fields = new Map<string, string>()
  const add = (phrase: string, one: EnumPhrase) => {
    const known = values.get(phrase)
    if (!known) values.set(phrase, [one])
    else if (!known.some(({ field }) => field === one.field)) known.push(one)
  }
  const columns = shape.columns.shown.filter(isPlain)
  for (const { name } of columns) fields.set(spaced(name), name)
  for (const [phrase, name] of Object.entries(fieldSynonyms[shape.object] ?? {})) fields.set(phrase, name)
  for (const column of columns) {
    const members = column.name === 'stage' ? stages : Object.keys(enumerationOf(column) ?? {})
    for (const value of members) {
      if (value === 'OTHER' || value === 'NONE' || value === 'API') continue
      const one = { field: column.name, value }
      const phrase = value.toLowerCase().replaceAll('_', ' ')
      for (const form of [phrase, ...(synonyms[value] ?? [])]) add(form, one)
      if (column.name === 'type' || column.name === 'buyingRole') add(plural(phrase), one)
    }
  }
  const rank = ({ field }: EnumPhrase) => (preferred.indexOf(field) + preferred.length + 1) % (preferred.length + 1)
  for (const list of values.values()) list.sort((a, b) => rank(a) - rank(b))
  return { values, fields }
}

const cache = new Map<string, Omit<Vocabulary, 'own'>>()

/** The words for the records of a type. They come from its shape, so new values are understood without a change. */
export function vocabulary(object: string, now: string): Vocabulary {
  let known = cache.get(object)
  if (!known) cache.set(object, (known = vocabularyOf(recordType(object)())))
  return { ...known, own: new Map(ownPhrases(object, now)) }
}

export function meaningOfValue({ field, value }: EnumPhrase): Meaning {
  const label = `${spaced(field)} ${value.toLowerCase().replaceAll('_', ' ')}`
  const dated = field === 'status' ? statusDates[value] : undefined
  return { label, conditions: [eq(field, value)], ...(dated && { date: dated[0], isDateAlone: dated[1] }) }
}

/** The date that a period without a verb is about. */
export const defaultDate: Readonly<Record<string, string>> = {
  activity: 'occurredAt',
  task: 'dueDate',
  opportunity: 'closeDate',
  order: 'orderDate',
  invoice: 'issueDate',
}

/** Words that carry no meaning in a question. */
export const fillers = set(
  'a an the and please is are was were be been do does did have has had there any all every each our we us of in on at by for with from to that which who what whats this it these those their they can could you would like see want know currently so far still now right me show list give find display tell get which than as only just overall exist exists made make sell here out how many much number count total sum amount value worth average mean records record came come got value values',
)
