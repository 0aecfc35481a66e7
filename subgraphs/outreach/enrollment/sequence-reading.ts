import type { createTask } from '../../crm/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { weekdays } from '../../kernel/time/working-week.ts'
import type { SequenceCondition } from '../sequence/step-parts.ts'
import type { SequenceDelayFrom, SequenceStatus, SequenceStepType } from '../sequence/sequence.enumerations.ts'

type Task = Awaited<ReturnType<typeof createTask>>

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
  /** Raised by every change of the sequence and of its steps. */
  readonly version: number
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

export interface ReadTask {
  readonly subject: string
  readonly priority: Task['priority']
  readonly description?: string | null
  readonly dueInDays?: number | null
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
  readonly webhookUrl: string | null
  readonly replyInThread: boolean
  readonly variants: readonly ReadVariant[]
  readonly task: ReadTask | null
  readonly condition: SequenceCondition | null
  /** Who wrote the step last; null for the platform. */
  readonly updatedById: string | null
  readonly isActive: boolean
  readonly isDeleted: boolean
  /** Of a deleted step: the one that took its place. */
  readonly successorId: string | null
}

const sequenceColumns = `id, version, name, status, entity_types as "entityTypes", settings, paused_ms as "pausedMs", paused_at as "pausedAt"`

/** The live sequences with these ids, whoever owns them. */
export function readSequences({ db, caller }: RequestContext, ids: readonly string[]): Promise<ReadSequence[]> {
  return db.query<ReadSequence & Record<string, unknown>>(
    `select ${sequenceColumns} from outreach.sequence where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null`,
    [caller.organizationId, ids],
  )
}

/** The live steps of these sequences in their order; and those of the named steps that were deleted, with what took their places. */
export function readSteps(
  { db, caller }: RequestContext,
  sequenceIds: readonly string[],
  named: readonly string[] = [],
): Promise<ReadStep[]> {
  const columns = `id, sequence_id as "sequenceId", position, type, name, delay_days as "delayDays", delay_hours as "delayHours",
    delay_from as "delayFrom", template_id as "templateId", subject, body_html as "bodyHtml", body_text as "bodyText", webhook_url as "webhookUrl",
    reply_in_thread as "replyInThread", variants, task, condition, updated_by_id as "updatedById", is_active as "isActive", deleted_at is not null as "isDeleted",
    successor_id as "successorId"`
  return db.query<ReadStep & Record<string, unknown>>(
    `with recursive deleted as (
       select id, successor_id, 1 as hops from outreach.sequence_step
       where organization_id = $1 and id = any($3::uuid[]) and deleted_at is not null
       union
       select s.id, s.successor_id, d.hops + 1 from deleted d
       join outreach.sequence_step s on s.organization_id = $1 and s.id = d.successor_id
       where s.deleted_at is not null and d.hops < 100
     )
     select ${columns} from outreach.sequence_step
     where organization_id = $1 and sequence_id = any($2::uuid[]) and deleted_at is null
     union all
     select ${columns} from outreach.sequence_step where organization_id = $1 and id in (select id from deleted)
     order by "sequenceId", position`,
    [caller.organizationId, sequenceIds, named],
  )
}
