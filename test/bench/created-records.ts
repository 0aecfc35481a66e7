import { recordFieldsOf } from './columns.ts'
import { tableBefore } from './table-before.ts'

type Row = Record<string, unknown>

/** What a create stores besides the body, for a baseline that checks nothing. */
export interface CreatedRecord {
  readonly object: string
  readonly table: string
  /** In the order of REST responses. */
  readonly fields: readonly string[]
  /** Fields with lists and with JSON; the others are null unless they are given. */
  readonly lists: ReadonlySet<string>
  /** Fields that are stored as JSON. */
  readonly json: ReadonlySet<string>
  /** The values of a new record that the body does not give. */
  readonly initial: (body: Row) => Row
}

const fullName = ({ firstName, lastName }: Row): string => [firstName, lastName].filter(Boolean).join(' ')

const account: CreatedRecord = {
  object: 'account',
  table: 'crm.account',
  fields: recordFieldsOf('accounts', 'account'),
  lists: new Set(['painPoints', 'techStack', 'competitors', 'tags']),
  json: new Set(['customFields', 'metadata']),
  initial: () => ({ accountStatus: 'ACTIVE', isStrategic: false }),
}

/** The records whose create is measured, by the path in REST; `/before/…` exists in the baselines only. */
export const createdRecords: Readonly<Record<string, CreatedRecord>> = {
  '/v1/accounts': account,
  '/before/v1/accounts': { ...account, table: tableBefore },
  '/v1/contacts': {
    object: 'contact',
    table: 'crm.contact',
    fields: recordFieldsOf('contacts', 'contact'),
    lists: new Set(['secondaryEmails', 'tags']),
    json: new Set(['customFields', 'metadata', 'consent']),
    initial: (body) => ({
      name: fullName(body),
      emailStatus: 'UNKNOWN',
      isPrimary: false,
      doNotCall: false,
      emailOptOut: false,
      status: 'ACTIVE',
    }),
  },
  '/v1/leads': {
    object: 'lead',
    table: 'crm.lead',
    fields: recordFieldsOf('leads', 'lead'),
    lists: new Set(['tags']),
    json: new Set(['customFields', 'metadata']),
    initial: (body) => ({
      name: fullName(body),
      status: 'NEW',
      leadSource: 'OTHER',
      ratingOverridden: false,
      emailOptOut: false,
      doNotCall: false,
    }),
  },
}
