import { Ctx, Field, ID, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { queuePolls } from './mailbox-poll.queue.ts'
import { mailbox } from './mailbox.record.ts'

export const ImapState = enumeration('ImapState', 'Whether a mailbox receives mails.', {
  WAITING: 'It was not read yet.',
  OK: 'It was read the last time.',
  FAILING: 'It could not be read the last time; `lastError` says why.',
  DISABLED: 'The mailbox is turned off.',
})
export type ImapState = keyof typeof ImapState

@ObjectType({ description: 'How a mailbox is read.' })
@RequiresScope('MAILBOXES')
export class ImapMailboxStatus {
  @NamesRecord('mailbox')
  @Field(() => ID, { description: 'Id of the mailbox.' })
  mailboxId!: string

  @Field(() => String, { description: 'Address of the mailbox.' })
  email!: string

  @Field(() => ImapState, { description: 'Whether it receives mails.' })
  state!: ImapState

  @Field(() => DateTime, { nullable: true, description: 'When it was last read; null if never.' })
  lastPolledAt!: string | null

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When it is read again, unless its server announces a mail before (IMAP IDLE, for ten mailboxes of an organization): a minute after the last time, up to an hour after failures in a row. Null before the first time.',
  })
  nextPollAt!: string | null

  @Field(() => Int, { description: 'How often in a row it could not be read.' })
  consecutiveFailures!: number

  @Field(() => String, { nullable: true, description: 'What the mail server said; null after a success.' })
  lastError!: string | null

  @Field(() => Int, { description: 'Number of mails that were received.' })
  receivedCount!: number
}

@ObjectType({ description: 'How the mailboxes that the caller sees are read.' })
@RequiresScope('MAILBOXES')
export class ImapStatus {
  @Field(() => [ImapMailboxStatus], {
    description: 'The mailboxes with an IMAP server that the caller sees, by address.',
  })
  mailboxes!: ImapMailboxStatus[]
}

@ObjectType({ description: 'What a request to read mailboxes has started.' })
@RequiresScope('MAILBOXES')
export class ImapPoll {
  @Field(() => Int, {
    description: 'Number of mailboxes that will be read for this request; those that wait already are not counted.',
  })
  queued!: number
}

function visibleMailboxes(ctx: RequestContext, more: string) {
  const predicate = computedOver(ctx)
  const visible = predicate.live(mailbox, 'b')
  return ctx.db.query<ImapMailboxStatus>(
    `select b.id as "mailboxId", b.email,
       case when not b.is_enabled then 'DISABLED' when s.polled_at is null then 'WAITING' when s.failures > 0 then 'FAILING' else 'OK' end as state,
       s.polled_at as "lastPolledAt", s.next_poll_at as "nextPollAt", coalesce(s.failures, 0) as "consecutiveFailures",
       s.last_error as "lastError", coalesce(s.received_count, 0)::int as "receivedCount"
     from outreach.mailbox b left join outreach.mailbox_state s on s.organization_id = b.organization_id and s.id = b.id
     where ${visible} and b.imap_host is not null ${more} order by b.email limit 100`,
    predicate.values.list,
    'LIST',
  )
}

@Resolver()
export class ImapResolver {
  @Query(() => ImapStatus, { description: 'Returns how the mailboxes that the caller sees are read.' })
  @RequiresScopes('READ_MAILBOXES')
  async emailImapStatus(@Ctx() ctx: RequestContext): Promise<ImapStatus> {
    return { mailboxes: await visibleMailboxes(ctx, '') }
  }

  @Mutation(() => ImapPoll, {
    description: 'Reads the mailboxes that the caller sees and that are on as soon as possible.',
  })
  @RequiresScope('MAILBOXES')
  async emailImapPoll(@Ctx() ctx: RequestContext): Promise<ImapPoll> {
    requireWritableRole(ctx)
    const boxes = await visibleMailboxes(ctx, 'and b.is_enabled')
    return {
      queued: await queuePolls(
        ctx,
        boxes.map(({ mailboxId }) => mailboxId),
      ),
    }
  }
}

export const imapResource: Resource = { resolver: ImapResolver }
