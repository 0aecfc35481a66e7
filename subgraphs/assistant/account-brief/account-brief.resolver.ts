import { Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql'
import { IdArg } from '../../kernel/record/args.ts'
import { batchOf } from '../../kernel/record/batch.ts'
import { extendedEntity } from '../../kernel/record/extended-entity.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { generateBrief, readBrief, type BriefContext } from './account-brief.actions.ts'
import { forgetBriefs } from './account-brief.job.ts'
import { accountBriefTable } from './account-brief.migrations.ts'
import { AccountBrief } from './account-brief.types.ts'
import { briefsMax, keptDays } from './bounds.ts'
import { shownBriefs } from './stored-brief.ts'

const Account = extendedEntity('Account')
const noFields: ReadonlySet<string> = new Set()

@Resolver()
export class AccountBriefResolver {
  @Query(() => AccountBrief, {
    nullable: true,
    description: `The last brief of an account that was written for the caller; null before the first, after ${keptDays} days, and when the caller no longer sees everything that it was written from: fewer fields or records, or a credential with fewer scopes.`,
  })
  accountBrief(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return readBrief(ctx, id)
  }

  @Mutation(() => AccountBrief, {
    description: `Writes a brief of an account from the open deals, overdue invoices, open cases, last activities and the health that the caller sees, and stores it for the caller in place of the last one; at most ${briefsMax.toLocaleString('en')} are kept for a user. If the model does not answer, its answer cannot be used or its tokens are used up, fixed rules write it. MODEL_RATE_LIMITED after 30 texts of one credential in a minute, and 100 of the organization in a minute or 5,000 in a day. Not for users who only read.`,
  })
  @RequiresScope('ACCOUNTS')
  accountBriefGenerate(@IdArg() id: string, @Ctx() ctx: BriefContext) {
    return generateBrief(ctx, id)
  }
}

@Resolver(() => Account)
class AccountBriefEdge {
  @FieldResolver(() => AccountBrief, {
    nullable: true,
    description: 'The last brief of the account that was written for the caller; null as `accountBrief` is.',
  })
  aiBrief(@Root() { id }: { readonly id: string }, @Ctx() ctx: RequestContext): Promise<AccountBrief | null> {
    return batchOf(ctx, noFields, 'account.aiBrief', async (ids) => {
      const shown = await shownBriefs(ctx, ids)
      return ids.map((one) => shown.get(one) ?? null)
    }).load(id)
  }
}

const path = '/v1/accounts/{id}/ai-brief'

export const accountBriefResources: readonly Resource[] = [
  {
    resolver: AccountBriefResolver,
    migrations: [accountBriefTable],
    jobs: [forgetBriefs],
    mentions: ['account', 'opportunity', 'invoice', 'case', 'activity'],
    operations: [
      operation(`GET ${path}`, 'accountBrief', {
        summary: 'Read the brief of an account',
        answers: 'The brief; `null` if there is none for the caller.',
        mayBeNull: true,
      }),
      operation(`POST ${path}`, 'accountBriefGenerate', {
        summary: 'Write a brief of an account',
        answers: 'The new brief.',
        status: 201,
      }),
    ],
  },
  { resolver: AccountBriefEdge, types: [Account] },
]
