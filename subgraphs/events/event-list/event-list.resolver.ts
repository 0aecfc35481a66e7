import { Ctx, Int, Query, Resolver } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { listenTypeLengthMax, listenTypesMax } from '../listen/listen-limits.ts'
import { EventPage } from './event-list.types.ts'
import { readEvents } from './read-events.ts'

@Resolver()
class EventListResolver {
  @Query(() => EventPage, {
    description: [
      'The events of the organization after a cursor, in the order of the log, each as a webhook of the caller would receive it, by what the caller may see now: fields that the profile hides are absent and named in `redactedFields`.',
      'An event of a record needs the READ scope of its record type, a custom event READ_EVENTS, and what no other scope opens needs `*`. Without `types`, events whose scope is lacking are passed over; a named type without its scope is refused.',
      'A page compares at most 1,000 events: `data` can be short or empty while `hasMore` is true.',
      'CURSOR_EXPIRED if events after the cursor are not kept any more: at least 30 days are. For the records themselves, as they are now, read `syncChanges`.',
    ].join(' '),
  })
  @RequiresScopes(memberScope)
  eventList(
    @ValueArg('after', () => String, {
      max: 15,
      filled: true,
      nullable: true,
      example: '0',
      description:
        '`nextCursor` of the page before, or `viewer { eventCursor }`. Null or "0": from the oldest event that is kept.',
    })
    after: string | null,
    @ValueArg('types', () => String, {
      list: true,
      nullable: true,
      minItems: 1,
      maxItems: listenTypesMax,
      max: listenTypeLengthMax,
      filled: true,
      example: ['account.created', 'account.updated'],
      description:
        'Only events of these types: `lead.created`, `lead.*` for all of leads, `custom.*` for all custom events; null: all.',
    })
    types: string[] | null,
    @ValueArg('limit', () => Int, {
      minimum: 1,
      maximum: 500,
      default: 100,
      example: 100,
      description: 'Maximum number of events. A page with large events has fewer.',
    })
    limit: number,
    @Ctx() ctx: RequestContext,
  ): Promise<EventPage> {
    return readEvents(ctx, { after: after ?? null, types: types ?? null, limit }) as Promise<EventPage>
  }
}

export const eventListResource: Resource = {
  resolver: EventListResolver,
  operations: [
    operation('GET /v1/events', 'eventList', {
      summary: 'List events',
      answers: 'A page of events.',
      refusals: [410],
    }),
  ],
}
