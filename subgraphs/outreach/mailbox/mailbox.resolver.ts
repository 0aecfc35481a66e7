import { Ctx, Mutation, Resolver } from 'type-graphql'
import { IdArg } from '../../kernel/record/args.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import { loadDataKeys, type RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { createMailbox, updateMailbox, type MailboxContext } from './mailbox.actions.ts'
import { mailboxTypes } from './mailbox.inputs.ts'
import { mailboxTables, mailboxPrivateIndexes, mailboxSendFailure, mailboxWatch } from './mailbox.migrations.ts'
import { deleteOldPolls, mailboxPollQueue, queueDuePolls } from './mailbox-poll.queue.ts'
import { mailbox } from './mailbox.record.ts'
import { MailboxWatcher } from './mailbox-watcher.ts'
import { sealedMailboxColumns } from './mailbox-secret.ts'
import { MailboxStats, mailboxStats } from './mailbox.stats.ts'
import { Mailbox } from './mailbox.ts'
import { MailboxTest, testMailbox } from './test-mailbox.ts'

@Resolver(() => Mailbox)
export class MailboxResolver extends standardResolver(mailbox, {
  scope: 'MAILBOXES',
  types: mailboxTypes,
  stats: { type: MailboxStats, read: mailboxStats },
  beforeBulk: (ctx) => loadDataKeys(ctx as MailboxContext),
  actions: {
    create: (ctx, values) => createMailbox(ctx as MailboxContext, values),
    update: (ctx, id, values, expectedVersion) => updateMailbox(ctx as MailboxContext, id, values, expectedVersion),
  },
}) {
  @Mutation(() => MailboxTest, {
    description:
      'Connects to the servers of a mailbox and signs in. Nothing is sent or read. At most 10 times in an hour for each mailbox.',
  })
  @RequiresScope('MAILBOXES')
  mailboxTest(@IdArg() id: string, @Ctx() ctx: RequestContext<'vault' | 'outbound' | 'counters'>) {
    return testMailbox(ctx, id)
  }
}

export const mailboxResource: Resource = {
  resolver: MailboxResolver,
  entities: { Mailbox: mailbox },
  migrations: [mailboxTables, mailboxWatch, mailboxPrivateIndexes, mailboxSendFailure],
  queues: [mailboxPollQueue],
  jobs: [queueDuePolls, deleteOldPolls],
  background: [(services) => new MailboxWatcher(services)],
  sealed: sealedMailboxColumns,
  rest: restArea(mailbox, {
    path: 'email-tracking/mailboxes',
    folder: 'mailboxes',
    filters: ['email', 'isEnabled', 'isShared', 'ownerId', updatedAfter],
  }),
}
