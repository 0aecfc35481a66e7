import { edgeToReferenced, extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import { lead } from '../lead/lead.record.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'

const related: Readonly<Record<string, RecordShape>> = { account, contact, lead, opportunity }

const EmailThread = extendedEntity(
  'EmailThread',
  Object.fromEntries(
    Object.keys(related).map((name) => [`${name}Id`, `Id of the ${name} to which it belongs; null if none.`]),
  ),
)

export const emailThreadEdges: readonly Resource[] = Object.entries(related).map(([name, record]) =>
  edgeToReferenced(EmailThread, name, {
    record,
    by: `${name}Id`,
    description: `The ${name} to which it belongs; null if there is none or the caller does not see it.`,
  }),
)
