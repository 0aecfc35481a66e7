import { product } from '../commerce/product/product.record.ts'
import { account } from '../crm/account/account.record.ts'
import { contact } from '../crm/contact/contact.record.ts'
import { opportunity } from '../crm/opportunity/opportunity.record.ts'
import { exchangeRate } from '../identity/currency/exchange-rate.record.ts'
import type { Sql } from '../kernel/database/sql.ts'
import type { RecordDefinition, StoredRow } from '../kernel/record/definition.ts'
import { insertRecords, type GeneratedRecord } from '../kernel/record/insert-records.ts'
import { caseComment, supportCase } from '../support/case/case.record.ts'
import { demoAccounts } from './accounts.ts'
import { demoCases } from './cases.ts'
import { demoContacts } from './contacts.ts'
import { demoConversions } from './conversions.ts'
import { demoRates } from './currencies.ts'
import { demoOpportunities } from './opportunities.ts'
import type { GeneratorInput } from './organization.ts'
import { demoProducts } from './products.ts'

/** All records of an organization of the demo. */
export function demoData(input: GeneratorInput) {
  const products = demoProducts(input)
  const accounts = demoAccounts(input)
  const rates = demoRates(input)
  const conversions = demoConversions(input, accounts)
  const contacts = demoContacts(input, accounts, conversions)
  const opportunities = demoOpportunities({ input, products, rates, accounts, contacts, conversions })
  const { cases, comments } = demoCases(input, accounts, contacts)
  return { rates, products, accounts, contacts, opportunities, cases, comments }
}

export type DemoData = ReturnType<typeof demoData>

const ofType = <T extends StoredRow>(definition: RecordDefinition<T>, records: readonly GeneratedRecord<T>[]) => ({
  object: definition.object,
  table: definition.table,
  records,
  insert: (sql: Sql) => insertRecords(sql, definition, records),
})

const givenOf = <T extends StoredRow>(generated: readonly { readonly given: GeneratedRecord<T> }[]) =>
  generated.map(({ given }) => given)

/** The records of each type, in the order in which they are loaded. */
export const recordsByType = ({ rates, products, accounts, contacts, opportunities, cases, comments }: DemoData) => [
  ofType(exchangeRate, rates),
  ofType(product, products),
  ofType(account, givenOf(accounts)),
  ofType(contact, givenOf(contacts)),
  ofType(opportunity, givenOf(opportunities)),
  ofType(supportCase, cases),
  ofType(caseComment, comments),
]
