import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

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
    'A request of a customer that needs an answer. Status, priority, type and origin are returned as plain strings, because new values may be added.',
})
@Directive('@key(fields: "id")')
@RequiresScope('CASES')
@Entity({ schema: 'support', tableName: 'case' })
export class Case extends OrgRecord {
  @Column(() => Int, {
    indexed: true,
    writable: 'NEVER',
    description: 'Number of the case, counted per organization without gaps.',
  })
  caseNumber!: number

  @Column(() => String, { indexed: true, max: 300, filled: true })
  subject!: string

  @Column(() => String, { nullable: true, max: 20_000 })
  description!: string | null

  @Column(() => CaseStatus, { indexed: true, readAsString: true, default: 'NEW' })
  status!: CaseStatus

  @Column(() => CasePriority, { indexed: true, readAsString: true, default: 'MEDIUM' })
  priority!: CasePriority

  @Column(() => CaseType, { indexed: true, readAsString: true, default: 'QUESTION' })
  type!: CaseType

  @Column(() => CaseOrigin, { indexed: true, readAsString: true, default: 'INTERNAL' })
  origin!: CaseOrigin

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the account that the case is about; null if none.',
  })
  accountId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the contact that the case is about; null if none.',
  })
  contactId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the opportunity that the case is about; null if none.',
  })
  opportunityId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description:
      'Id of the user who works on the case; null without an assignee. The assignee sees the case, like its owner.',
    user: { field: 'assignedTo', description: 'The user who works on the case; null without an assignee.' },
  })
  assignedToId!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    description:
      'Due time of the resolution; null for none. Unless set: 4 (URGENT), 24 (HIGH), 72 (MEDIUM) or 120 (LOW) hours after creation, by the priority at creation, counted in the business hours of the organization if it has them; a later change of the priority does not move it. Time in PENDING_CUSTOMER moves it later.',
  })
  slaDueAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description:
      'Due time of the first response: 1 (URGENT), 4 (HIGH), 8 (MEDIUM) or 24 (LOW) hours after creation, by the priority at creation, counted in the business hours of the organization if it has them.',
  })
  firstResponseDueAt!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When a user first added a public comment; null before.',
  })
  firstResponseAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the case was resolved or closed; null while it is open.',
  })
  resolvedAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the case was closed; null while it is not.',
  })
  closedAt!: string | null

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the case was last escalated; null if it never was.',
  })
  escalatedAt!: string | null

  @Column(() => Int, {
    indexed: true,
    writable: 'NEVER',
    default: 0,
    description: 'Number of times that the case was escalated.',
  })
  escalationLevel!: number

  @Column(() => Int, { writable: 'NEVER', default: 0, description: 'Number of times that the case was reopened.' })
  reopenCount!: number

  @Column(() => Json, {
    nullable: true,
    writable: 'NEVER',
    derivedFrom: ['description'],
    description:
      'The last summary as `{summary, keyPoints, generatedAt, model, basedOnVersion}`; null before the first.',
  })
  aiSummary!: unknown

  @Column(() => DateTime, { nullable: true, internal: true })
  pausedAt!: string | null

  @Column(() => DateTime, { nullable: true, internal: true })
  slaBreachedAt!: string | null
}
