import { Ctx, Int, Query, Resolver } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { readChanges } from './changes.ts'
import { readSnapshot } from './snapshot.ts'
import { SyncChanges, SyncSnapshot } from './sync.types.ts'

const scopesText =
  'Every credential may ask: each record type needs its READ scope, and a type in `objects` without it is refused.'
const resetText =
  'SYNC_RESET if the visibility, the teams, the profile or the plan of the caller have changed since the snapshot, or a type is gone; without `objects`, also if there is another type.'

const objects = {
  list: true,
  nullable: true,
  minItems: 1,
  maxItems: 50,
  max: 100,
  filled: true,
  example: ['account', 'contact'],
} as const
const limit = { minimum: 1, maximum: 1000, example: 500 } as const
const cursor = { max: 8000, filled: true, example: 'WzEsNDAsWyJhY2NvdW50Il0sInJpZ2h0cyJd' } as const

@Resolver()
export class SyncResolver {
  @Query(() => SyncSnapshot, {
    description: [
      'All records that the caller sees, page by page, for a copy in another system. The `nextCursor` of the last page is the `cursor` of the first changes.',
      'Records that are seen through another one, such as comments of cases and files, are not among them.',
      scopesText,
      resetText,
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  syncSnapshot(
    @ValueArg('objects', () => String, {
      ...objects,
      description:
        'The record types of the copy, as in event types; null: all that the caller may read. On later pages null, or the same.',
    })
    types: string[] | null,
    @ValueArg('cursor', () => String, {
      ...cursor,
      nullable: true,
      description: '`nextCursor` of the page before; null for the first page.',
    })
    after: string | null,
    @ValueArg('limit', () => Int, {
      ...limit,
      default: 500,
      description: 'Maximum number of records. A page with large records has fewer.',
    })
    count: number,
    @Ctx() ctx: RequestContext,
  ): Promise<SyncSnapshot> {
    return readSnapshot(ctx, { objects: types ?? null, cursor: after ?? null, limit: count })
  }

  @Query(() => SyncChanges, {
    description: [
      'The records that have changed since a snapshot, or since the page of changes before, each once and as it is now; deleted ones, and those that left the sight of the caller, as DELETE.',
      'Whatever is committed when a page is read is in it or behind it; a change can come twice, so write by `id`.',
      'Values that change without a new version, such as the last activity of an account, come with the next change of the record; so do rollups, and formulas over other records or the time. A copy that needs them at once reads them by the ids of their records: a rollup changes with the records that it counts, of which the copy learns.',
      scopesText,
      `CURSOR_EXPIRED if events after the cursor are not kept any more: at least 30 days are. ${resetText}`,
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  syncChanges(
    @ValueArg('cursor', () => String, {
      ...cursor,
      description: '`nextCursor` of the last page of a snapshot, or of the page of changes before.',
    })
    after: string,
    @ValueArg('objects', () => String, {
      ...objects,
      description: 'The record types of the copy: null, or those of the snapshot.',
    })
    types: string[] | null,
    @ValueArg('limit', () => Int, {
      ...limit,
      default: 500,
      description: 'Maximum number of changes. A page with large records has fewer.',
    })
    count: number,
    @Ctx() ctx: RequestContext,
  ): Promise<SyncChanges> {
    return readChanges(ctx, { cursor: after, objects: types ?? null, limit: count })
  }
}

export const syncResource: Resource = {
  resolver: SyncResolver,
  operations: [
    operation('GET /v1/sync/snapshot', 'syncSnapshot', {
      summary: 'Read all records for a copy',
      answers: 'A page of the snapshot.',
      refusals: [410],
    }),
    operation('GET /v1/sync/changes', 'syncChanges', {
      summary: 'Read what has changed since',
      answers: 'A page of the changes.',
      refusals: [410],
    }),
  ],
}
