import { activeOrganizationName, userIdentity } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import { isJsonObject, isRawNumber } from '../../kernel/json/exact-number.ts'
import { notAnswered, type RequestContext } from '../../kernel/request.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { fieldsInScope } from '../../kernel/record/fields-in-scope.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { readReference } from '../../kernel/record/read.ts'
import type { TemplateValues } from '../../kernel/template/template-variables.ts'

/** The records whose values a mail can contain, and the fields of each of them. */
const fieldsOf = {
  contact: [
    'firstName',
    'lastName',
    'name',
    'salutation',
    'email',
    'phone',
    'mobilePhone',
    'title',
    'department',
    'customFields',
  ],
  lead: ['firstName', 'lastName', 'name', 'email', 'phone', 'mobilePhone', 'title', 'company', 'customFields'],
  account: ['name', 'website', 'industry', 'phone', 'customFields'],
  opportunity: ['name', 'stage', 'amount', 'currency', 'closeDate', 'nextStep', 'customFields'],
} as const
type RecordName = keyof typeof fieldsOf

const senderFields = ['name', 'email', 'firstName', 'lastName'] as const

/** The names that the platform gives values to. */
export const knownVariables: readonly string[] = [
  ...Object.entries(fieldsOf).flatMap(([record, fields]) => fields.map((field) => `${record}.${field}`)),
  ...senderFields.map((field) => `sender.${field}`),
  'organization.name',
  'unsubscribeUrl',
]

export interface MailRecords {
  readonly contactId?: string | null
  readonly leadId?: string | null
  readonly accountId?: string | null
  readonly opportunityId?: string | null
}

type Values = Record<string, unknown>

function readValues(ctx: RequestContext, record: RecordName, id: string): Promise<Values | null> {
  const shape: RecordShape = recordType(record)()
  const names = [...fieldsOf[record], 'accountId'].filter((name) => shape.columns.byName.has(name))
  return readReference(ctx, shape, id, fieldsInScope(ctx.caller, shape, new Set(names)))
}

/** The values of a record that the caller names. */
async function valuesOf(ctx: RequestContext, record: RecordName, id: string): Promise<Values> {
  const values = await readValues(ctx, record, id)
  if (values) return values
  const path = `${record}Id`
  const message = `${path} must be the id of an existing record that you can see.`
  throw invalid({ path, code: 'UNKNOWN_REFERENCE', message })
}

/** The values of a record that a mail can contain. */
export const shownValues = (record: RecordName, values: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(fieldsOf[record].map((field) => [field, plainValue(values[field])]))

/** A value for a worker thread. Numbers are written with all their digits. */
export function plainValue(value: unknown): unknown {
  if (isRawNumber(value)) return value.rawJSON
  if (Array.isArray(value)) return value.map(plainValue)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainValue(inner)]))
}

/** The values of the records as the caller sees them; hidden fields have none. The account of a contact or deal is used unless one is given. */
export async function recordValues(outer: RequestContext, records: MailRecords): Promise<TemplateValues> {
  // The answer contains a mail, not these records, which belong to another subgraph.
  const ctx = notAnswered(outer)
  const { contactId, leadId, opportunityId } = records
  const [contact, lead, given, opportunity, sender, organizationName] = await Promise.all([
    contactId == null ? null : valuesOf(ctx, 'contact', contactId),
    leadId == null ? null : valuesOf(ctx, 'lead', leadId),
    records.accountId == null ? null : valuesOf(ctx, 'account', records.accountId),
    opportunityId == null ? null : valuesOf(ctx, 'opportunity', opportunityId),
    userIdentity(ctx, ctx.caller.userId),
    activeOrganizationName(ctx),
  ])
  const accountId = contact?.['accountId'] ?? opportunity?.['accountId']
  const account = given ?? (typeof accountId === 'string' ? await readValues(ctx, 'account', accountId) : null)
  return {
    ...(sender && { sender: { ...sender } }),
    ...(organizationName && { organization: { name: organizationName } }),
    ...(contact && { contact: shownValues('contact', contact) }),
    ...(lead && { lead: shownValues('lead', lead) }),
    ...(account && { account: shownValues('account', account) }),
    ...(opportunity && { opportunity: shownValues('opportunity', opportunity) }),
  }
}
