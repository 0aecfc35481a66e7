import { Arg, Args, Ctx, FieldResolver, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { IdArg } from '../../kernel/record/args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Email } from './email.ts'
import { waitingHits } from './count-hits.ts'
import {
  EmailThreadConnection,
  EmailThreadConnectionArgs,
  EmailThreadPage,
  EmailThreadPageArgs,
} from './email.inputs.ts'
import {
  attachedFiles,
  emailTables,
  emailThreadTotals,
  hiddenCopies,
  mailsWithoutWindow,
  hitsWithoutQueue,
} from './email.migrations.ts'
import { emailMessage, emailThread } from './email.record.ts'
import { EmailThread } from './email-thread.ts'
import { HitCounter } from './hit-counter.ts'
import { deleteOldOutgoingEmail, outgoingEmailQueue } from './outgoing-email.queue.ts'
import { sendEmail } from './send-email.ts'
import { EmailSendInput } from './send-email.inputs.ts'
import { templateTotals } from './template-totals.migrations.ts'
import { messagesOfThread } from './thread-messages.ts'
import { emailEntryTable } from './email-entry.migrations.ts'
import { emailEntries } from './email.timeline.ts'

const threads = recordsOf(emailThread)
const hoursMax = 8760

@Resolver(() => EmailThread)
export class EmailResolver {
  @Query(() => EmailThread, { nullable: true, description: 'Returns one thread.' })
  emailThread(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return threads.one(ctx, id, info)
  }

  @Query(() => EmailThreadPage, { description: 'Threads that the caller sees.' })
  emailThreadList(
    @Args(() => EmailThreadPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return threads.page(ctx, args, info)
  }

  @Query(() => EmailThreadConnection, { description: 'Threads that the caller sees, in the form of a connection.' })
  emailThreadConnection(
    @Args(() => EmailThreadConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return threads.connection(ctx, args, info)
  }

  @Query(() => EmailThreadPage, {
    description:
      'Threads whose last mail was sent to the customer at least this long ago, without a reply since; the oldest come first.',
  })
  emailThreadAwaitingResponse(
    @Arg('afterHours', () => Int, {
      defaultValue: 48,
      description: `Hours since the last mail, 1 to ${hoursMax}.`,
    })
    afterHours: number,
    @Arg('page', () => Int, { defaultValue: 1, description: 'Number of the page, from 1.' }) page: number,
    @Arg('limit', () => Int, { defaultValue: 20, description: 'Threads on a page, 1 to 100.' }) limit: number,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    if (afterHours < 1 || afterHours > hoursMax) {
      const message = `afterHours must be between 1 and ${hoursMax}.`
      throw invalid({ path: 'afterHours', code: 'OUT_OF_RANGE', message })
    }
    const before = new Date(ctx.clock.now().getTime() - afterHours * 3_600_000).toISOString()
    const filter = { status: { eq: 'AWAITING_RESPONSE' }, lastMessageAt: { lte: before } }
    const orderBy = [{ field: 'lastMessageAt', direction: 'ASC' }]
    return threads.page(ctx, { filter, orderBy, page, limit } as unknown as PageArgs, info)
  }

  @FieldResolver(() => [Email], {
    description:
      'The first 200 mails of the thread, oldest first. At most 20 threads of one request can be read with their mails.',
  })
  messages(@Root() { id }: EmailThread, @Ctx() ctx: RequestContext): Promise<Email[]> {
    return messagesOfThread(ctx, id)
  }

  @Mutation(() => EmailThread, { description: 'Marks a thread as read.' })
  @RequiresScope('EMAILS')
  emailThreadMarkRead(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return change(ctx, emailThread, id, () => ({ operation: 'UPDATE', values: {}, implied: { unread: false } }))
  }

  @Mutation(() => EmailThread, { description: 'Closes a thread. The next mail opens it again.' })
  @RequiresScope('EMAILS')
  emailThreadClose(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return change(ctx, emailThread, id, () => ({
      operation: 'UPDATE',
      values: {},
      implied: { status: 'CLOSED' as const, unread: false },
    }))
  }

  @Mutation(() => Email, {
    description:
      'Sends a mail to customers, in a new thread or as part of one. It is queued with its thread in one transaction and sent by a worker.',
  })
  @RequiresScope('EMAILS')
  emailSend(
    @Arg('input', () => EmailSendInput, { description: 'The mail.' }) input: EmailSendInput,
    @Ctx() ctx: RequestContext<'work' | 'keys'>,
  ) {
    return sendEmail(ctx, input)
  }
}

export const emailResource: Resource = {
  resolver: EmailResolver,
  entities: { EmailThread: emailThread, Email: emailMessage },
  timeline: [emailEntries],
  migrations: [
    emailTables,
    emailThreadTotals,
    templateTotals,
    hiddenCopies,
    mailsWithoutWindow,
    hitsWithoutQueue,
    emailEntryTable,
    attachedFiles,
  ],
  queues: [outgoingEmailQueue],
  waiting: [waitingHits],
  background: [(services) => new HitCounter(services)],
  jobs: [deleteOldOutgoingEmail],
  rest: restArea(emailThread, {
    path: 'email-tracking/threads',
    folder: 'email-tracking',
    filters: [
      'status',
      'accountId',
      'contactId',
      'leadId',
      'opportunityId',
      'ownerId',
      'lastDirection',
      'unread',
      updatedAfter,
    ],
  }),
}
