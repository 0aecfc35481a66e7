import type { RelationBy } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { RelatedRecord } from './related-record.ts'

/** The relations of tasks and activities to the records that they concern. */
export const linkRelations = <T extends RelatedRecord>(one: string): Readonly<Record<string, RelationBy<T>>> => ({
  account: {
    to: recordType('account'),
    by: 'accountId',
    description: `Conditions on the account of the ${one}. One without an account that the caller sees does not match. Needs READ_ACCOUNTS.`,
  },
  case: {
    to: recordType('case'),
    by: 'caseId',
    description: `Conditions on the case of the ${one}. One without a case that the caller sees does not match. Needs READ_CASES.`,
  },
})
