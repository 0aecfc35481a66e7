import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { withArticle } from '../../kernel/record/article.ts'
import { nameOf, pluralOf } from '../../kernel/record/describe.ts'
import { operation, type DeclaredOperation } from '../../kernel/record/operation.ts'
import type { Class } from '../../kernel/record/declared-class.ts'
import { stateOf } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { linkedRecords, type LinkedRecord } from '../related-record/linked-records.ts'
import { linkedTypes, links, type Link } from '../related-record/related-types.ts'
import { readTimeline } from './read-timeline.ts'
import { cursorOf, type Placed } from './timeline-cursor.ts'
import {
  TimelineArgs,
  TimelineConnection,
  TimelinePage,
  TimelinePageArgs,
  type TimelineEdge,
} from './timeline.types.ts'

/** The timelines of the records that tasks and activities concern: `Account.timeline`, and `accountTimeline` for REST. Their entries come from the sources that resources register as `timeline`. */
export const timelineResources = (): Resource[] =>
  links.flatMap((link) => {
    const linked = linkedRecords[link]
    if (!linked) return []
    const pages = { resolver: timelinePageOf(link, linked.scope), operations: [timelineOperation(linkedTypes[link])] }
    return [{ resolver: timelineOf(link, linked) }, pages]
  })

const timelineOperation = (object: string): DeclaredOperation =>
  operation(`GET /v1/${pluralOf(object)}/{id}/timeline`, `${object}Timeline`, {
    summary: `Read the timeline of ${withArticle(object)}`,
    answers: 'A page of the timeline.',
  })

function timelineOf(link: Link, { type, definition }: LinkedRecord): Class {
  @Resolver(() => type)
  class TimelineResolver {
    @FieldResolver(() => TimelineConnection, {
      // Records of another subgraph can be read while this one is unavailable.
      nullable: definition === null,
      description: `What happened with the ${linkedTypes[link]}, newest first: its activities, tasks and other records, as far as the caller may read and sees them.`,
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
      const names = { limit: 'limit', cursor: 'cursor' }
      const { entries, hasMore } = await readTimeline(ctx, link, id, { kinds, limit, cursor: cursor ?? null, names })
      const last = entries.at(-1)
      return { data: [...entries], limit, hasMore, nextCursor: hasMore && last ? cursorOf(last) : null }
    }
  }
  return TimelinePageResolver
}

function connectionOf(nodes: readonly Placed[], hasNextPage: boolean, hasPreviousPage: boolean) {
  const edges: TimelineEdge[] = nodes.map((node) => ({ node, cursor: cursorOf(node) }))
  const [startCursor, endCursor] = [edges[0]?.cursor ?? null, edges.at(-1)?.cursor ?? null]
  return { edges, nodes, pageInfo: { hasNextPage, hasPreviousPage, startCursor, endCursor } }
}
