import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Float, ID, ObjectType } from 'type-graphql'
import { ChurnRisk } from '../../crm/public.ts'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal, Json } from '../../kernel/record/scalars.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { riskSources } from './risk-sources.ts'
import { TriageSeverity, TriageStatus } from './triage.enumerations.ts'
import type { StoredAction, StoredSignal } from './stored-parts.ts'

const never = { writable: 'NEVER' } as const
const time = { ...never, nullable: true } as const
/** What follows from the facts of the account: hidden with any of them, because it could otherwise be told from the figure. */
const figure = { ...never, nullable: true, hiddenWith: riskSources } as const

@ObjectType({
  description:
    'An account that may leave, found by the daily scan, with the reasons and what can be done. It is visible to users who see the account. An account has at most one case that is not RESOLVED.',
})
@Directive('@key(fields: "id")')
@RequiresScope('HEALTH_TRIAGE')
@Entity({ schema: 'insights', tableName: 'triage_case' })
export class TriageCase extends OrgRecord {
  @NamesRecord('account')
  @Column(() => ID, {
    ...never,
    indexed: true,
    description: 'Id of the account.',
    example: '019a0c5e-7f00-7b21-9c0d-3e5f7a912b40',
  })
  accountId!: string

  @Column(() => TriageStatus, {
    ...never,
    indexed: true,
    default: 'OPEN',
    description: 'How far the work on it has come.',
    example: 'OPEN',
  })
  status!: TriageStatus

  @Column(() => TriageSeverity, {
    ...figure,
    indexed: true,
    description: 'How high the risk was at the last scan.',
    example: 'HIGH',
  })
  severity!: TriageSeverity | null

  @Column(() => Float, {
    ...figure,
    indexed: true,
    minimum: 0,
    maximum: 100,
    description:
      'Risk that the account leaves, 0 to 100, at the last scan, from all data of the account: the sum of the contributions of `signals`.',
    example: 68.42,
  })
  riskScore!: number | null

  @Column(() => ChurnRisk, {
    ...figure,
    indexed: true,
    description: 'The risk in words: HIGH from 70, MEDIUM from 40, LOW from 15.',
    example: 'MEDIUM',
  })
  churnRisk!: keyof typeof ChurnRisk | null

  @Column(() => Decimal, {
    ...figure,
    indexed: true,
    description:
      'Revenue of the last 12 months times the risk, in `currency`: what was invoiced, or else what was won. Null without revenue.',
    example: 21894.4,
  })
  revenueAtRisk!: ExactNumber | null

  @Column(() => String, {
    ...figure,
    max: 3,
    description: 'Currency of `revenueAtRisk`, the base currency of the organization at the last scan.',
    example: 'USD',
  })
  currency!: string | null

  @Column(() => Float, {
    ...figure,
    indexed: true,
    description:
      'Order of the work: `revenueAtRisk`, up to twice as much the nearer a renewal within 90 days is. Null without revenue.',
    example: 32841.6,
  })
  urgency!: number | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 5000,
    description: 'The plan in words; null without one.',
    example: 'Call the yard, then meet the new fleet manager.',
  })
  plan!: string | null

  @Column(() => DateTime, {
    ...time,
    description: 'Until when it is IGNORED; null: until the end of the cooldown, or not IGNORED.',
    example: null,
  })
  ignoredUntil!: string | null

  @Column(() => String, { ...time, max: 500, description: 'Why it was ignored; null without a reason.', example: null })
  ignoreReason!: string | null

  /** The cooldown of an ignored case begins with it. */
  @Column(() => DateTime, { ...time, internal: true })
  ignoredAt!: string | null

  @Column(() => String, {
    ...time,
    max: 1000,
    description: 'How it was resolved; null before, or without words.',
    example: null,
  })
  resolution!: string | null

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    description: 'When the scan opened it.',
    example: '2026-11-02T06:00:00.000Z',
  })
  openedAt!: string

  @Column(() => DateTime, {
    ...time,
    indexed: true,
    description: 'When it was resolved; null before.',
    example: null,
  })
  resolvedAt!: string | null

  @Column(() => DateTime, {
    ...never,
    description: 'When the figures were computed: the time of a scan.',
    example: '2026-11-02T06:00:00.000Z',
  })
  computedAt!: string

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 60,
    description:
      'The version of the weights of the last scan, with the month if they were fitted to the accounts of the organization; null before the first scan that knows it.',
    example: 'churn-3f0a9c1d',
  })
  modelVersion!: string | null

  /** Whether `triage.opened` notifies the owner, as the configuration said when it was opened. */
  @Column(() => Boolean, {
    ...never,
    description: 'Whether the owner of the account is notified of it, as the configuration said when it was opened.',
    example: true,
  })
  notifiesOwner!: boolean

  @Column(() => Json, { ...never, internal: true, decidesEdges: true })
  storedSignals!: readonly StoredSignal[]

  @Column(() => Json, { ...never, internal: true, decidesEdges: true })
  storedActions!: readonly StoredAction[]
}
