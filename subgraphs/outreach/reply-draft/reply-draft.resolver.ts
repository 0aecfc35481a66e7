import { Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Email } from '../email/email.ts'
import { emailThread } from '../email/email.record.ts'
import { EmailThread } from '../email/email-thread.ts'
import { rejectReplyDraft, sendReplyDraft, updateReplyDraft } from './reply-draft.actions.ts'
import { replyDraftExpire } from './reply-draft-expire.job.ts'
import {
  ReplyDraftConnection,
  ReplyDraftConnectionArgs,
  ReplyDraftPage,
  ReplyDraftPageArgs,
  ReplyDraftUpdateInput,
} from './reply-draft.inputs.ts'
import {
  replyDraftFiles,
  replyDraftSearch,
  replyDraftTable,
  replyDraftTotals,
  replyDraftTurns,
} from './reply-draft.migrations.ts'
import { replyDraft } from './reply-draft.record.ts'
import { ReplyDraft } from './reply-draft.ts'

const drafts = recordsOf(replyDraft)
const threads = recordsOf(emailThread)

@Resolver(() => ReplyDraft)
export class ReplyDraftResolver {
  @Query(() => ReplyDraft, { nullable: true, description: 'Returns one suggested reply.' })
  replyDraft(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return drafts.one(ctx, id, info)
  }

  @Query(() => ReplyDraftPage, { description: 'Suggested replies in threads that the caller sees.' })
  replyDraftList(
    @Args(() => ReplyDraftPageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return drafts.page(ctx, args, info)
  }

  @Query(() => ReplyDraftConnection, {
    description: 'Suggested replies in threads that the caller sees, in the form of a connection.',
  })
  replyDraftConnection(
    @Args(() => ReplyDraftConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return drafts.connection(ctx, args, info)
  }

  @FieldResolver(() => EmailThread, { nullable: true, description: 'The thread; null if it is deleted.' })
  thread(@Root() { threadId }: ReplyDraft, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return threads.reference(ctx, threadId, info)
  }

  @Mutation(() => ReplyDraft, {
    description:
      'Changes or approves a suggested reply that is PENDING or APPROVED. `status` can be PENDING or APPROVED; others answer INVALID_STATE.',
  })
  @RequiresScope('EMAILS')
  replyDraftUpdate(
    @IdArg() id: string,
    @InputArg(() => ReplyDraftUpdateInput) input: object,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateReplyDraft(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description:
      'Rejects a suggested reply that is PENDING or APPROVED. It gets the status REJECTED and can still be read; others answer INVALID_STATE.',
  })
  @RequiresScope('EMAILS')
  replyDraftDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return rejectReplyDraft(ctx, id, expectedVersion)
  }

  @Mutation(() => Email, {
    description:
      'Sends a suggested reply that is PENDING or APPROVED to the sender of the mail that it answers, with its files, as part of the thread. Returns the queued mail.',
  })
  @RequiresScope('EMAILS')
  replyDraftSend(@IdArg() id: string, @Ctx() ctx: RequestContext<'work' | 'keys'>) {
    return sendReplyDraft(ctx, id)
  }
}

export const replyDraftResource: Resource = {
  resolver: ReplyDraftResolver,
  entities: { ReplyDraft: replyDraft },
  migrations: [replyDraftTable, replyDraftSearch, replyDraftTotals, replyDraftTurns, replyDraftFiles],
  jobs: [replyDraftExpire],
  rest: restArea(replyDraft, {
    path: 'email-tracking/drafts',
    folder: 'email-drafts',
    filters: ['status', 'threadId', 'ownerId', updatedAfter],
  }),
}
