import { Arg, Args, Ctx, ID, Info, Int, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { withoutUnused, type FilterInput } from '../../kernel/record/filter-input.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { StatsFilterArg } from '../../kernel/record/standard-resolver.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { EventNames } from './event-names.ts'
import { sealedWebhookColumns } from './webhook-secret.ts'
import {
  createWebhook,
  deleteWebhook,
  overlapHoursDefault,
  rotateWebhookSecret,
  updateWebhook,
} from './webhook.actions.ts'
import type { WebhookContext } from './webhook.context.ts'
import { webhookTypes } from './webhook.inputs.ts'
import { emptySelections, webhookConditions, webhookTable } from './webhook.migrations.ts'
import { webhook } from './webhook.record.ts'
import type { WebhookInput } from './webhook.rules.ts'
import { WebhookStats, webhookStats } from './webhook.stats.ts'
import { Webhook } from './webhook.ts'

const webhooks = recordsOf(webhook)
const {
  Page,
  PageArgs: ListArgs,
  Connection,
  ConnectionArgs: EdgeArgs,
  CreateInput,
  UpdateInput,
  Filter,
} = webhookTypes

/** Webhooks that can subscribe to the events of these sources, and to their own. */
export function webhookResource(sources: readonly TrackedObject[]): Resource {
  const names = new EventNames([...sources, webhook])

  @Resolver(() => Webhook)
  class WebhookResolver {
    @Query(() => Webhook, { nullable: true, description: 'One webhook by id. For owners and admins.' })
    webhook(@IdArg() id: string, @Ctx() ctx: WebhookContext, @Info() info: SelectionInfo) {
      requireAdministrator(ctx)
      return webhooks.one(ctx, id, info)
    }

    @Query(() => Page, { description: 'The webhooks of the organization. For owners and admins.' })
    webhookList(@Args(() => ListArgs) args: PageArgs, @Ctx() ctx: WebhookContext, @Info() info: SelectionInfo) {
      requireAdministrator(ctx)
      return webhooks.page(ctx, args, info)
    }

    @Query(() => Connection, { description: 'The webhooks of the organization. For owners and admins.' })
    webhookConnection(
      @Args(() => EdgeArgs) args: ConnectionArgs,
      @Ctx() ctx: WebhookContext,
      @Info() info: SelectionInfo,
    ) {
      requireAdministrator(ctx)
      return webhooks.connection(ctx, args, info)
    }

    @Query(() => WebhookStats, { description: 'Statistics of the webhooks. For owners and admins.' })
    webhookStats(@StatsFilterArg(webhook, Filter) filter: FilterInput | null, @Ctx() ctx: WebhookContext) {
      requireAdministrator(ctx)
      return webhookStats(ctx, withoutUnused(filter ?? null))
    }

    @Mutation(() => Webhook, {
      description:
        'Creates a webhook. Only this answer contains the secret that signs deliveries. An organization has at most 100 webhooks. For owners and admins.',
    })
    @RequiresScope('WEBHOOKS')
    webhookCreate(@InputArg(() => CreateInput) input: WebhookInput, @Ctx() ctx: WebhookContext) {
      return createWebhook(ctx, names, input)
    }

    @Mutation(() => Webhook, {
      description:
        "Changes a webhook. Events that are already queued are sent as the webhook is at the time of the attempt. For owners and admins; of an owner's webhook admins may only set `isEnabled` to false.",
    })
    @RequiresScope('WEBHOOKS')
    webhookUpdate(
      @IdArg() id: string,
      @InputArg(() => UpdateInput) input: WebhookInput,
      @ExpectedVersionArg() expectedVersion: number | null,
      @Ctx() ctx: WebhookContext,
    ) {
      return updateWebhook(ctx, names, id, input, expectedVersion)
    }

    @Mutation(() => Webhook, {
      description:
        "Turns a webhook on and sets `consecutiveFailures` to 0. A webhook that is on is not changed. For owners and admins; only owners turn an owner's webhook on.",
    })
    @RequiresScope('WEBHOOKS')
    webhookEnable(
      @IdArg() id: string,
      @ExpectedVersionArg() expectedVersion: number | null,
      @Ctx() ctx: WebhookContext,
    ) {
      return updateWebhook(ctx, names, id, { isEnabled: true }, expectedVersion)
    }

    @Mutation(() => Webhook, {
      description:
        'Turns a webhook off: events are not delivered, also not later. A webhook that is off is not changed. For owners and admins.',
    })
    @RequiresScope('WEBHOOKS')
    webhookDisable(
      @IdArg() id: string,
      @ExpectedVersionArg() expectedVersion: number | null,
      @Ctx() ctx: WebhookContext,
    ) {
      return updateWebhook(ctx, names, id, { isEnabled: false }, expectedVersion)
    }

    @Mutation(() => Webhook, {
      description:
        "Gives a webhook a new secret, which only this answer contains. Until the overlap ends, each delivery has two `v1` signatures, one by each secret; a secret of an earlier overlap ends at once. For owners and admins; only owners rotate the secret of an owner's webhook.",
    })
    @RequiresScope('WEBHOOKS')
    webhookRotateSecret(
      @IdArg() id: string,
      @Arg('overlapHours', () => Int, {
        defaultValue: overlapHoursDefault,
        description: 'Hours during which the previous secret still signs as well, 0 to 168.',
      })
      overlapHours: number,
      @Ctx() ctx: WebhookContext,
    ) {
      return rotateWebhookSecret(ctx, id, overlapHours)
    }

    @Mutation(() => ID, {
      description:
        'Deletes a webhook and its secrets; it cannot be restored. Nothing is delivered any longer. For owners and admins.',
    })
    @RequiresScope('WEBHOOKS')
    webhookDelete(
      @IdArg() id: string,
      @ExpectedVersionArg() expectedVersion: number | null,
      @Ctx() ctx: WebhookContext,
    ) {
      return deleteWebhook(ctx, id, expectedVersion)
    }
  }

  return {
    resolver: WebhookResolver,
    announces: [webhook],
    migrations: [webhookTable, webhookConditions, emptySelections],
    sealed: sealedWebhookColumns,
    rest: restArea(webhook, { path: 'webhooks', filters: ['isEnabled', 'ownerId', 'payloadVersion'] }),
  }
}
