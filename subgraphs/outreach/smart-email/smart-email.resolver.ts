import { Arg, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { emailMessage, emailThread } from '../email/email.record.ts'
import { Email } from '../email/email.ts'
import { EmailThread } from '../email/email-thread.ts'
import { composeDraft, regenerateDraft } from './compose.ts'
import { smartEmailDelivery } from './delivery-consumer.ts'
import { historyMax, historyOf, SmartEmailHistoryEntry } from './history.ts'
import { scheduleDraft, unscheduleDraft } from './schedule.ts'
import { smartEmailSendDue } from './send-due.job.ts'
import { SmartEmailSendTime, sendTimeOf } from './send-time.ts'
import { sendDraft, smartEmailActions } from './smart-email.actions.ts'
import { SmartEmailDraft } from './smart-email-draft.ts'
import { SmartEmailComposeInput, smartEmailTypes } from './smart-email.inputs.ts'
import {
  smartEmailFiles,
  smartEmailFilterIndexes,
  smartEmailTables,
  smartEmailTotals,
  smartEmailPrivateIndexes,
} from './smart-email.migrations.ts'
import { smartEmailDraft } from './smart-email.record.ts'
import { SmartEmailDraftStats, smartEmailStats } from './smart-email.stats.ts'
import { SmartEmailVariant, variantsMax, variantsOf } from './variants.ts'

type Version = number | null
type Writing = RequestContext<'work' | 'languageModel'>

const TimeArg = (name: string, description: string) => Arg(name, () => String, { nullable: true, description })
const ContactArg = () => Arg('contactId', () => ID, { description: 'Id of the contact, one that the caller sees.' })

const messages = recordsOf(emailMessage)
const threads = recordsOf(emailThread)

@Resolver(() => SmartEmailDraft)
export class SmartEmailResolver extends standardResolver(smartEmailDraft, {
  scope: 'EMAILS',
  types: smartEmailTypes,
  actions: smartEmailActions,
  stats: { type: SmartEmailDraftStats, read: smartEmailStats },
  restoreDescription: 'Restores a discarded draft, which is a DRAFT again. For its owner.',
}) {
  @Mutation(() => SmartEmailDraft, {
    description:
      'Writes a mail with the language model, or by the rules of the platform if none is configured, and stores it as a draft of the caller. The model gets only what the caller sees, as data; it decides neither recipients nor formatting. MODEL_RATE_LIMITED after 30 texts of one credential in a minute, and 100 of the organization in a minute or 5,000 in a day; UNAVAILABLE while the model does not answer; MODEL_FAILED if its answer cannot be used. Nothing is then stored.',
  })
  @RequiresScope('EMAILS')
  smartEmailCompose(@InputArg(() => SmartEmailComposeInput) input: SmartEmailComposeInput, @Ctx() ctx: Writing) {
    return composeDraft(ctx, input)
  }

  @Mutation(() => SmartEmailDraft, {
    description:
      'Writes the text of a DRAFT or FAILED draft anew, in other words and from the records as they are now; it is then a DRAFT. Recipients stay. A scheduled draft is refused, so that no unread text is sent.',
  })
  @RequiresScope('EMAILS')
  smartEmailDraftRegenerate(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: Version, @Ctx() ctx: Writing) {
    return regenerateDraft(ctx, id, expectedVersion)
  }

  @Query(() => [SmartEmailVariant], {
    description: `Returns ${variantsMax} other texts for a draft, each in another tone. They are written at the first call and with \`refresh\`, by its owner, with the limits of smartEmailCompose. To use one, update the draft with its text.`,
  })
  smartEmailDraftVariants(
    @IdArg() id: string,
    @Arg('refresh', () => Boolean, { defaultValue: false, description: 'Write them anew.' }) refresh: boolean,
    @Ctx() ctx: Writing,
  ) {
    return variantsOf(ctx, id, refresh)
  }

  @Mutation(() => SmartEmailDraft, {
    description:
      'Queues the mail of a DRAFT or SCHEDULED draft, which becomes SENDING, then SENT or FAILED. It needs a recipient, a subject and a body. It is sent once.',
  })
  @RequiresScope('EMAILS')
  smartEmailDraftSend(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext<'work' | 'keys'>,
  ) {
    return sendDraft(ctx, id, expectedVersion)
  }

  @Mutation(() => SmartEmailDraft, {
    description:
      'Sets the time at which a DRAFT is sent, or another time for a SCHEDULED one. It is sent within a minute after it, with the rights that its owner then has; it is FAILED if that is not possible. Above a limit of mails it waits for at most a day.',
  })
  @RequiresScope('EMAILS')
  smartEmailDraftSchedule(
    @IdArg() id: string,
    @TimeArg(
      'scheduledAt',
      'When to send it: after now. `2026-11-03T09:00:00+01:00` is that moment; `2026-11-03T09:00` is the time that the clocks of `timezone` show. Of a time that they show twice it is the first; a time that they skip is as much later as they skip. Required unless `sendAt` is sent.',
    )
    scheduledAt: string | null,
    @TimeArg('sendAt', 'A second name of `scheduledAt`; the two must not differ.') sendAt: string | null,
    @TimeArg('timezone', 'IANA name of a time zone; null: that of the organization, otherwise UTC.')
    timezone: string | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    const wanted = { scheduledAt: scheduledAt ?? null, sendAt: sendAt ?? null, timezone: timezone ?? null }
    return scheduleDraft(ctx, id, wanted, expectedVersion)
  }

  @Mutation(() => SmartEmailDraft, { description: 'Takes a SCHEDULED draft back: it is a DRAFT again.' })
  @RequiresScope('EMAILS')
  smartEmailDraftUnschedule(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return unscheduleDraft(ctx, id, expectedVersion)
  }

  @Query(() => SmartEmailSendTime, {
    description:
      'Returns when a mail to the contact is most likely to be opened and answered, learned from the newest 10,000 mails of the organization, 2,000 to its account and 500 to the contact. Only times and counts are read, so mails count also if the caller does not see them. Without mails: Tuesday at 10.',
  })
  smartEmailSendTime(@ContactArg() contactId: string, @Ctx() ctx: RequestContext) {
    return sendTimeOf(ctx, contactId)
  }

  @Query(() => [SmartEmailHistoryEntry], {
    description:
      'Returns the newest mails to and from the contact, newest first: of the newest 200 threads that concern the contact and that the caller sees.',
  })
  smartEmailHistory(
    @ContactArg() contactId: string,
    @Arg('limit', () => Int, { defaultValue: 20, description: `Number of mails, 1 to ${historyMax}.` }) limit: number,
    @Ctx() ctx: RequestContext,
  ) {
    return historyOf(ctx, contactId, limit)
  }

  @FieldResolver(() => EmailThread, {
    nullable: true,
    description: 'The thread that it continues or began; null if none, or one that the caller does not see.',
  })
  thread(@Root() { threadId }: SmartEmailDraft, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return threads.reference(ctx, threadId, info)
  }

  @FieldResolver(() => Email, {
    nullable: true,
    description: 'The mail that it became; null before it is sent, or if the caller does not see it.',
  })
  message(@Root() { messageId }: SmartEmailDraft, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return messages.reference(ctx, messageId, info)
  }
}

export const smartEmailResource: Resource = {
  resolver: SmartEmailResolver,
  entities: { SmartEmailDraft: smartEmailDraft },
  migrations: [smartEmailTables, smartEmailFilterIndexes, smartEmailTotals, smartEmailPrivateIndexes, smartEmailFiles],
  jobs: [smartEmailSendDue],
  consumers: [smartEmailDelivery],
  rest: restArea(smartEmailDraft, {
    path: 'smart-email/drafts',
    folder: 'smart-email',
    filters: [
      'status',
      'contactId',
      'opportunityId',
      'threadId',
      'ownerId',
      'isShared',
      'tone',
      'externalId',
      createdAfter,
      updatedAfter,
    ],
  }),
}
