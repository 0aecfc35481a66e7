import { expect, it } from 'vitest'
import { recordTypes } from '../../subgraphs/all.ts'

/**
 * The statuses that may follow each status. Tests of operations and refusals compare what the state machines declare with what the operations do; this
 * list is what was decided, so a status that may follow by mistake is found.
 */
const following: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  lead: {
    NEW: 'CONTACTED QUALIFIED NURTURING UNQUALIFIED CONVERTED',
    CONTACTED: 'NEW QUALIFIED NURTURING UNQUALIFIED CONVERTED',
    QUALIFIED: 'NEW CONTACTED NURTURING UNQUALIFIED CONVERTED',
    NURTURING: 'NEW CONTACTED QUALIFIED UNQUALIFIED CONVERTED',
    UNQUALIFIED: 'NEW',
    CONVERTED: '',
  },
  quote: {
    DRAFT: 'IN_REVIEW SENT CANCELLED',
    IN_REVIEW: 'APPROVED DRAFT CANCELLED',
    APPROVED: 'SENT CANCELLED',
    SENT: 'ACCEPTED REJECTED EXPIRED CANCELLED',
    ACCEPTED: 'CONVERTED',
    REJECTED: '',
    EXPIRED: '',
    CANCELLED: '',
    CONVERTED: '',
  },
  order: {
    DRAFT: 'CONFIRMED CANCELLED',
    CONFIRMED: 'PROCESSING CANCELLED',
    PROCESSING: 'PARTIALLY_FULFILLED FULFILLED CANCELLED',
    PARTIALLY_FULFILLED: 'PARTIALLY_FULFILLED FULFILLED',
    FULFILLED: 'RETURNED',
    CANCELLED: '',
    RETURNED: '',
  },
  invoice: {
    DRAFT: 'SENT PAID',
    SENT: 'PARTIALLY_PAID PAID OVERDUE VOID UNCOLLECTIBLE',
    PARTIALLY_PAID: 'SENT PAID OVERDUE UNCOLLECTIBLE',
    OVERDUE: 'SENT PARTIALLY_PAID PAID VOID UNCOLLECTIBLE',
    UNCOLLECTIBLE: 'PAID VOID',
    PAID: 'SENT PARTIALLY_PAID OVERDUE UNCOLLECTIBLE',
    VOID: '',
  },
  credit_note: {
    DRAFT: 'ISSUED',
    ISSUED: 'VOID',
    VOID: '',
  },
  case: {
    NEW: 'OPEN PENDING_CUSTOMER ESCALATED RESOLVED CLOSED',
    OPEN: 'NEW PENDING_CUSTOMER ESCALATED RESOLVED CLOSED',
    PENDING_CUSTOMER: 'NEW OPEN ESCALATED RESOLVED CLOSED',
    ESCALATED: 'NEW OPEN PENDING_CUSTOMER RESOLVED CLOSED',
    RESOLVED: 'NEW OPEN PENDING_CUSTOMER ESCALATED CLOSED',
    CLOSED: 'NEW OPEN PENDING_CUSTOMER ESCALATED RESOLVED',
  },
  email_template: {
    DRAFT: 'ACTIVE ARCHIVED',
    ACTIVE: 'DRAFT ARCHIVED',
    ARCHIVED: 'DRAFT ACTIVE',
  },
  reply_draft: {
    PENDING: 'APPROVED SENT REJECTED EXPIRED',
    APPROVED: 'PENDING SENT REJECTED EXPIRED',
    SENT: '',
    REJECTED: '',
    EXPIRED: '',
  },
  smart_email_draft: {
    DRAFT: 'SCHEDULED SENDING DISCARDED',
    SCHEDULED: 'SCHEDULED DRAFT SENDING FAILED DISCARDED',
    SENDING: 'SENT FAILED',
    SENT: '',
    FAILED: 'DRAFT DISCARDED',
    DISCARDED: 'DRAFT',
  },
  sequence: {
    DRAFT: 'ACTIVE ARCHIVED',
    ACTIVE: 'PAUSED ARCHIVED',
    PAUSED: 'ACTIVE ARCHIVED',
    ARCHIVED: '',
  },
  sequence_enrollment: {
    ACTIVE: 'PAUSED UNENROLLED COMPLETED REPLIED BOUNCED UNSUBSCRIBED MERGED FAILED',
    PAUSED: 'ACTIVE UNENROLLED COMPLETED REPLIED BOUNCED UNSUBSCRIBED MERGED FAILED',
    COMPLETED: '',
    REPLIED: '',
    BOUNCED: '',
    UNSUBSCRIBED: '',
    UNENROLLED: '',
    MERGED: '',
    FAILED: '',
  },
  triage_case: {
    OPEN: 'PLAN_SAVED IN_PROGRESS IGNORED RESOLVED',
    PLAN_SAVED: 'PLAN_SAVED IN_PROGRESS IGNORED RESOLVED',
    IN_PROGRESS: 'IN_PROGRESS IGNORED RESOLVED',
    IGNORED: 'OPEN',
    RESOLVED: '',
  },
}

it('only these statuses may follow each status', () => {
  const declared = recordTypes.flatMap(({ object, states }) => {
    if (!states) return []
    const statuses = Object.entries(states.transitions as Readonly<Record<string, object>>)
    return [[object, Object.fromEntries(statuses.map(([from, to]) => [from, Object.keys(to).join(' ')]))]]
  })
  expect(Object.fromEntries(declared)).toEqual(following)
})
