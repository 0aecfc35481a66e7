import { Ctx, FieldResolver, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { DocumentFile } from '../document/document-file.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { Invoice } from '../invoice/invoice.ts'
import { applyCreditNote, invoicesMax, reverseApplication } from './apply-credit.ts'
import { creditNoteRefunds } from '../payment/credit-refund.migrations.ts'
import type { Version } from './change-credit-note.ts'
import { issueCreditNote, refundCreditNote, voidCreditNote } from './credit-note.actions.ts'
import { creditNoteFile } from './credit-note.document.ts'
import { CreditApplicationInput, CreditNoteRefundRecordInput, creditNoteTypes } from './credit-note.inputs.ts'
import { creditNoteTable, invoiceCredits, invoiceCreditTotals } from './credit-note.migrations.ts'
import { creditNote } from './credit-note.record.ts'
import { CreditNoteStats, creditNoteStats } from './credit-note.stats.ts'
import { CreditNote, reasonMax } from './credit-note.ts'

const invoices = recordsOf(invoice)

@Resolver(() => CreditNote)
export class CreditNoteResolver extends standardResolver(creditNote, {
  scope: 'INVOICES',
  types: creditNoteTypes,
  stats: { type: CreditNoteStats, read: creditNoteStats },
  restoreDescription: 'Restores a deleted DRAFT unchanged, and returns it.',
}) {
  @Query(() => DocumentFile, {
    description:
      'Returns the PDF of the credit note; that of a DRAFT is a preview without a number. A caller whose profile hides a printed column is refused.',
  })
  @RequiresScopes('READ_INVOICES')
  creditNoteDocument(@IdArg() id: string, @Ctx() ctx: RequestContext<'work'>) {
    return creditNoteFile(ctx, id)
  }

  @Mutation(() => CreditNote, {
    description:
      'Issues a DRAFT with a customer and a total above 0: it gets its number and becomes ISSUED. The credit notes of one invoice together are at most over its total.',
  })
  @RequiresScope('INVOICES')
  creditNoteIssue(@IdArg() id: string, @ExpectedVersionArg() expectedVersion: Version, @Ctx() ctx: RequestContext) {
    return issueCreditNote(ctx, id, expectedVersion)
  }

  @Mutation(() => CreditNote, {
    description:
      'Applies an ISSUED credit note to one or several open invoices of its customer in its currency, wholly or in part. Either all applications are recorded or none.',
  })
  @RequiresScope('INVOICES')
  creditNoteApply(
    @IdArg() id: string,
    @ValueArg('applications', () => CreditApplicationInput, {
      list: true,
      minItems: 1,
      maxItems: invoicesMax,
      description: 'The invoices in the order in which the credit is used, each once.',
    })
    applications: CreditApplicationInput[],
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return applyCreditNote(ctx, id, applications, expectedVersion)
  }

  @Mutation(() => CreditNote, {
    description:
      'Reverses an application: its amount is due again and left of the credit note. A PAID invoice is open again.',
  })
  @RequiresScope('INVOICES')
  creditNoteReverseApplication(
    @IdArg() id: string,
    @ValueArg('applicationId', () => String, {
      description: 'Id of the application.',
      max: 36,
      example: '019a0c5e-7f00-7f52-8c1d-3b9a6e2d7f40',
    })
    applicationId: string,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return reverseApplication(ctx, id, applicationId, expectedVersion)
  }

  @Mutation(() => CreditNote, {
    description: 'Records that what is left of a credit note, or a part of it, was paid to the customer.',
  })
  @RequiresScope('INVOICES')
  creditNoteRefund(
    @IdArg() id: string,
    @InputArg(() => CreditNoteRefundRecordInput) input: CreditNoteRefundRecordInput,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return refundCreditNote(ctx, id, input, expectedVersion)
  }

  @Mutation(() => CreditNote, {
    description: 'Voids an ISSUED credit note of which nothing is applied or refunded. Its number stays used.',
  })
  @RequiresScope('INVOICES')
  creditNoteVoid(
    @IdArg() id: string,
    @ValueArg('reason', () => String, {
      nullable: true,
      max: reasonMax,
      description: 'Why the credit note is voided; null for no reason.',
      example: 'Issued twice.',
    })
    reason: string | null,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return voidCreditNote(ctx, id, reason ?? null, expectedVersion)
  }

  @FieldResolver(() => Invoice, {
    nullable: true,
    description: 'The invoice that is credited; null if there is none or the caller does not see it.',
  })
  invoice(@Root() { invoiceId }: CreditNote, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return invoices.reference(ctx, invoiceId, info)
  }
}

const place = '/v1/credit-notes/{id}'
const changed = { answers: 'The credit note as changed.' }

export const creditNoteResource: Resource = {
  resolver: CreditNoteResolver,
  entities: { CreditNote: creditNote },
  migrations: [creditNoteTable, invoiceCredits, creditNoteRefunds, invoiceCreditTotals],
  operations: [
    operation(`POST ${place}/issue`, 'creditNoteIssue', { summary: 'Issue a credit note', ...changed }),
    operation(`POST ${place}/apply`, 'creditNoteApply', { summary: 'Apply a credit note to invoices', ...changed }),
    operation(`POST ${place}/applications/{applicationId}/reverse`, 'creditNoteReverseApplication', {
      summary: 'Reverse an application',
      ...changed,
    }),
    operation(`POST ${place}/refund`, 'creditNoteRefund', { summary: 'Record a refund of what is left', ...changed }),
    operation(`POST ${place}/void`, 'creditNoteVoid', { summary: 'Void a credit note', ...changed }),
  ],
  rest: restArea(creditNote, {
    path: 'credit-notes',
    filters: [
      'status',
      'customerId',
      'contactId',
      'invoiceId',
      'ownerId',
      'currency',
      'creditNoteNumber',
      'externalId',
      createdAfter,
      updatedAfter,
    ],
  }),
}
