import { Arg, Ctx, Field, Int, Mutation, ObjectType, Query, Resolver } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { ExpectedVersionArg, IdArg } from '../../kernel/record/args.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { excludedAccounts } from './excluded-accounts.ts'
import type { Version } from '../invoice/change-invoice.ts'
import { Invoice } from '../invoice/invoice.ts'
import { DunningConfiguration, DunningTone, DunningUpdateInput, SkippedReason } from './dunning-configuration.ts'
import { invoiceDunning } from './dunning.job.ts'
import { dunningCursor, dunningInterest, dunningTables, dunningWait } from './dunning.migrations.ts'
import { dunningConfiguration, updateDunning } from './dunning.settings.ts'
import { sendReminder } from './send-reminder.ts'

@ObjectType({ description: 'A reminder that was sent, or was not sent because of `skippedReason`.' })
@RequiresScope('INVOICES')
export class InvoiceReminder {
  @Field(() => Int, {
    description:
      'Level of the reminder in the dunning configuration, from 1; the one that would have been sent if it was not.',
  })
  level!: number

  @Field(() => DunningTone, { description: 'Tone of its text.' })
  tone!: DunningTone

  @Field(() => String, {
    nullable: true,
    description: 'Email address to which it was mailed; null if it was not sent.',
  })
  sentTo!: string | null

  @Field(() => SkippedReason, {
    nullable: true,
    description:
      'Why it was not sent: no fee was added, and the invoice did not change, except for `dunningLevel` where the level creates a task. Null if it was sent.',
  })
  skippedReason!: SkippedReason | null

  @Field(() => Decimal, { description: 'Fee that the reminder added to `dunningFees` of the invoice.' })
  fee!: ExactNumber

  @Field(() => Decimal, {
    description: 'Interest until today, which the reminder claims in addition; 0 if it was not sent.',
  })
  interest!: ExactNumber

  @Field(() => Invoice, { description: 'The invoice after the reminder.' })
  invoice!: Invoice
}

@Resolver()
export class DunningResolver {
  @Query(() => DunningConfiguration, { description: 'The dunning configuration of the organization.' })
  @RequiresScopes('READ_INVOICES')
  dunningConfiguration(@Ctx() ctx: RequestContext) {
    return dunningConfiguration(ctx)
  }

  @Mutation(() => DunningConfiguration, { description: 'Changes the dunning configuration. For owners and admins.' })
  @RequiresScope('INVOICES')
  dunningUpdate(
    @Arg('input', () => DunningUpdateInput, { description: 'The changes.' }) input: DunningUpdateInput,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext,
  ) {
    return updateDunning(ctx, input, expectedVersion ?? null)
  }

  @Mutation(() => InvoiceReminder, {
    description:
      'Sends a reminder of an open invoice now, at most one on a day. Without an email address of the customer nothing is mailed or charged; a level with `createTask`, `notifyOwner` or `escalateToUserId` still creates its task and notices, once. Blocked and excluded invoices are refused, and disputed ones by the configuration. Answers to the mail go to the caller, and those to a reminder of the daily run to the owner of the invoice.',
  })
  @RequiresScope('INVOICES')
  invoiceRemind(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: Version,
    @Ctx() ctx: RequestContext<'vault' | 'work'>,
  ) {
    return sendReminder(ctx, id, expectedVersion)
  }
}

export const dunningResource: Resource = {
  resolver: DunningResolver,
  migrations: [dunningTables, dunningCursor, dunningInterest, dunningWait],
  names: [excludedAccounts],
  jobs: [invoiceDunning],
}
