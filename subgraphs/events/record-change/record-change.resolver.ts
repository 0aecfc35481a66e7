import { Arg, Ctx, ID, Query, Resolver, Root, Subscription } from 'type-graphql'
import { invalid, notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { recordNamed } from '../../kernel/record/known-records.ts'
import { stateOf } from '../../kernel/record/read.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { refuseUnmet } from '../../kernel/unmet-scopes.ts'
import { followed, RecordChange, RecordObject } from './record-change.ts'

/** Which of them is needed depends on `object`, which the resolver compares. */
const scopes = Object.values(followed).map(({ scope }) => scope)

@Resolver(() => RecordChange)
export class RecordChangeResolver {
  @Query(() => RecordChange, {
    nullable: true,
    description:
      'The event of a record at a cursor. Null when the record has no event there; NOT_FOUND when you do not see the record. Needs the READ scope of the record.',
  })
  @RequiresScopes(...scopes)
  recordChange(
    @Arg('object', () => RecordObject) object: RecordObject,
    @Arg('id', () => ID) id: string,
    @Arg('cursor', () => String) cursor: string,
    @Ctx() ctx: RequestContext<'events'>,
  ) {
    return recordChange(ctx, object, id, cursor)
  }

  /** The gateway runs it: it follows the event log and asks `recordChange` for each event, as the subscriber. */
  @Subscription(() => RecordChange, {
    description: [
      'Each event of one record, in order, from now on or behind `after`.',
      'Who you are and what you may read is decided anew for each: there is none while you do not see the record, and the subscription ends with your credential.',
      'The deletion of the record is the last one.',
      'NOT_FOUND when you do not see the record. Needs the READ scope of the record.',
    ].join(' '),
    topics: 'recordChanged',
  })
  @RequiresScopes(...scopes)
  recordChanged(
    @Arg('object', () => RecordObject) _object: RecordObject,
    @Arg('id', () => ID) _id: string,
    @Arg('after', () => String, {
      nullable: true,
      description: 'The `cursor` of the last event that you have seen. Without it, events from now on.',
    })
    _after: string | null,
    @Root() change: RecordChange,
  ): RecordChange {
    return change
  }
}

async function recordChange(
  ctx: RequestContext<'events'>,
  kind: RecordObject,
  id: string,
  cursor: string,
): Promise<RecordChange | null> {
  const { object, scope } = followed[kind]
  refuseUnmet(ctx.caller, [[[scope]]])
  const recordId = id.toLowerCase()
  const shape = recordNamed(object)
  if (!shape || !isId(recordId)) throw notFound(`The ${object}`)
  const position = /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0
  const selection = { after: position - 1, limit: 1, object, recordId }
  const [state, [event]] = await Promise.all([
    stateOf(ctx, shape, recordId),
    ctx.events.read(ctx.caller.organizationId, selection),
  ])
  // Whoever sees a deleted record in the list of deleted ones may know of its events.
  if (state === null) throw notFound(`The ${object}`)
  if (position === 0 && cursor !== '0') {
    throw invalid({ path: 'cursor', code: 'WRONG_FORMAT', message: 'cursor must be the cursor of a RecordChange.' })
  }
  if (event?.position !== position) return null
  const { id: eventId, type, occurredAt } = event
  return { id: eventId, type, cursor, occurredAt, ...(state === 'LIVE' && { [object]: { id: recordId } }) }
}

export const recordChangeResource: Resource = { resolver: RecordChangeResolver }
