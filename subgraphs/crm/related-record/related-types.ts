import { recordNamed } from '../../kernel/record/record-registry.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { RelatedRecord } from './related-record.ts'

/** The columns with the ids of the records that a task or an activity concerns, and the record type of each. */
export const linkedTypes = {
  accountId: 'account',
  contactId: 'contact',
  leadId: 'lead',
  opportunityId: 'opportunity',
  caseId: 'case',
} as const satisfies Partial<Record<keyof RelatedRecord, string>>

export type Link = keyof typeof linkedTypes
export const links = Object.keys(linkedTypes) as readonly Link[]
export type Links = Record<Link, string | null>

interface RelatedType {
  /** The name of the record type. */
  readonly object: string
  /** The column that has the id of the related record itself; null if there is none. */
  readonly link: Link | null
}

const relatedTypes: Readonly<Record<string, RelatedType>> = {
  ACCOUNT: { object: 'account', link: 'accountId' },
  CONTACT: { object: 'contact', link: 'contactId' },
  LEAD: { object: 'lead', link: 'leadId' },
  OPPORTUNITY: { object: 'opportunity', link: 'opportunityId' },
  CASE: { object: 'case', link: 'caseId' },
  QUOTE: { object: 'quote', link: null },
  ORDER: { object: 'order', link: null },
  INVOICE: { object: 'invoice', link: null },
}

export const isRelatedType = (type: string): boolean =>
  Object.hasOwn(relatedTypes, type) || /^custom:[a-z][a-z0-9_]{0,62}$/.test(type)

export const relatedTypeOf = (type: string): RelatedType | null =>
  Object.hasOwn(relatedTypes, type) ? relatedTypes[type]! : null

/** The record type that `relatedToType` names; null while the platform has no such records. */
export function relatedShape(type: string): RecordShape | null {
  const related = relatedTypeOf(type)
  return related && recordNamed(related.object)
}
