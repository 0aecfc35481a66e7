import type { RelationBy } from '../../kernel/record/definition.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { withArticle } from '../../kernel/record/article.ts'
import type { RelatedRecord } from './related-record.ts'
import type { Link } from './related-types.ts'

const relation = <T extends RelatedRecord>(one: string, by: Link, object: string, scope: string): RelationBy<T> => ({
  to: recordType(object),
  by,
  description: `Conditions on the ${object} of the ${one}. One without ${withArticle(object)} that the caller sees does not match. Needs ${scope}.`,
})

/** The relations of tasks and activities to the records that they concern. */
export const linkRelations = <T extends RelatedRecord>(one: string): Readonly<Record<string, RelationBy<T>>> => ({
  account: relation(one, 'accountId', 'account', 'READ_ACCOUNTS'),
  contact: relation(one, 'contactId', 'contact', 'READ_CONTACTS'),
  lead: relation(one, 'leadId', 'lead', 'READ_LEADS'),
  opportunity: relation(one, 'opportunityId', 'opportunity', 'READ_OPPORTUNITIES'),
  case: relation(one, 'caseId', 'case', 'READ_CASES'),
})
