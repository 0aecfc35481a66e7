import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import { recordType } from '../../kernel/record/record-registry.ts'
import { timelineSource } from '../../kernel/record/timeline-source.ts'
import { readReference } from '../../kernel/record/read.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { activity } from '../activity/activity.record.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import { task } from '../task/task.record.ts'
import { TimelineEntry, TimelineRecord, timelineRecordTypes } from './timeline.types.ts'

/** Records of this subgraph; the others are read by their own one. */
const ownTypes: ReadonlySet<string> = new Set([activity.object, task.object, opportunity.object])

/** Invoices and mails need scopes of their own, and a selection of a union needs the scopes of all of its types. */
const inUnion: ReadonlySet<string> = new Set(timelineRecordTypes.map(({ name }) => name))

@Resolver(() => TimelineEntry)
export class TimelineEntryResolver {
  @FieldResolver(() => TimelineRecord, {
    nullable: true,
    description:
      'The record of the entry; null if it was deleted meanwhile, and for an INVOICE, a PAYMENT and an EMAIL, because a selection of the union would need their scopes too.',
  })
  async record(@Root() { kind, recordId: id }: TimelineEntry, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    const { object, type } = timelineSource(kind)!
    if (!inUnion.has(type)) return null
    if (!ownTypes.has(object)) return { id, __typename: type }
    const row = await readReference(ctx, recordType(object)(), id, selectedFields(info))
    return row && { ...row, __typename: type }
  }

  @FieldResolver()
  actor(@Root() { actorId }: TimelineEntry): { readonly id: string } | null {
    return actorId === null ? null : { id: actorId }
  }
}

export const timelineEntryResource: Resource = { resolver: TimelineEntryResolver }
