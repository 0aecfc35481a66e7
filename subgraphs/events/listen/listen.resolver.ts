import { Arg, Ctx, Mutation, Resolver, Root, Subscription } from 'type-graphql'
import { requireAdministrator } from '../../kernel/require.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { listenSlotTable } from './listen.migrations.ts'
import { WebhookListenFrame, WebhookListenTrigger } from './listen.types.ts'
import { triggerSample } from './trigger-sample.ts'

@Resolver()
class ListenResolver {
  /** The gateway runs this subscription. */
  @Subscription(() => WebhookListenFrame, {
    description: [
      'The events of the organization as they happen, as webhooks of the caller would receive them, for at most 15 minutes.',
      'The first frame is READY, the last one END. Events that happen while nobody listens are not sent later.',
      'Only owners and admins; at most 5 live streams of an organization.',
      'An event is sent if the caller may see its record; fields that the profile hides are absent and named in `redactedFields`.',
    ].join(' '),
    topics: 'webhookListen',
  })
  @RequiresScopes('WRITE_WEBHOOKS')
  webhookListen(
    @Arg('events', () => [String], {
      nullable: true,
      description:
        '1 to 64 event types, or wildcards: `lead.*` for all types of leads, `custom.*` for all custom events. Null selects everything.',
    })
    _events: string[] | null,
    @Root() frame: object,
  ): object {
    return frame
  }

  @Mutation(() => WebhookListenTrigger, {
    description:
      'Sends the sample of an event type, with `test` true, to the live streams of the organization that have selected the type, and to no webhook. Only owners and admins.',
  })
  @RequiresScopes('WRITE_WEBHOOKS')
  async webhookListenTrigger(
    @Arg('type', () => String, { description: 'Event type of the catalog or custom event type of the organization.' })
    type: string,
    @Ctx() ctx: RequestContext,
  ): Promise<WebhookListenTrigger> {
    requireAdministrator(ctx)
    return triggerSample(ctx, type)
  }
}

export const listenResource: Resource = {
  resolver: ListenResolver,
  migrations: [listenSlotTable],
}
