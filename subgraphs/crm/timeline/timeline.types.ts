import { ArgsType, createUnionType, Field, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { PageInfo } from '../../kernel/record/inputs.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { UserReference } from '../../kernel/record/user-reference.ts'
import { Activity } from '../activity/activity.ts'
import { Case } from '../edges/case-edges.ts'
import { Order } from '../edges/order-edges.ts'
import { Quote } from '../edges/quote-edges.ts'
import { Opportunity } from '../opportunity/opportunity.ts'
import { Task } from '../task/task.ts'

export const TimelineKind = enumeration('TimelineKind', 'What an entry of a timeline is.', {
  ACTIVITY: 'An activity, at the time when it happened or is planned.',
  TASK: 'A task, at the time of its completion; until then at the time of its creation.',
  CASE: 'A case, at the time when it was opened.',
  QUOTE: 'A quote, at the time of its creation.',
  ORDER: 'An order, at the time of its creation.',
  INVOICE: 'An invoice, at the time of its creation; its title is its number, null in a DRAFT.',
  PAYMENT:
    'A payment of an invoice, at the time when it was received. Its title is the number of the invoice, its type the method.',
  EMAIL:
    'A mail of a thread that concerns the record, at the time when it was sent, until then of its creation. Its type is the direction. A mail that was logged as an activity is that ACTIVITY, too.',
  STAGE_CHANGE: 'An opportunity that entered a stage, at that time; the first one is its creation.',
})
export type TimelineKind = keyof typeof TimelineKind

/** The records that an entry can have. */
export const timelineRecordTypes = [Activity, Task, Opportunity, Case, Quote, Order] as const

export const TimelineRecord = createUnionType({
  name: 'TimelineRecord',
  description:
    'The record of an entry of a timeline. A selection of it needs the READ scopes of all types of the union; the other fields of the entry need none of them.',
  types: () => timelineRecordTypes,
})

@ObjectType({
  description:
    'One entry of a timeline. A field that the profile hides is null. New values of type and status may be added.',
})
export class TimelineEntry {
  @Field(() => TimelineKind, { description: 'What the entry is.' })
  kind!: TimelineKind

  @Field(() => ID, {
    description:
      'Id of the record of the entry, of the type that `kind` names: of a STAGE_CHANGE the opportunity, of a PAYMENT the invoice.',
  })
  recordId!: string

  @Field(() => DateTime, { description: 'Time of the entry. The newest entry comes first.' })
  occurredAt!: string

  @Field(() => String, { nullable: true, description: 'Subject or name of the record; null if it has none.' })
  title!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      '`type` of the record, of a PAYMENT the `method`, of an EMAIL the `direction`; null if records of its kind have none.',
  })
  type!: string | null

  @Field(() => String, {
    nullable: true,
    description:
      '`status` of the record, for an activity its `outcome`, for a STAGE_CHANGE the stage, for a PAYMENT its own status; null if it has none.',
  })
  status!: string | null

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the user who did it: the actor of an activity, who completed the task, who moved the opportunity, who recorded the payment, or who created the record; null if no user did.',
  })
  actorId!: string | null

  @Field(() => UserReference, { nullable: true, description: 'The user who did it; null if `actorId` is null.' })
  actor!: { readonly id: string } | null
}

@ObjectType({ description: 'One entry of a timeline with its position.' })
export class TimelineEdge {
  @Field(() => TimelineEntry, { description: 'The entry.' })
  node!: TimelineEntry

  @Field(() => String, { description: 'Position of the entry in the timeline, to send as `after`.' })
  cursor!: string
}

@ObjectType({ description: 'A part of a timeline: `first` entries after the cursor `after`, newest first.' })
export class TimelineConnection {
  @Field(() => [TimelineEdge], { description: 'The entries with their cursors.' })
  edges!: TimelineEdge[]

  @Field(() => [TimelineEntry], { description: 'The same entries without cursors.' })
  nodes!: TimelineEntry[]

  @Field(() => PageInfo, { description: 'The position of this part in the timeline.' })
  pageInfo!: object
}

@ObjectType({ description: 'A page of a timeline.' })
export class TimelinePage {
  @Field(() => [TimelineEntry], { description: 'The entries of this page, newest first.' })
  data!: TimelineEntry[]

  @Field(() => Int, { description: 'Maximum number of entries on a page, as requested: 1 to 100.' })
  limit!: number

  @Field(() => Boolean, { description: 'True if older entries follow after this page.' })
  hasMore!: boolean

  @Field(() => String, {
    nullable: true,
    description: 'Cursor of the next page, for the argument `cursor`; null on the last page.',
  })
  nextCursor!: string | null
}

const kindsDescription =
  'Only entries of these kinds; null: all kinds. Kinds that the caller may not read are left out, also without this argument.'

@ArgsType()
export class TimelineArgs {
  @Field(() => [TimelineKind], { nullable: true, description: kindsDescription })
  kinds!: TimelineKind[] | null

  @Field(() => Int, { defaultValue: 20, description: 'Number of entries, 1 to 100.' })
  first!: number

  @Field(() => String, { nullable: true, description: 'Cursor of the last entry of the previous part.' })
  after!: string | null
}

@ArgsType()
export class TimelinePageArgs {
  @Field(() => ID, { description: 'Id of the record whose timeline is read.' })
  id!: string

  @Field(() => [TimelineKind], { nullable: true, description: kindsDescription })
  kinds!: TimelineKind[] | null

  @Field(() => Int, { defaultValue: 20, description: 'Entries per page, 1 to 100.' })
  limit!: number

  @Field(() => String, { nullable: true, description: '`nextCursor` of the previous page.' })
  cursor!: string | null
}
