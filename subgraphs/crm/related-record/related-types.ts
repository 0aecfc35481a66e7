import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { customObjectName, recordTypeIn } from '../../kernel/record/custom-object.ts'
import { recordNamed } from '../../kernel/record/record-registry.ts'
import type { NamedType, RecordShape } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
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

/** SQL condition that `relatedToType` names a custom object. It is that of the indexes of their timelines. */
export const isAboutCustomRecord = (alias: string): string => `${alias}.related_to_type like 'custom:%'`

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

/** Which record type `relatedToId` names. */
export const namesRelated: NamedType = {
  kind: 'relatedToType',
  kindOf(object) {
    if (customObjectName(object) !== null) return object
    return Object.keys(relatedTypes).find((type) => relatedTypes[type]!.object === object) ?? null
  },
}

export const isRelatedType = (type: string): boolean =>
  Object.hasOwn(relatedTypes, type) || customObjectName(type) !== null

export const relatedTypeOf = (type: string): RelatedType | null =>
  Object.hasOwn(relatedTypes, type) ? relatedTypes[type]! : null

/** The record type that `relatedToType` names; null if the platform and the organization have no such records. */
export function relatedShape(ctx: Pick<RequestContext, 'shapes'>, type: string): RecordShape | null {
  const related = relatedTypeOf(type)
  if (related) return recordNamed(related.object)
  return customObjectName(type) === null ? null : recordTypeIn(ctx, type)
}

/** With the latest definitions if `relatedToType` names a custom object that this process does not know: another may have created it a moment ago. */
export const knowingRelated = async (ctx: RequestContext, type: string): Promise<RequestContext> =>
  customObjectName(type) === null || relatedShape(ctx, type) ? ctx : withLatestExtensions(ctx)
