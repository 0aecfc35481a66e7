import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { withCustomObject } from '../../kernel/extension/with-custom-object.ts'
import { CustomObjectArg } from '../../kernel/record/args.ts'
import { withArticle } from '../../kernel/record/article.ts'
import { customObjectScope } from '../../kernel/record/custom-object.ts'
import { nameOf, pluralOf } from '../../kernel/record/describe.ts'
import { operation, type DeclaredOperation, type OperationOptions } from '../../kernel/record/operation.ts'
import type { Class } from '../../kernel/record/declared-class.ts'
import { stateOf } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { linkedRecords } from '../related-record/linked-records.ts'
import { CustomRecord } from '../edges/custom-record.ts'
import { linkedTypes, links, type Link } from '../related-record/related-types.ts'
import { readTimeline } from './read-timeline.ts'
import { customRecordTimelines } from './custom-record-timelines.migrations.ts'
import { cursorOf, type Placed } from './timeline-cursor.ts'
import type { TimelineLink } from './timeline-sources.ts'
import {
  TimelineArgs,
  TimelineConnection,
  TimelinePage,
  TimelinePageArgs,
  type TimelineEdge,
} from './timeline.types.ts'

/** The timelines of the records that tasks and activities concern: `Account.timeline`, and `accountTimeline` for REST. Their entries come from the sources that resources register as `timeline`. */
export const timelineResources = (): Resource[] => [
  ...links.flatMap((link) => {
    const linked = linkedRecords[link]
    if (!linked) return []
    const { type, definition, scope } = linked
    const object = linkedTypes[link]
    const pages = {
      resolver: timelinePageOf(link, scope),
      operations: [timelineOperation(`${pluralOf(object)}/{id}`, object)],
    }
    return [{ resolver: timelineOf(link, { type, object, nullable: definition === null }) }, pages]
  }),
  { resolver: timelineOf('relatedToId', { type: CustomRecord, object: 'record', nullable: true }) },
  {
    resolver: CustomRecordTimelineResolver,
    migrations: [customRecordTimelines],
    operations: [
      timelineOperation('custom-objects/{name}/records/{id}', 'customRecord', {
        summary: 'Read the timeline of a record of a custom object',
        folder: 'custom-records',
        parameters: { name: 'object' },
      }),
    ],
  },
]

const timelineOperation = (path: string, object: string, more: Partial<OperationOptions> = {}): DeclaredOperation =>
  operation(`GET /v1/${path}/timeline`, `${object}Timeline`, {
    summary: `Read the timeline of ${withArticle(object)}`,
    answers: 'A page of the timeline.',
    ...more,
  })

interface TimelineOf {
  readonly type: Class<{ id: string }>
  /** What its records are called in descriptions. */
  readonly object: string
  /** Whether the record is one of another subgraph, which can be read while this one is unavailable. */
  readonly nullable: boolean
}

function timelineOf(link: TimelineLink, { type, object, nullable }: TimelineOf): Class {
  @Resolver(() => type)
  class TimelineResolver {
    @FieldResolver(() => TimelineConnection, {
      nullable,
      description: `What happened with the ${object}, newest first: its activities, tasks and other records, as far as the caller may read and sees them.`,
    })
    async timeline(
      @Root() { id }: { readonly id: string },
      @Args(() => TimelineArgs) { kinds, first, after }: TimelineArgs,
      @Ctx() ctx: RequestContext,
    ) {
      const names = { limit: 'first', cursor: 'after' }
      const { entries, hasMore } = await readTimeline(ctx, link, id, {
        kinds,
        limit: first,
        cursor: after ?? null,
        names,
      })
      return connectionOf(entries, hasMore, Boolean(after))
    }
  }
  return TimelineResolver
}

function timelinePageOf(link: Link, scope: string): Class {
  const object = linkedTypes[link]

  @Resolver()
  class TimelinePageResolver {
    @Query(() => TimelinePage, {
      name: `${object}Timeline`,
      description: `What happened with the ${object}, newest first, as pages; \`timeline\` of the ${object} has the same entries.`,
    })
    @RequiresScopes(scope)
    async page(
      @Args(() => TimelinePageArgs) { id, kinds, limit, cursor }: TimelinePageArgs,
      @Ctx() ctx: RequestContext,
    ): Promise<TimelinePage> {
      if ((await stateOf(ctx, recordType(object)(), id)) !== 'LIVE') throw notFound(`The ${nameOf({ object })}`)
      return timelinePage(ctx, link, { id, kinds, limit, cursor })
    }
  }
  return TimelinePageResolver
}

@Resolver()
class CustomRecordTimelineResolver {
  @Query(() => TimelinePage, {
    description:
      'What happened with a record of a custom object, newest first, as pages: the activities and tasks that are related to it; `timeline` of the record has the same entries.',
  })
  @RequiresScopes(customObjectScope)
  customRecordTimeline(
    @CustomObjectArg() object: string,
    @Args(() => TimelinePageArgs) args: TimelinePageArgs,
    @Ctx() ctx: RequestContext,
  ): Promise<TimelinePage> {
    return withCustomObject(ctx, object, async (current, shape) => {
      if ((await stateOf(current, shape, args.id)) !== 'LIVE') throw notFound(`The ${nameOf(shape)}`)
      return timelinePage(current, 'relatedToId', args)
    })
  }
}

async function timelinePage(
  ctx: RequestContext,
  link: TimelineLink,
  { id, kinds, limit, cursor }: TimelinePageArgs,
): Promise<TimelinePage> {
  const names = { limit: 'limit', cursor: 'cursor' }
  const { entries, hasMore } = await readTimeline(ctx, link, id, { kinds, limit, cursor: cursor ?? null, names })
  const last = entries.at(-1)
  return { data: [...entries], limit, hasMore, nextCursor: hasMore && last ? cursorOf(last) : null }
}

function connectionOf(nodes: readonly Placed[], hasNextPage: boolean, hasPreviousPage: boolean) {
  const edges: TimelineEdge[] = nodes.map((node) => ({ node, cursor: cursorOf(node) }))
  const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]
  return { edges, nodes, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } }
}
