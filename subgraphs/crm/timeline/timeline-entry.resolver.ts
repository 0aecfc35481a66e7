import { Ctx, FieldResolver, Info, Resolver, Root } from 'type-graphql'
import { recordType } from '../../kernel/record/record-registry.ts'
import { readReference } from '../../kernel/record/read.ts'
import { selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { activity } from '../activity/activity.record.ts'
import { opportunity } from '../opportunity/opportunity.record.ts'
import { task } from '../task/task.record.ts'
import { timelineSources } from './timeline-sources.ts'
import { TimelineEntry, TimelineRecord, type TimelineKind } from './timeline.types.ts'

/** Records of this subgraph; the others are read by their own one. */
const ownTypes: ReadonlySet<string> = new Set([activity.object, task.object, opportunity.object])

/** Their scope is not that of the other records, and a selection of a union needs the scopes of all of its types. */
const outsideUnion: ReadonlySet<TimelineKind> = new Set(['INVOICE'])

@Resolver(() => TimelineEntry)
export class TimelineEntryResolver {
  @FieldResolver(() => TimelineRecord, {
    nullable: true,
    description:
      'The record of the entry; null if it was deleted meanwhile, and for an INVOICE, which a selection of the union would require the * scope for.',
  })
  async record(@Root() { kind, recordId: id }: TimelineEntry, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    if (outsideUnion.has(kind)) return null
    const { object, type } = timelineSources.find((source) => source.kind === kind)!
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
