import { Field, ID, Int, ObjectType } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { stateOf } from '../../kernel/record/read.ts'
import { isId } from '../../kernel/ids.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { isHidden, redact } from '../../kernel/record/field-security.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import { EmailBounceType, EmailStatus } from '../email/email.enumerations.ts'
import { emailMessage } from '../email/email.record.ts'
import { sequenceAttempt } from './attempt.record.ts'
import type { SequenceAttempt } from './attempt.ts'
import { shapeOf } from './enrolled-shape.ts'
import type { SequenceEntityType } from './enrollment.enumerations.ts'
import { sequenceEnrollment } from './enrollment.record.ts'

@ObjectType({ description: 'What became of one mail of an enrollment.' })
@RequiresScope('SEQUENCES')
export class SequenceDeliveredMail {
  @NamesRecord('email')
  @Field(() => ID, { description: 'Id of the mail.' })
  messageId!: string

  @Field(() => ID, { description: 'Id of the step that sent it; it may have been deleted since.' })
  stepId!: string

  @Field(() => String, { description: 'Subject of the mail.' })
  subject!: string

  @Field(() => EmailStatus, { description: 'How far the mail has come.' })
  status!: EmailStatus

  @Field(() => DateTime, { description: 'When the step was executed.' })
  executedAt!: string

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was sent, or refused for its recipients; null before.',
  })
  sentAt!: string | null

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the mail server of the recipient accepted it; null if unknown.',
  })
  deliveredAt!: string | null

  @Field(() => DateTime, { nullable: true, description: 'When a person first opened it; null if unknown.' })
  firstOpenedAt!: string | null

  @Field(() => Int, { description: 'How often persons have opened it.' })
  openCount!: number

  @Field(() => Int, { description: 'How often persons have followed its links; at most 100 are counted.' })
  clickCount!: number

  @Field(() => EmailBounceType, { nullable: true, description: 'How it bounced; null if it did not.' })
  bounceType!: EmailBounceType | null

  @Field(() => String, { nullable: true, description: 'Why it was not sent; null unless the status is FAILED.' })
  failureReason!: string | null
}

/** The mails and executions of one enrollment that are returned. */
export const attemptsMax = 200

const mails: ReadonlySet<string> = new Set(['mails'])
const attempts: ReadonlySet<string> = new Set(['attempts'])

interface OfEnrollment {
  readonly enrollmentId: string
}

const grouped = <T extends OfEnrollment>(ids: readonly string[], rows: readonly T[]): T[][] => {
  const groups = Map.groupBy(rows, ({ enrollmentId }) => enrollmentId)
  return ids.map((id) => groups.get(id) ?? [])
}

/** The mails of an enrollment that the caller sees, oldest first, without what the profile of the caller hides of mails. */
export const mailsOf = (ctx: RequestContext, enrollmentId: string): Promise<SequenceDeliveredMail[]> =>
  batchOf(ctx, mails, 'sequence_mails', async (ids) => {
    const predicate = computedOver(ctx)
    const visible = predicate.live(emailMessage, 'm')
    const rows = await ctx.db.query<SequenceDeliveredMail & OfEnrollment & Record<string, unknown>>(
      `select a.* from unnest(${predicate.values.add(ids)}::uuid[]) as e (id) cross join lateral (
         select a.enrollment_id as "enrollmentId", m.id as "messageId", a.step_id as "stepId", m.subject, m.status,
           a.executed_at as "executedAt", m.sent_at as "sentAt", m.delivered_at as "deliveredAt",
           m.first_opened_at as "firstOpenedAt", m.open_count as "openCount", jsonb_array_length(m.clicks) as "clickCount",
           m.bounce_type as "bounceType", m.failure_reason as "failureReason"
         from outreach.sequence_attempt a join outreach.email_message m on m.id = a.message_id and ${visible}
         where a.organization_id = ${predicate.organization()} and a.enrollment_id = e.id
         order by a.executed_at, a.id limit ${attemptsMax}) a`,
      predicate.values.list,
    )
    const shape = shapeFor(ctx, emailMessage)
    const hidesClicks = isHidden(ctx.caller, shape, 'clicks')
    const readable = rows.map((row) => ({ ...redact(ctx.caller, shape, row), ...(hidesClicks && { clickCount: 0 }) }))
    return grouped(ids, readable)
  }).load(enrollmentId)

/** The executions of steps of an enrollment, oldest first. */
export const attemptsOf = (ctx: RequestContext, enrollmentId: string): Promise<SequenceAttempt[]> =>
  batchOf(ctx, attempts, 'sequence_attempts', async (ids) =>
    grouped(
      ids,
      (
        await ctx.db.query<SequenceAttempt & Record<string, unknown>>(
          `select a.* from unnest($2::uuid[]) as e (id) cross join lateral (
           select id, enrollment_id as "enrollmentId", step_id as "stepId", visit, step_type as "stepType",
             step_position as "stepPosition", variant_id as "variantId", result, detail, executed_at as "executedAt",
             message_id as "messageId", task_id as "taskId", opened_at as "openedAt", clicked_at as "clickedAt",
             replied_at as "repliedAt", bounced_at as "bouncedAt"
           from outreach.sequence_attempt a where a.organization_id = $1 and a.enrollment_id = e.id
           order by a.executed_at, a.id limit ${attemptsMax}) a`,
          [ctx.caller.organizationId, ids],
        )
      ).map((row) => redact(ctx.caller, sequenceAttempt, row)),
    ),
  ).load(enrollmentId)

/** Refuses a record that the caller does not see. */
export async function requireVisibleRecord(
  ctx: RequestContext,
  entityType: SequenceEntityType,
  id: string,
): Promise<void> {
  const state = isId(id) ? await stateOf(ctx, shapeOf(entityType), id.toLowerCase()) : null
  if (state === null) throw notFound(entityType === 'LEAD' ? 'The lead' : 'The contact')
}

export const enrollments = recordsOf(sequenceEnrollment)
