import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql'
import { attachedFilesMax } from '../../crm/public.ts'
import { attachmentBytesMax } from '../../kernel/mail/queue-mail.ts'
import { ExpectedVersionArg, IdArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { cancelQuote, recallQuote, reviewQuote, reviseQuote, submitQuote } from './quote.actions.ts'
import { DocumentFile } from '../document/document-file.ts'
import { quoteFile } from './quote.document.ts'
import { quoteExpire } from './quote-expire.job.ts'
import { QuoteAcceptInput, QuoteDeclineInput, quoteTypes } from './quote.inputs.ts'
import {
  quoteAmountTotals,
  quoteDecision,
  quoteDecisionContact,
  quoteTurns,
  quoteDocumentUrl,
  quoteLinkTable,
  quoteMailFailure,
  quoteTable,
} from './quote.migrations.ts'
import { MessageArg } from '../customer-mail/correspondence.ts'
import { quote } from './quote.record.ts'
import { QuoteStats, quoteStats } from './quote.stats.ts'
import { Quote } from './quote.ts'
import { recordAcceptance, recordRejection } from './record-decision.ts'
import { sendQuote } from './send-quote.ts'
import { quoteEntries } from './quote.timeline.ts'

type Version = number | null

const CommentArg = () =>
  ValueArg('comment', () => String, {
    nullable: true,
    max: 2000,
    description: 'Why; null for no comment. It is stored as `reviewComment`.',
  })

@Resolver(() => Quote)
export class QuoteResolver extends standardResolver(quote, {
  scope: 'QUOTES',
  types: quoteTypes,
  stats: { type: QuoteStats, read: quoteStats },
  restoreDescription: 'Restores a deleted quote, if no other quote took its place as revision or as primary quote.',
}) {
  @Query(() => DocumentFile, {
    description:
      'Returns the PDF of the quote. It shows the customer with name and address, also to a caller who does not see the account. A caller whose profile hides a printed column is refused.',
  })
  @RequiresScopes('READ_QUOTES')
  quoteDocument(@IdArg() id: string, @Ctx() ctx: RequestContext<'work'>) {
    return quoteFile(ctx, id)
  }

  @Mutation(() => Quote, { description: 'Submits a draft for approval: it becomes IN_REVIEW.' })
  @RequiresScope('QUOTES')
  quoteSubmit(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: Version, @Ctx() ctx: RequestContext) {
    return submitQuote(ctx, id, expectedVersion)
  }

  @Mutation(() => Quote, { description: 'Takes a submitted quote back to DRAFT, so that it can be changed.' })
  @RequiresScope('QUOTES')
  quoteRecall(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: Version, @Ctx() ctx: RequestContext) {
    return recallQuote(ctx, id, expectedVersion)
  }

  @Mutation(() => Quote, { description: 'Approves a submitted quote. For owners, admins and managers.' })
  @RequiresScope('QUOTES')
  quoteApprove(
    @IdArg() id: string,
    @CommentArg() comment: string | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return reviewQuote(ctx, id, 'APPROVED', comment ?? null, expectedVersion)
  }

  @Mutation(() => Quote, {
    description: 'Declines to approve a submitted quote, which becomes DRAFT again. For owners, admins and managers.',
  })
  @RequiresScope('QUOTES')
  quoteReject(
    @IdArg() id: string,
    @CommentArg() comment: string | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return reviewQuote(ctx, id, 'REJECTED', comment ?? null, expectedVersion)
  }

  @Mutation(() => Quote, {
    description:
      'Mails the quote with a link to a page on which the customer accepts or rejects it. It becomes SENT; sending it again mails another link.',
  })
  @RequiresScope('QUOTES')
  quoteSend(
    @IdArg() id: string,
    @ValueArg('to', () => String, {
      nullable: true,
      max: 254,
      description:
        'Email address of the recipient; null: that of the contact of the quote. A caller whose profile hides something that the quote shows cannot name another address.',
    })
    to: string | null,
    @MessageArg() message: string | null,
    @ValueArg('fileIds', () => ID, {
      list: true,
      nullable: true,
      maxItems: attachedFilesMax,
      description: `Ids of files to attach besides the PDF, that the caller sees and that are READY; with the PDF they have at most ${attachmentBytesMax.toLocaleString('en')} bytes. Needs READ_FILES.`,
      example: [],
    })
    fileIds: string[] | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext<'vault' | 'work' | 'files'>,
  ) {
    const mail = { to: to ?? null, message: message ?? null, fileIds: fileIds ?? [] }
    return sendQuote(ctx, id, mail, expectedVersion)
  }

  @Mutation(() => Quote, {
    description:
      'Records that the customer accepted a SENT quote outside of its public page, such as on the phone: it becomes ACCEPTED.',
  })
  @RequiresScope('QUOTES')
  quoteAccept(
    @IdArg() id: string,
    @Arg('input', () => QuoteAcceptInput, { description: 'Who accepted it, when and how.' }) input: QuoteAcceptInput,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return recordAcceptance(ctx, id, input, expectedVersion)
  }

  @Mutation(() => Quote, {
    description:
      'Records that the customer declined a SENT quote outside of its public page, such as on the phone: it becomes REJECTED.',
  })
  @RequiresScope('QUOTES')
  quoteDecline(
    @IdArg() id: string,
    @Arg('input', () => QuoteDeclineInput, { description: 'Who declined it, when, how and why.' })
    input: QuoteDeclineInput,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return recordRejection(ctx, id, input, expectedVersion)
  }

  @Mutation(() => Quote, { description: 'Withdraws a quote that the customer has not answered.' })
  @RequiresScope('QUOTES')
  quoteCancel(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: Version, @Ctx() ctx: RequestContext) {
    return cancelQuote(ctx, id, expectedVersion)
  }

  @Mutation(() => Quote, {
    description:
      'Creates a draft with the content of a quote as its next revision, and returns it. An open quote is cancelled by it.',
  })
  @RequiresScope('QUOTES')
  quoteRevise(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: Version, @Ctx() ctx: RequestContext) {
    return reviseQuote(ctx, id, expectedVersion)
  }
}

const changed = { answers: 'The quote as changed.' }
const review = { ...changed, body: 'QuoteReviewInput', roles: ['OWNER', 'ADMIN', 'MANAGER'] }

export const quoteResource: Resource = {
  resolver: QuoteResolver,
  entities: { Quote: quote },
  timeline: [quoteEntries],
  migrations: [
    quoteTable,
    quoteLinkTable,
    quoteDocumentUrl,
    quoteAmountTotals,
    quoteMailFailure,
    quoteDecision,
    quoteTurns,
    quoteDecisionContact,
  ],
  jobs: [quoteExpire],
  rest: restArea(quote, {
    path: 'quotes',
    filters: [
      'status',
      'approvalStatus',
      'opportunityId',
      'accountId',
      'contactId',
      'ownerId',
      'isPrimary',
      'currency',
      'externalId',
      createdAfter,
      updatedAfter,
    ],
  }),
  operations: [
    operation('POST /v1/quotes/{id}/submit', 'quoteSubmit', { summary: 'Submit for approval', ...changed }),
    operation('POST /v1/quotes/{id}/recall', 'quoteRecall', { summary: 'Take back to DRAFT', ...changed }),
    operation('POST /v1/quotes/{id}/approve', 'quoteApprove', {
      summary: 'Approve',
      ...review,
      example: { comment: 'Discount is fine for three years.' },
    }),
    operation('POST /v1/quotes/{id}/reject', 'quoteReject', {
      summary: 'Decline to approve',
      ...review,
      example: { comment: 'Discount is too high.' },
    }),
    operation('POST /v1/quotes/{id}/send', 'quoteSend', {
      summary: 'Send to the customer',
      ...changed,
      example: { to: 'ines.duarte@example.com', message: 'As discussed on Tuesday.' },
    }),
    operation('POST /v1/quotes/{id}/accept', 'quoteAccept', {
      summary: 'Record that the customer accepted',
      ...changed,
      example: { name: 'Ines Duarte', method: 'PHONE', note: 'Signed copy follows by post.' },
    }),
    operation('POST /v1/quotes/{id}/decline', 'quoteDecline', {
      summary: 'Record that the customer declined',
      ...changed,
      example: { name: 'Ines Duarte', method: 'EMAIL', reason: 'Budget was cut.' },
    }),
    operation('POST /v1/quotes/{id}/cancel', 'quoteCancel', { summary: 'Withdraw', ...changed }),
    operation('POST /v1/quotes/{id}/revise', 'quoteRevise', {
      summary: 'Create a revision',
      status: 201,
      answers: 'The revision.',
    }),
  ],
}
