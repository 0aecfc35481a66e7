import { Field, Int, ObjectType } from 'type-graphql'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { count } from '../../kernel/record/aggregates.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { figures } from '../../kernel/record/stats.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { mailbox } from './mailbox.record.ts'

@ObjectType({ description: 'Statistics of the live mailboxes that the caller sees.' })
@RequiresScope('MAILBOXES')
export class MailboxStats {
  @Field(() => Int, { description: 'Number of mailboxes.' })
  total!: number

  @Field(() => Int, { description: 'Number of mailboxes that are turned on.' })
  enabled!: number

  @Field(() => Int, { description: 'Number of mailboxes that are shared with the organization.' })
  shared!: number
}

export async function mailboxStats(ctx: RequestContext, filter: FilterInput | null): Promise<MailboxStats> {
  const counts = await figures(
    ctx,
    mailbox,
    {
      total: count(),
      enabled: count({ isEnabled: true }),
      shared: count({ isShared: true }),
    },
    filter,
  )
  return counts as MailboxStats
}
