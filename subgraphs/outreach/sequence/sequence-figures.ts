import { Field, Float, ID, Int, ObjectType } from 'type-graphql'
import { batchOf } from '../../kernel/record/batch.ts'
import { totalsTable } from '../../kernel/record/maintained-totals.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { shareOf } from '../../kernel/values/share.ts'
import { sequenceAttempt } from '../enrollment/attempt.record.ts'
import { sequenceEnrollment } from '../enrollment/enrollment.record.ts'

const rate = (of: string) => ({
  nullable: true,
  description: `\`${of}\` divided by \`contacted\`, 0 to 1 with four decimals; null before the first mail.`,
})

@ObjectType({ description: 'Figures of the enrollments of a sequence, of all times.' })
@RequiresScope('SEQUENCES')
export class SequenceFigures {
  @Field(() => Int, { description: 'Number of enrollments.' })
  enrolled!: number

  @Field(() => Int, { description: 'Those that are ACTIVE.' })
  active!: number

  @Field(() => Int, { description: 'Those that are PAUSED.' })
  paused!: number

  @Field(() => Int, { description: 'Those that are COMPLETED.' })
  completed!: number

  @Field(() => Int, { description: 'Those that got at least one mail.' })
  contacted!: number

  @Field(() => Int, { description: 'Those whose person replied, whether that ended the enrollment or not.' })
  replied!: number

  @Field(() => Int, { description: 'Those of which a mail bounced.' })
  bounced!: number

  @Field(() => Int, { description: 'Those whose person unsubscribed or complained.' })
  unsubscribed!: number

  @Field(() => Float, rate('enrollments with an open'))
  openRate!: number | null

  @Field(() => Float, rate('enrollments with a click'))
  clickRate!: number | null

  @Field(() => Float, rate('replied'))
  replyRate!: number | null

  @Field(() => Float, rate('enrollments with a meeting'))
  meetingRate!: number | null
}

const mailRate = (of: string) => ({
  nullable: true,
  description: `\`${of}\` divided by \`sent\`, 0 to 1 with four decimals; null before the first mail.`,
})

@ObjectType({ description: 'Figures of the mails of a variant.' })
@RequiresScope('SEQUENCES')
export class SequenceVariantFigures {
  @Field(() => ID, { description: 'Id of the variant; it may have been removed since.' })
  variantId!: string

  @Field(() => Int, { description: 'Number of mails that were sent.' })
  sent!: number

  @Field(() => Float, mailRate('opened mails'))
  openRate!: number | null

  @Field(() => Float, mailRate('clicked mails'))
  clickRate!: number | null

  @Field(() => Float, mailRate('replied mails'))
  replyRate!: number | null
}

@ObjectType({ description: 'Figures of the executions of a step, of all times.' })
@RequiresScope('SEQUENCES')
export class SequenceStepFigures {
  @Field(() => Int, { description: 'Number of executions, also those that were skipped or failed.' })
  executed!: number

  @Field(() => Int, { description: 'Those that sent a mail.' })
  sent!: number

  @Field(() => Int, { description: 'Those that were skipped.' })
  skipped!: number

  @Field(() => Int, { description: 'Those that failed.' })
  failed!: number

  @Field(() => Int, { description: 'Mails that a person opened.' })
  opened!: number

  @Field(() => Int, { description: 'Mails of which a person followed a link.' })
  clicked!: number

  @Field(() => Int, { description: 'Mails that were answered.' })
  replied!: number

  @Field(() => Int, { description: 'Mails that bounced.' })
  bounced!: number

  @Field(() => Float, mailRate('opened'))
  openRate!: number | null

  @Field(() => Float, mailRate('clicked'))
  clickRate!: number | null

  @Field(() => Float, mailRate('replied'))
  replyRate!: number | null

  @Field(() => [SequenceVariantFigures], { description: 'The same by variant; empty without variants.' })
  variants!: SequenceVariantFigures[]
}

/** The sums of enrollments by a condition on the totals, with the alias `t`. */
export const enrollmentSums = `
  coalesce(sum(t.n), 0)::int as enrolled,
  coalesce(sum(t.n) filter (where t.status = 'ACTIVE'), 0)::int as active,
  coalesce(sum(t.n) filter (where t.status = 'PAUSED'), 0)::int as paused,
  coalesce(sum(t.n) filter (where t.status = 'COMPLETED'), 0)::int as completed,
  coalesce(sum(t.contacted), 0)::int as contacted, coalesce(sum(t.opened), 0)::int as opened,
  coalesce(sum(t.clicked), 0)::int as clicked, coalesce(sum(t.replied), 0)::int as replied,
  coalesce(sum(t.bounced), 0)::int as bounced, coalesce(sum(t.unsubscribed), 0)::int as unsubscribed,
  coalesce(sum(t.meetings), 0)::int as meetings`

export type EnrollmentSums = Readonly<
  Record<
    | 'enrolled'
    | 'active'
    | 'paused'
    | 'completed'
    | 'contacted'
    | 'opened'
    | 'clicked'
    | 'replied'
    | 'bounced'
    | 'unsubscribed'
    | 'meetings',
    number
  >
>

