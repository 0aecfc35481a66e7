import type { Condition } from './question.ts'

/** What a phrase says about the records of a type. */
export interface Meaning {
  readonly conditions: readonly Condition[]
  readonly label: string
  /** The date that a period after the phrase is about. */
  readonly date?: string
  /** With a period, the date replaces the conditions: a quote that was sent in May may be accepted by now. */
  readonly isDateAlone?: boolean
}

export const eq = (field: string, value: string | boolean): Condition => ({ field, operator: 'eq', value })
const anyOf = (field: string, values: string): Condition => ({ field, operator: 'in', value: values.split(' ') })
const meaning = (label: string, conditions: readonly Condition[], date?: string): Meaning => ({
  label,
  conditions,
  ...(date && { date }),
})

const openStatuses: Readonly<Record<string, string>> = {
  case: 'NEW OPEN PENDING_CUSTOMER ESCALATED',
  task: 'NOT_STARTED IN_PROGRESS WAITING',
  lead: 'NEW CONTACTED QUALIFIED NURTURING',
  invoice: 'SENT PARTIALLY_PAID OVERDUE',
  quote: 'DRAFT IN_REVIEW APPROVED SENT',
  order: 'DRAFT CONFIRMED PROCESSING PARTIALLY_FULFILLED',
}

export function ownPhrases(object: string, now: string): [string, Meaning][] {
  const own: [string, Meaning][] = []
  const add = (phrases: string, what: Meaning) =>
    own.push(...phrases.split('|').map((one): [string, Meaning] => [one, what]))
  const statuses = openStatuses[object]
  if (statuses)
    add(
      'open',
      meaning(`open (${statuses.toLowerCase().split(' ').join(', ').replaceAll('_', ' ')})`, [
        anyOf('status', statuses),
      ]),
    )
  switch (object) {
    case 'opportunity':
      add('open|not closed|pipeline', meaning('open', [eq('isClosed', false)]))
      add('closed', meaning('closed', [eq('isClosed', true)], 'closedAt'))
      add(
        'overdue|past due',
        meaning('open and past the close date', [
          eq('isClosed', false),
          { field: 'closeDate', operator: 'lt', value: now },
        ]),
      )
      add('won|win', meaning('won', [eq('isWon', true)], 'closedAt'))
      add('lost|lose', meaning('lost', [eq('isClosed', true), eq('isWon', false)], 'closedAt'))
      add('close|closing|expected to close', meaning('', [], 'closeDate'))
      break
    case 'task':
      add('overdue', meaning('overdue', [anyOf('status', statuses!), { field: 'dueDate', operator: 'lt', value: now }]))
      add('due', meaning('', [], 'dueDate'))
      add('done', meaning('status Completed', [eq('status', 'COMPLETED')], 'completedAt'))
      break
    case 'invoice':
      add('due', meaning('', [], 'dueDate'))
      add('issued', meaning('', [], 'issueDate'))
      add('unpaid', meaning('open', [anyOf('status', statuses!)]))
      break
    case 'case':
      add(
        'overdue',
        meaning('overdue', [anyOf('status', statuses!), { field: 'slaDueAt', operator: 'lt', value: now }]),
      )
      add('unassigned', meaning('unassigned', [{ field: 'assignedToId', operator: 'isNull', value: true }]))
      break
    case 'order':
      add('placed', meaning('', [], 'orderDate'))
      break
    case 'account':
      add('strategic', meaning('strategic', [eq('isStrategic', true)]))
      break
    case 'product':
      add('active', meaning('active', [eq('isActive', true)]))
      add('inactive', meaning('inactive', [eq('isActive', false)]))
      break
    default:
  }
  if (object === 'quote') add('expiring|expire|valid', meaning('', [], 'validUntil'))
  add('created|added|opened', meaning('', [], 'createdAt'))
  add('updated|changed', meaning('', [], 'updatedAt'))
  return own
}
