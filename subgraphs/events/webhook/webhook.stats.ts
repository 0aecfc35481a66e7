import { Field, Int, ObjectType } from 'type-graphql'
import { count } from '../../kernel/record/aggregates.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures } from '../../kernel/record/stats.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { webhook } from './webhook.record.ts'

@ObjectType({ description: 'Statistics of the webhooks of the organization.' })
@RequiresScope('WEBHOOKS')
export class WebhookStats {
  @Field(() => Int, { description: 'Number of webhooks.' })
  total!: number

  @Field(() => Int, { description: 'Number of webhooks with `isEnabled` true.' })
  enabled!: number

  @Field(() => Int, { description: 'Number of webhooks that the platform turned off after failures.' })
  failed!: number
}

export const webhookStats = (ctx: RequestContext, filter: FilterInput | null): Promise<WebhookStats> =>
  figures(
    ctx,
    webhook,
    {
      total: count(),
      enabled: count({ isEnabled: true }),
      failed: count({ disabledReason: 'FAILURES' }),
    },
    filter,
  ) as Promise<WebhookStats>