const noEnrollments: EnrollmentSums = {
  enrolled: 0,
  active: 0,
  paused: 0,
  completed: 0,
  contacted: 0,
  opened: 0,
  clicked: 0,
  replied: 0,
  bounced: 0,
  unsubscribed: 0,
  meetings: 0,
}

export function figuresOf({ opened, clicked, meetings, ...sums }: EnrollmentSums): SequenceFigures {
  const { contacted, replied } = sums
  return {
    ...sums,
    openRate: shareOf(opened, contacted),
    clickRate: shareOf(clicked, contacted),
    replyRate: shareOf(replied, contacted),
    meetingRate: shareOf(meetings, contacted),
  }
}

const ofFigures: ReadonlySet<string> = new Set()

/** The figures of a sequence that the caller sees; those of all sequences of one operation are read together, from the totals. */
export function figuresOfSequence(ctx: RequestContext, sequenceId: string): Promise<SequenceFigures> {
  return batchOf(ctx, ofFigures, 'sequenceFigures', async (ids) => {
    const predicate = computedOver(ctx)
    const inOrganization = predicate.totals(sequenceEnrollment, 't', ['CHANGE', 'GROUP'])
    const rows = await ctx.db.query<EnrollmentSums & { sequenceId: string }>(
      `select t.sequence_id as "sequenceId", ${enrollmentSums} from ${totalsTable(sequenceEnrollment)} t
       where ${inOrganization} and t.sequence_id = any(${predicate.values.add(ids)}::uuid[]) group by t.sequence_id`,
      predicate.values.list,
    )
    const byId = new Map(rows.map(({ sequenceId: id, ...sums }) => [id, sums]))
    return ids.map((id) => figuresOf(byId.get(id) ?? noEnrollments))
  }).load(sequenceId)
}

/** How many enrollments of a sequence are ACTIVE or PAUSED. */
export async function runningEnrollments(ctx: RequestContext, sequenceId: string): Promise<number> {
  const { active, paused } = await figuresOfSequence({ ...ctx, batches: new Map() }, sequenceId)
  return active + paused
}

interface AttemptSums {
  readonly stepId: string
  readonly variantId: string | null
  readonly result: string
  readonly n: number
  readonly opened: number
  readonly clicked: number
  readonly replied: number
  readonly bounced: number
}

const sumOf = (rows: readonly AttemptSums[], name: 'n' | 'opened' | 'clicked' | 'replied' | 'bounced'): number =>
  rows.reduce((sum, row) => sum + row[name], 0)

function ratesOf(rows: readonly AttemptSums[]) {
  const sent = sumOf(
    rows.filter(({ result }) => result === 'SENT'),
    'n',
  )
  return {
    sent,
    openRate: shareOf(sumOf(rows, 'opened'), sent),
    clickRate: shareOf(sumOf(rows, 'clicked'), sent),
    replyRate: shareOf(sumOf(rows, 'replied'), sent),
  }
}

function figuresOfStepRows(rows: readonly AttemptSums[]): SequenceStepFigures {
  const with_ = (result: string): number =>
    sumOf(
      rows.filter((row) => row.result === result),
      'n',
    )
  const byVariant = Object.groupBy(
    rows.filter(({ variantId }) => variantId !== null),
    ({ variantId }) => variantId!,
  )
  return {
    executed: sumOf(rows, 'n'),
    skipped: with_('SKIPPED'),
    failed: with_('FAILED'),
    opened: sumOf(rows, 'opened'),
    clicked: sumOf(rows, 'clicked'),
    replied: sumOf(rows, 'replied'),
    bounced: sumOf(rows, 'bounced'),
    ...ratesOf(rows),
    variants: Object.entries(byVariant)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([variantId, own = []]) => ({ variantId, ...ratesOf(own) })),
  }
}

/** The figures of a step; those of all steps of one operation are read together, from the totals. */
export function figuresOfStep(
  ctx: RequestContext,
  { id, sequenceId }: { readonly id: string; readonly sequenceId: string },
): Promise<SequenceStepFigures> {
  return batchOf(ctx, ofFigures, 'sequenceStepFigures', async (keys) => {
    const pairs = keys.map((key) => key.split(' ') as [string, string])
    const predicate = computedOver(ctx)
    const inOrganization = predicate.totals(sequenceAttempt, 't', ['CHANGE', 'GROUP'])
    const rows = await ctx.db.query<AttemptSums>(
      `select t.step_id as "stepId", t.variant_id as "variantId", t.result, sum(t.n)::int as n, sum(t.opened)::int as opened,
         sum(t.clicked)::int as clicked, sum(t.replied)::int as replied, sum(t.bounced)::int as bounced
       from ${totalsTable(sequenceAttempt)} t
       where ${inOrganization} and t.sequence_id = any(${predicate.values.add([...new Set(pairs.map(([of]) => of))])}::uuid[])
       group by t.step_id, t.variant_id, t.result having sum(t.n) <> 0`,
      predicate.values.list,
    )
    const byStep = Object.groupBy(rows, ({ stepId }) => stepId)
    return pairs.map(([, stepId]) => figuresOfStepRows(byStep[stepId] ?? []))
  }).load(`${sequenceId} ${id}`)
}
