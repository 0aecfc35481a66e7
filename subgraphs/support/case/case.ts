import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { seenAccounts } from '../../crm/public.ts'
import { activeUsers, activeWriters } from '../../identity/public.ts'
import { Column, columnsOf, enumeration } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import { relationFrom, type RecordDefinition } from '../../kernel/record/definition.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { Scope } from '../../kernel/record/scope.ts'
import { caseComment } from '../case-comment/case-comment.ts'
import { caseEvents } from './case.events.ts'

export const CaseStatus = enumeration('CaseStatus', [
  'NEW',
  'OPEN',
  'PENDING_CUSTOMER',
  'ESCALATED',
  'RESOLVED',
  'CLOSED',
])
export type CaseStatus = keyof typeof CaseStatus

export const CasePriority = enumeration('CasePriority', ['LOW', 'MEDIUM', 'HIGH', 'URGENT'])
export type CasePriority = keyof typeof CasePriority

export const CaseType = enumeration('CaseType', [
  'QUESTION',
  'INCIDENT',
  'PROBLEM',
  'FEATURE_REQUEST',
  'BILLING',
  'OTHER',
])
export type CaseType = keyof typeof CaseType

export const CaseOrigin = enumeration('CaseOrigin', ['EMAIL', 'PHONE', 'WEB', 'CHAT', 'PORTAL', 'INTERNAL'])
export type CaseOrigin = keyof typeof CaseOrigin

@ObjectType({
  description:
    'A request of a customer that somebody has to answer. Status, priority, type and origin read as plain strings.',
})
@Directive('@key(fields: "id")')
@Scope('CASES')
@Entity({ schema: 'support', tableName: 'case' })
export class Case extends OrgRecord {
  @Column(() => Int, { writable: 'NEVER', description: 'Counts up per organization without gaps.' })
  caseNumber!: number

  @Column(() => String, { max: 300, filled: true })
  subject!: string

  @Column(() => String, { nullable: true, max: 20_000 })
  description!: string | null

  @Column(() => CaseStatus, { readAsString: true, default: 'NEW' })
  status!: CaseStatus

  @Column(() => CasePriority, { readAsString: true, default: 'MEDIUM' })
  priority!: CasePriority

  @Column(() => CaseType, { readAsString: true, default: 'QUESTION' })
  type!: CaseType

  @Column(() => CaseOrigin, { readAsString: true, default: 'INTERNAL' })
  origin!: CaseOrigin

  @Column(() => ID, { nullable: true })
  accountId!: string | null

  @Column(() => ID, { nullable: true })
  contactId!: string | null

  @Column(() => ID, { nullable: true })
  opportunityId!: string | null

  @Column(() => ID, {
    nullable: true,
    description: 'The user who works on the case, and who sees it beside its owner.',
  })
  assignedToId!: string | null

  @Column(() => DateTime, {
    nullable: true,
    description:
      'When the case should be resolved: 4, 24, 72 or 120 hours after it came, if it came as URGENT, HIGH, MEDIUM or LOW; another priority later does not move it. Waiting for the customer stops the clock.',
  })
  slaDueAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description:
      'When somebody should have answered: 1, 4, 8 or 24 hours after the case came, by the priority that it came with.',
  })
  firstResponseDueAt!: string | null

  @Column(() => DateTime, { nullable: true, writable: 'NEVER', description: 'The first public comment of a user.' })
  firstResponseAt!: string | null

  @Column(() => DateTime, { nullable: true, writable: 'NEVER' })
  resolvedAt!: string | null

  @Column(() => DateTime, { nullable: true, writable: 'NEVER' })
  closedAt!: string | null

  @Column(() => DateTime, { nullable: true, writable: 'NEVER' })
  escalatedAt!: string | null

  @Column(() => Int, { writable: 'NEVER', default: 0, description: 'How often the case was escalated.' })
  escalationLevel!: number

  @Column(() => Int, { writable: 'NEVER', default: 0 })
  reopenCount!: number

  @Column(() => Json, {
    nullable: true,
    writable: 'NEVER',
    derivedFrom: ['description'],
    description: 'The last summary: summary, keyPoints, generatedAt, model, basedOnVersion.',
  })
  aiSummary!: unknown

  @Column(() => DateTime, { nullable: true, internal: true })
  pausedAt!: string | null

  @Column(() => DateTime, { nullable: true, internal: true })
  slaBreachedAt!: string | null
}

export const supportCase: RecordDefinition<Case> = {
  entity: Case,
  columns: new Columns(columnsOf(Case)),
  object: 'case',
  table: 'support."case"',
  visibleBy: ['ownerId', 'assignedToId'],
  searchable: ['subject', 'description'],
  references: { ownerId: activeUsers, assignedToId: activeWriters, accountId: seenAccounts },
  relations: { comments: relationFrom(() => caseComment, 'caseId') },
  numbered: 'caseNumber',
  events: caseEvents,
}
