import type { Caller } from '../../kernel/context.ts'
import type { Column } from '../../kernel/record/column.ts'
import { isHidden, mayWrite } from '../../kernel/record/field-security.ts'
import { writableColumns } from '../../kernel/record/inputs.ts'
import { isPlain } from '../question/question.ts'
import { vocabulary } from '../question/vocabulary.ts'
import { shapeOf } from '../tool/records.ts'

/** The record types of which a field can be changed in words. */
export const changedObjects: readonly string[] = ['task', 'contact', 'lead', 'opportunity', 'account', 'case']

/** The ids of records that can be said by name, and the type of the records. */
export const namedReferences: Readonly<Record<string, string>> = {
  accountId: 'account',
  parentAccountId: 'account',
  contactId: 'contact',
  primaryContactId: 'contact',
  reportsToId: 'contact',
  opportunityId: 'opportunity',
}

const person = {
  telephone: 'phone',
  'phone number': 'phone',
  'telephone number': 'phone',
  mobile: 'mobilePhone',
  'mobile number': 'mobilePhone',
  'job title': 'title',
  'email address': 'email',
  mail: 'email',
}
const synonyms: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  task: {
    due: 'dueDate',
    deadline: 'dueDate',
    name: 'subject',
    title: 'subject',
    assignee: 'assignedToId',
    reminder: 'reminderAt',
  },
  contact: person,
  lead: person,
  opportunity: { 'closing date': 'closeDate', 'expected close date': 'closeDate', 'win probability': 'probability' },
  account: { telephone: 'phone', 'phone number': 'phone', homepage: 'website', 'web site': 'website' },
  case: { title: 'subject', assignee: 'assignedToId' },
}

/** Set by programs, or only together with other fields. */
const excluded = new Set(
  'id externalId legacyCrmId pipelineId recurrenceRule metadata relatedToType relatedToId leadId caseId'.split(' '),
)

const isSaid = (object: string, { name, kind, user }: Column): boolean =>
  !excluded.has(name) &&
  kind !== 'textList' &&
  (kind !== 'id' || user !== undefined || (object !== 'task' && name in namedReferences))

/** The fields of a record type that the caller may read and change, by the words for them. */
export function writableFields(caller: Caller, object: string): ReadonlyMap<string, Column> {
  const shape = shapeOf(object)
  const columns = new Map(
    writableColumns(shape.entity, 'UPDATE')
      .filter((column) => isPlain(column) && isSaid(object, column))
      .filter(({ name }) => mayWrite(caller, shape, name) && !isHidden(caller, shape, name))
      .map((column) => [column.name, column]),
  )
  const phrases = [...vocabulary(object, '').fields, ...Object.entries(synonyms[object] ?? {})]
  return new Map(
    phrases.flatMap(([phrase, name]): [string, Column][] => {
      const column = columns.get(name)
      return column ? [[phrase, column]] : []
    }),
  )
}
