import { Arg, Resolver, Root, Subscription } from 'type-graphql'
import { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { structureInput } from '../../kernel/record/structure.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { cursorDescription, filterLogicDescription } from '../live-arguments.ts'
import { CustomEvent } from './custom-event.ts'

const ConditionInput = structureInput(Condition)

@Resolver()
class CustomEventsResolver {
  /** The gateway runs this subscription. */
  @Subscription(() => CustomEvent, {
    description: [
      'The custom events of the organization, in order, from the time of the subscription or after the cursor `after`.',
      'Events of records are not among them, because they need the READ scope of the record: subscribe to them with `recordChanged`.',
      'The subscription ends when the credential does, or with GRAPHQL_LIMIT_EXCEEDED and its `cursor` when it is more than 10,000 events of the organization behind, because its client reads too slowly.',
    ].join(' '),
    topics: 'customEvents',
  })
  @RequiresScopes('READ_EVENTS')
  customEvents(
    @Arg('types', () => [String], {
      nullable: true,
      description: '1 to 64 types of custom events, `custom.<apiName>`. Null selects all.',
    })
    _types: string[] | null,
    @Arg('conditions', () => [ConditionInput], {
      nullable: true,
      description:
        'Conditions on the payload: `field` is the name of one of its properties. An event that does not meet them is not sent.',
    })
    _conditions: object[] | null,
    @Arg('logic', () => ConditionLogic, { nullable: true, description: filterLogicDescription })
    _logic: string | null,
    @Arg('after', () => String, { nullable: true, description: cursorDescription })
    _after: string | null,
    @Root() event: object,
  ): object {
    return event
  }
}

export const customEventsResource: Resource = { resolver: CustomEventsResolver }
