import { Arg, Ctx, Query, Resolver } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { eventCatalog, platformEventType } from '../../kernel/outbox/event-catalog.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { EventType, EventTypeList, eventTypeList } from './event-type.ts'
import { customObjectTypes } from './custom-object-types.ts'
import { customTypes, eventTypeNamed, platformTypes } from './organization-catalog.ts'

const nameText = 'Type, `lead.created`, or type and version, `lead.created@1`. Without a version it is the current one.'

@Resolver()
class CatalogResolver {
  @Query(() => EventTypeList, { description: 'Every event type of the platform. No credential is needed.' })
  @RequiresScopes('PUBLIC', memberScope)
  eventCatalog() {
    return eventTypeList(platformTypes())
  }

  @Query(() => EventType, { nullable: true, description: 'One event type of the platform. No credential is needed.' })
  @RequiresScopes('PUBLIC', memberScope)
  eventType(@Arg('type', () => String, { description: nameText }) type: string) {
    const entry = eventCatalog().find(type)
    if (!entry) throw notFound('The event type')
    return platformEventType(entry)
  }

  @Query(() => EventTypeList, {
    description:
      'Every event type of the platform, those of its custom objects, and the custom event types of the organization.',
  })
  @RequiresScopes('READ_EVENTS')
  async organizationEventCatalog(
    @Arg('isCustom', () => Boolean, {
      nullable: true,
      description:
        'True for the types of custom objects and the custom event types only, false for those of the platform only. Null: both.',
    })
    isCustom: boolean | null,
    @Ctx() ctx: RequestContext,
  ) {
    const platform = isCustom === true ? [] : platformTypes()
    const custom = isCustom === false ? [] : [...customObjectTypes(ctx), ...(await customTypes(ctx))]
    return eventTypeList([...platform, ...custom])
  }

  @Query(() => EventType, {
    nullable: true,
    description:
      'One event type of the platform or of the organization. A version of a custom event type stays readable after the type was deleted.',
  })
  @RequiresScopes('READ_EVENTS')
  async organizationEventType(
    @Arg('type', () => String, { description: nameText }) type: string,
    @Ctx() ctx: RequestContext,
  ) {
    const found = await eventTypeNamed(ctx, type)
    if (!found) throw notFound('The event type')
    return found
  }
}

export const catalogResource: Resource = { resolver: CatalogResolver }
