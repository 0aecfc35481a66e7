import type { RequestContext } from '../../kernel/request.ts'
import type { weekdays } from '../../kernel/time/working-week.ts'
import type { SequenceDelayFrom, SequenceStatus, SequenceStepType } from '../sequence/sequence.enumerations.ts'

/** The settings of a sequence as they are stored. */
export interface ReadSettings {
  /** RECIPIENT, SENDER or an IANA name. */
  readonly timezone: string
  readonly sendDays: readonly (typeof weekdays)[number][]
  readonly sendStart: string
  readonly sendEnd: string
  readonly skipHolidays: boolean
  readonly dailyLimitPerSender: number
  readonly threadReplies: boolean
  readonly stopOnReply: boolean
  readonly stopOnMeeting: boolean
  readonly stopOnBounce: boolean
  readonly stopOnUnsubscribe: boolean
  readonly stopOnOpportunityStage: readonly string[]
  readonly stopCompanyOnReply: boolean
}

export interface ReadSequence {
  readonly id: string
  readonly name: string
  readonly status: SequenceStatus
  readonly entityTypes: readonly string[]
  readonly settings: ReadSettings
  readonly pausedMs: number
  readonly pausedAt: string | null
}

export interface ReadVariant {
  readonly id: string
  readonly weight: number
  readonly subject: string | null
  readonly bodyHtml: string | null
}

export interface ReadStep {
  readonly id: string
  readonly sequenceId: string
  readonly position: number
  readonly type: SequenceStepType
  readonly name: string | null
  readonly delayDays: number
  readonly delayHours: number
  readonly delayFrom: SequenceDelayFrom
  readonly templateId: string | null
  readonly subject: string | null
  readonly bodyHtml: string | null
  readonly bodyText: string | null
  readonly replyInThread: boolean
  readonly variants: readonly ReadVariant[]
  readonly task: { readonly subject?: string | null; readonly priority?: string | null } | null
  readonly condition: {
    readonly logic?: string | null
    readonly conditions?: unknown
    readonly onTrueStepId?: string | null
    readonly onFalseStepId?: string | null
  } | null
  readonly isActive: boolean
  readonly isDeleted: boolean
}

const sequenceColumns = `id, name, status, entity_types as "entityTypes", settings, paused_ms as "pausedMs", paused_at as "pausedAt"`

/** The live sequences with these ids, whoever owns them. */
export function readSequences({ db, caller }: RequestContext, ids: readonly string[]): Promise<ReadSequence[]> {
  return db.query<ReadSequence & Record<string, unknown>>(
    `select ${sequenceColumns} from outreach.sequence where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null`,
    [caller.organizationId, ids],
  )
}

/** The live steps of these sequences in their order, and those of the named steps that were deleted. */
export function readSteps(
  { db, caller }: RequestContext,
  sequenceIds: readonly string[],
  named: readonly string[] = [],
): Promise<ReadStep[]> {
  const columns = `id, sequence_id as "sequenceId", position, type, name, delay_days as "delayDays", delay_hours as "delayHours",
    delay_from as "delayFrom", template_id as "templateId", subject, body_html as "bodyHtml", body_text as "bodyText",
    reply_in_thread as "replyInThread", variants, task, condition, is_active as "isActive", deleted_at is not null as "isDeleted"`
  return db.query<ReadStep & Record<string, unknown>>(
    `select ${columns} from outreach.sequence_step
     where organization_id = $1 and sequence_id = any($2::uuid[]) and deleted_at is null
     union all
     select ${columns} from outreach.sequence_step where organization_id = $1 and id = any($3::uuid[]) and deleted_at is not null
     order by "sequenceId", position`,
    [caller.organizationId, sequenceIds, named],
  )
}
