import { product } from '../commerce/product/product.record.ts'
import { activity } from '../crm/activity/activity.record.ts'
import { lead } from '../crm/lead/lead.record.ts'
import { task } from '../crm/task/task.record.ts'
import { creditNote } from '../commerce/credit-note/credit-note.record.ts'
import { invoice } from '../commerce/invoice/invoice.record.ts'
import { order } from '../commerce/order/order.record.ts'
import { quote } from '../commerce/quote/quote.record.ts'
import { account } from '../crm/account/account.record.ts'
import { contact } from '../crm/contact/contact.record.ts'
import { opportunity } from '../crm/opportunity/opportunity.record.ts'
import { customEventType } from '../events/custom-event-type/custom-event-type.record.ts'
import { forecast } from '../insights/forecast/forecast.record.ts'
import { quota } from '../insights/quota/quota.record.ts'
import { scenario } from '../insights/simulation/scenario.record.ts'
import { triageCase } from '../insights/triage/triage-case.record.ts'
import { exchangeRate } from '../identity/currency/exchange-rate.record.ts'
import { customField } from '../extensions/custom-field/custom-field.record.ts'
import { customObject } from '../extensions/custom-object/custom-object.record.ts'
import type { Sql } from '../kernel/database/sql.ts'
import type { RecordDefinition, StoredRow } from '../kernel/record/definition.ts'
import { insertRecords, type GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { OrganizationShapes } from '../kernel/record/shape-source.ts'
import { emailMessage, emailThread } from '../outreach/email/email.record.ts'
import { emailTemplate } from '../outreach/email-template/email-template.record.ts'
import { sequence } from '../outreach/sequence/sequence.record.ts'
import { smartEmailDraft } from '../outreach/smart-email/smart-email.record.ts'
import { caseComment, supportCase } from '../support/case/case.record.ts'
import { ActivityDates, withDates } from './activity-dates.ts'
import { demoActivities, demoTasks, subjectsOf } from './engagement.ts'
import { demoLeads } from './leads.ts'
import { demoAccounts } from './accounts.ts'
import { demoCases } from './cases.ts'
import { demoEventTypes, insertEventTypes } from './custom-events.ts'
import { demoContacts } from './contacts.ts'
import { demoConversions } from './conversions.ts'
import { demoRates } from './currencies.ts'
import { demoOpportunities } from './opportunities.ts'
import { demoEmailTemplates } from './email-templates.ts'
import { demoEmailThreads } from './email-threads.ts'
import { demoSmartEmailDrafts } from './smart-email-drafts.ts'
import type { GeneratorInput } from './organization.ts'
import { demoCreditNotes } from './credit-notes.ts'
import { demoInvoices, withInvoices } from './invoices.ts'
import { demoOrders } from './orders.ts'
import { withLines } from './basket-lines.ts'
import { withDealHistory } from './deal-history.ts'
import { withOrderHistory, withQuoteHistory } from './sales-history.ts'
import { demoSequences, insertSequences } from './sequences.ts'
import { withLeadHistory, withTaskHistory } from './work-history.ts'
import { demoQuotes } from './quotes.ts'
import { demoScenarios } from './scenarios.ts'
import { demoTriageCases } from './triage-cases.ts'
import { demoForecasts } from './forecasts.ts'
import { demoQuotas } from './quotas.ts'
import { demoDefinitions, siteVisit } from './definitions.ts'
import { withMargins } from './margins.ts'
import { demoSiteVisits } from './site-visits.ts'
import { demoProducts } from './products.ts'

/** All records of an organization of the demo. */
export function demoData(input: GeneratorInput) {
  const products = demoProducts(input)
  const accounts = demoAccounts(input)
  const rates = demoRates(input)
  const conversions = demoConversions(input, accounts)
  const contacts = demoContacts(input, accounts, conversions)
  const deals = demoOpportunities({ input, products, rates, accounts, contacts, conversions })
  const opportunities = withMargins(input, withLines(input, deals))
  const leads = demoLeads(input, conversions, contacts, opportunities)
  const { cases, comments } = demoCases(input, accounts, contacts, opportunities)
  const { quotes, orders } = demoOrders(input, demoQuotes(input, opportunities))
  const subjects = subjectsOf(input, { accounts, contacts, leads, opportunities, cases })
  const activities = demoActivities(input, subjects)
  const tasks = demoTasks(input, subjects)
  const dates = new ActivityDates(activities, tasks)
  const { invoices, creditNotes } = demoCreditNotes(input, demoInvoices(input, orders))
  const sequences = demoSequences(input, contacts)
  const drafts = demoSmartEmailDrafts(input, contacts)
  const threads = [
    ...demoEmailThreads(input, contacts),
    ...sequences.mails,
    ...drafts.flatMap(({ mails }) => mails ?? []),
  ]
  return {
    definitions: demoDefinitions(input),
    siteVisits: demoSiteVisits(input, accounts),
    rates,
    products,
    accounts: withDates(dates, accounts),
    contacts: withDates(dates, contacts),
    opportunities: withDealHistory(input, withDates(dates, opportunities)),
    leads: withLeadHistory(input, withDates(dates, leads)),
    quotes: withQuoteHistory(input, quotes),
    orders: withOrderHistory(input, withInvoices(orders)),
    invoices,
    creditNotes,
    quotas: demoQuotas(input, opportunities),
    forecasts: demoForecasts(input, opportunities),
    scenarios: demoScenarios(input),
    triageCases: demoTriageCases(input, accounts),
    cases,
    comments,
    activities,
    eventTypes: demoEventTypes(input),
    tasks: withTaskHistory(input, tasks),
    emailTemplates: demoEmailTemplates(input),
    threads: threads.map(({ thread }) => thread),
    mails: threads.flatMap(({ sent, received }) => [...sent, ...received]),
    sequences,
    smartEmailDrafts: drafts.map(({ draft }) => draft),
  }
}

export type DemoData = ReturnType<typeof demoData>

const ofType = <T extends StoredRow>(definition: RecordDefinition<T>, records: readonly GeneratedRecord<T>[]) => ({
  object: definition.object,
  table: definition.table,
  records,
  insert: (sql: Sql, zone: string, shapes: OrganizationShapes | null) =>
    insertRecords(sql, shapes?.of(definition) ?? definition, records, zone),
})

const givenOf = <T extends StoredRow>(generated: readonly { readonly given: GeneratedRecord<T> }[]) =>
  generated.map(({ given }) => given)

/** What the organization has defined: before the records, which have its custom fields. */
export const definitionsByType = ({ definitions: { objects, customFields } }: DemoData) => [
  ofType(customObject, objects),
  ofType(customField, customFields),
]

/** The records of each type, in the order in which they are loaded. */
export const recordsByType = ({
  rates,
  products,
  cases,
  comments,
  activities,
  tasks,
  eventTypes,
  ...data
}: DemoData) => [
  ofType(exchangeRate, rates),
  ofType(product, products),
  ofType(account, givenOf(data.accounts)),
  ofType(contact, givenOf(data.contacts)),
  ofType(opportunity, givenOf(data.opportunities)),
  ofType(lead, givenOf(data.leads)),
  ofType(quota, data.quotas),
  ofType(forecast, data.forecasts),
  ofType(scenario, data.scenarios),
  ofType(triageCase, data.triageCases),
  ofType(quote, givenOf(data.quotes)),
  ofType(order, data.orders),
  ofType(invoice, data.invoices),
  ofType(creditNote, data.creditNotes),
  ofType(supportCase, cases),
  ofType(caseComment, comments),
  ofType(siteVisit, data.siteVisits),
  ofType(activity, activities),
  ofType(task, tasks),
  { ...ofType(customEventType, eventTypes.types), insert: (sql: Sql) => insertEventTypes(sql, eventTypes) },
  ofType(emailTemplate, data.emailTemplates),
  ofType(emailThread, data.threads),
  ofType(emailMessage, data.mails),
  {
    ...ofType(sequence, data.sequences.sequences),
    insert: (sql: Sql) => insertSequences(sql, data.sequences),
  },
  ofType(smartEmailDraft, data.smartEmailDrafts),
]
