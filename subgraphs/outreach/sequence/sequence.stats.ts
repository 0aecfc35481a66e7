import { Field, Float, Int, ObjectType } from 'type-graphql'
import { count, countBy } from '../../kernel/record/aggregates.ts'
import { filteredRows } from '../../kernel/record/figures-by.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { totalsTable } from '../../kernel/record/maintained-totals.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures, type Counts } from '../../kernel/record/stats.ts'
import { valueCounts } from '../../kernel/record/value-counts.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { sequenceEnrollment } from '../enrollment/enrollment.record.ts'
import { SequenceStatus } from './sequence.enumerations.ts'
import { enrollmentSums, figuresOf, type EnrollmentSums } from './sequence-figures.ts'
import { sequence } from './sequence.record.ts'

const StatusCounts = valueCounts(SequenceStatus, 'SEQUENCES', 'sequences')

const rate = (of: string) => ({
  nullable: true,
  description: `${of} divided by \`contacted\`, 0 to 1 with four decimals; null before the first mail.`,
})

@ObjectType({
  description: 'Statistics of the live sequences that the caller sees, and of their enrollments of all times.',
})
@RequiresScope('SEQUENCES')
export class SequenceStats {
  @Field(() => Int, { description: 'Number of sequences.' })
  total!: number

  @Field(() => StatusCounts, { description: 'Number of sequences by `status`.' })
  byStatus!: Counts

  @Field(() => Int, { description: 'Number of enrollments.' })
  enrolled!: number

  @Field(() => Int, { description: 'Enrollments that are ACTIVE.' })
  active!: number

  @Field(() => Int, { description: 'Enrollments that are PAUSED.' })
  paused!: number

  @Field(() => Int, { description: 'Enrollments that are COMPLETED.' })
  completed!: number

  @Field(() => Int, { description: 'Enrollments that got at least one mail.' })
  contacted!: number

  @Field(() => Int, { description: 'Enrollments whose person replied.' })
  replied!: number

  @Field(() => Int, { description: 'Enrollments of which a mail bounced.' })
  bounced!: number

  @Field(() => Int, { description: 'Enrollments whose person unsubscribed or complained.' })
  unsubscribed!: number

  @Field(() => Float, rate('Enrollments with an open'))
  openRate!: number | null

  @Field(() => Float, rate('Enrollments with a click'))
  clickRate!: number | null

  @Field(() => Float, rate('`replied`'))
  replyRate!: number | null

  @Field(() => Float, rate('Enrollments with a meeting'))
  meetingRate!: number | null
}

export async function sequenceStats(ctx: RequestContext, filter: FilterInput | null): Promise<SequenceStats> {
  const { source, predicate } = filteredRows(ctx, sequence, filter)
  const ofSequences = predicate.totals(sequenceEnrollment, 't', ['CHANGE', 'GROUP'])
  const [counts, [sums]] = await Promise.all([
    figures(ctx, sequence, { total: count(), byStatus: countBy('status') }, filter),
    ctx.db.query<EnrollmentSums>(
      `select ${enrollmentSums} from ${totalsTable(sequenceEnrollment)} t
       where ${ofSequences} and t.sequence_id in (select t.id from ${source})`,
      predicate.values.list,
      'SCAN',
    ),
  ])
  return { ...counts, ...figuresOf(sums!) } as SequenceStats
}
