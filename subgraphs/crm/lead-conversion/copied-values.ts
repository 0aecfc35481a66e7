import { checkValues } from '../../kernel/record/check-values.ts'
import { withFormulas } from '../../kernel/record/computed-values.ts'
import type { JsonObject } from '../../kernel/record/org-record.ts'
import { customFieldsName } from '../../kernel/record/custom-field-column.ts'
import type { RecordDefinition, StoredRow } from '../../kernel/record/definition.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Account } from '../account/account.ts'
import type { Contact } from '../contact/contact.ts'
import { lead as leadDefinition } from '../lead/lead.record.ts'
import type { Lead } from '../lead/lead.ts'
import { companyDomain } from '../../kernel/values/company-domain.ts'

/** The company of the lead; without one, the name of the person; without both, the email address. */
export const companyOf = ({ company, name, email }: Lead): string => company?.trim() || name || (email ?? '')

export const accountValues = (lead: Lead): Partial<Account> => ({
  name: companyOf(lead),
  website: lead.website,
  domain: companyDomain(lead.email),
  industry: lead.industry,
  phone: lead.phone,
  numberOfEmployees: lead.numberOfEmployees,
  annualRevenue: lead.annualRevenue,
  billingStreet: lead.street,
  billingCity: lead.city,
  billingState: lead.state,
  billingPostalCode: lead.postalCode,
  billingCountry: lead.country,
  rating: lead.rating,
})

export const contactValues = (lead: Lead, accountId: string): Partial<Contact> => ({
  firstName: lead.firstName,
  lastName: lead.lastName,
  email: lead.email,
  phone: lead.phone,
  mobilePhone: lead.mobilePhone,
  title: lead.title,
  accountId,
  leadSource: lead.leadSource,
  mailingStreet: lead.street,
  mailingCity: lead.city,
  mailingState: lead.state,
  mailingPostalCode: lead.postalCode,
  mailingCountry: lead.country,
  doNotCall: lead.doNotCall,
  emailOptOut: lead.emailOptOut,
})

/**
 * The custom fields of the lead that the record takes over: those with the same API name whose value the record accepts. A field that
 * only the lead defines is not copied, nor a reference where the field does not name the same record type.
 */
export function customFieldsFor<T extends StoredRow>(
  ctx: RequestContext,
  lead: Lead,
  builtIn: RecordDefinition<T>,
): JsonObject {
  const target = shapeFor(ctx, builtIn)
  const { columns } = shapeFor(ctx, leadDefinition)
  const { customFields: ofLead } = columns
  const isCompatible = ([name, value]: [string, unknown]): boolean => {
    const accepting = target.columns.customFields.get(name)
    if (ofLead.has(name) && !accepting) return false
    if (ofLead.get(name)?.lookup?.to !== accepting?.lookup?.to) return false
    return checkValues(target, { [customFieldsName]: { [name]: value } }).length === 0
  }
  return Object.fromEntries(Object.entries(withFormulas(columns, lead).customFields).filter(isCompatible))
}

/** Null, an empty text, an empty list, or false. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0)

/** The offered values for fields that are empty in the record. */
export function valuesForEmpty<T extends { readonly customFields: JsonObject }>(
  record: T,
  offered: Partial<T>,
  customFields: JsonObject,
): Partial<T> {
  const filled = Object.entries(offered).filter(([name, value]) => !isEmpty(value) && isEmpty(record[name as keyof T]))
  const added = Object.entries(customFields).filter(([name]) => !Object.hasOwn(record.customFields, name))
  return {
    ...Object.fromEntries(filled),
    ...(added.length > 0 && { customFields: Object.fromEntries(added) }),
  } as Partial<T>
}
