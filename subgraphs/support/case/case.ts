import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

export const CaseStatus = enumeration('CaseStatus', 'Where a case is in its life cycle.', {
  NEW: 'Nobody has worked on it yet. The default.',
  OPEN: 'Somebody works on it.',
  PENDING_CUSTOMER: 'It waits for the customer; the SLA clock is stopped.',
  ESCALATED: 'It needs more attention; its priority is at least HIGH.',
  RESOLVED: 'It is answered; the customer may reopen it.',
  CLOSED: 'It is finished.',
})
export type CaseStatus = keyof typeof CaseStatus

export const CasePriority = enumeration('CasePriority', 'Urgency of a case. At creation it determines the due times.', {
  LOW: 'First response due in 24 hours, resolution in 120.',
  MEDIUM: 'First response due in 8 hours, resolution in 72. The default.',
  HIGH: 'First response due in 4 hours, resolution in 24.',
  URGENT: 'First response due in 1 hour, resolution in 4.',
})
export type CasePriority = keyof typeof CasePriority

export const CaseType = enumeration('CaseType', 'Kind of request.', {
  QUESTION: 'The customer wants to know something. The default.',
  INCIDENT: 'Something stopped working.',
  PROBLEM: 'The common cause of several incidents.',
  FEATURE_REQUEST: 'The customer wants something that does not exist.',
  BILLING: 'An invoice or a payment.',
  OTHER: 'Any other kind.',
})
export type CaseType = keyof typeof CaseType

export const CaseOrigin = enumeration('CaseOrigin', 'Channel by which a case came in.', {
  EMAIL: 'An email of the customer.',
  PHONE: 'A call.',
  WEB: 'A form on the web site.',
  CHAT: 'A chat.',
  PORTAL: 'The customer portal.',
  INTERNAL: 'Somebody in the organization created it. The default.',
})
export type CaseOrigin = keyof typeof CaseOrigin

@ObjectType({
  description:
    'A request of a customer that needs an answer. New values of status, priority, type and origin may be added.',
})
@Directive('@key(fields: "id")')
@RequiresScope('CASES')
@Entity({ schema: 'support', tableName: 'case' })
export class Case extends OrgRecord {
  @Column(() => Int, {
    indexed: true,
    writable: 'NEVER',
    description: 'Number of the case, from 1, counted per organization without gaps. It never changes.',
    example: 1042,
  })
  caseNumber!: number

  @Column(() => String, {
    indexed: true,
    max: 300,
    filled: true,
    description: 'Subject in one line.',
    example: 'Labels print without the delivery barcode',
  })
  subject!: string

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'What the customer needs, as free text; null if none.',
    example: 'Since this morning every label from dock 3 lacks the barcode below the address. Docks 1 and 2 are fine.',
  })
  description!: string | null

  @Column(() => CaseStatus, {
    indexed: true,
    readAsString: true,
    default: 'NEW',
    description:
      'Where the case is in its life cycle. A change has side effects on the due times, `resolvedAt`, `closedAt` and `escalationLevel`.',
    example: 'OPEN',
  })
  status!: CaseStatus

  @Column(() => CasePriority, {
    indexed: true,
    readAsString: true,
    default: 'MEDIUM',
    description: 'Urgency. At creation it determines the due times; an escalation raises it to at least HIGH.',
    example: 'HIGH',
  })
  priority!: CasePriority

  @Column(() => CaseType, {
    indexed: true,
    readAsString: true,
    default: 'QUESTION',
    description: 'Kind of request.',
    example: 'INCIDENT',
  })
  type!: CaseType

  @Column(() => CaseOrigin, {
    indexed: true,
    readAsString: true,
    default: 'INTERNAL',
    description: 'Channel by which the case came in.',
    example: 'EMAIL',
  })
  origin!: CaseOrigin

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the account that the case is about; null if none.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  accountId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the contact that the case is about, a live contact that the caller sees; null if none.',
    example: null,
  })
  contactId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the opportunity that the case is about, a live opportunity that the caller sees; null if none.',
    example: null,
  })
  opportunityId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description:
      'Id of the user who works on the case; null without an assignee. The assignee sees the case, like its owner.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'assignedTo', description: 'The user who works on the case; null without an assignee.' },
  })
  assignedToId!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    description:
      'Due time of the resolution; null for none. Unless set: 4 (URGENT), 24 (HIGH), 72 (MEDIUM) or 120 (LOW) hours after creation, by the priority at creation, counted in the business hours of the organization if it has them; a later change of the priority does not move it. Time in PENDING_CUSTOMER moves it later.',
    example: '2026-11-05T08:15:00.000Z',
  })
  slaDueAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description:
      'Due time of the first response: 1 (URGENT), 4 (HIGH), 8 (MEDIUM) or 24 (LOW) hours after creation, by the priority at creation, counted in the business hours of the organization if it has them. It never changes; null in a case without one.',
    example: '2026-11-02T16:15:00.000Z',
  })
  firstResponseDueAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When a user first added a public comment; null before.',
    example: '2026-11-02T09:02:00.000Z',
  })
  firstResponseAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the case was resolved or closed; null while it is open. Reopening clears it.',
    example: null,
  })
  resolvedAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the case was closed; null while it is not. Reopening clears it.',
    example: null,
  })
  closedAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the case was last escalated; null if it never was.',
    example: null,
  })
  escalatedAt!: string | null

  @Column(() => Int, {
    indexed: true,
    writable: 'NEVER',
    default: 0,
    description: 'Number of times that the case was escalated, from 0.',
    example: 0,
  })
  escalationLevel!: number

  @Column(() => Int, {
    writable: 'NEVER',
    default: 0,
    description: 'Number of times that the case was reopened, from 0.',
    example: 0,
  })
  reopenCount!: number

  @Column(() => Json, {
    nullable: true,
    writable: 'NEVER',
    derivedFrom: ['description'],
    description:
      'The last summary that `caseSummarize` wrote, as `{summary, keyPoints, generatedAt, model, basedOnVersion}`; null before the first.',
    example: null,
  })
  aiSummary!: unknown

  @Column(() => DateTime, { nullable: true, internal: true })
  pausedAt!: string | null

  @Column(() => DateTime, { nullable: true, internal: true })
  slaBreachedAt!: string | null
}
