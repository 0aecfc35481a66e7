import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import type { RecordInput } from '../../kernel/record/inputs.ts'
import type { PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { restArea } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { typeFilter } from '../extended-type.ts'
import { duplicateKeyQueue, forgetDuplicateKeys } from './duplicate-keys.queue.ts'
import {
  DuplicateRuleCreateInput,
  DuplicateRulePage,
  DuplicateRulePageArgs,
  DuplicateRuleUpdateInput,
} from './duplicate-rule.inputs.ts'
import { duplicateRuleTables } from './duplicate-rule.migrations.ts'
import { activeRulesMax, duplicateRule, duplicateRulesMax } from './duplicate-rule.record.ts'
import { DuplicateRule } from './duplicate-rule.ts'

const rules = recordsOf(duplicateRule)

@Resolver(() => DuplicateRule)
export class DuplicateRuleResolver {
  @Query(() => DuplicateRule, { nullable: true, description: 'One rule of duplicates by id. For owners and admins.' })
  duplicateRule(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return rules.one(ctx, id, info)
  }

  @Query(() => DuplicateRulePage, {
    description: 'The rules of duplicates of the organization. For owners and admins.',
  })
  duplicateRuleList(
    @Args(() => DuplicateRulePageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return rules.page(ctx, args, info)
  }

  @Mutation(() => DuplicateRule, {
    description: `Creates a rule of duplicates. A record type has at most ${duplicateRulesMax}, of which ${activeRulesMax} are active. Every write that commits after the answer is decided with it; the keys of older records are written in the background. Its matchers must name fields that you may read. For owners and admins.`,
  })
  @RequiresScope('DUPLICATE_RULES')
  duplicateRuleCreate(
    @InputArg(() => DuplicateRuleCreateInput) input: RecordInput<DuplicateRule>,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return rules.create(ctx, input)
  }

  @Mutation(() => DuplicateRule, {
    description:
      'Changes a rule of duplicates. Every write that commits after the answer is decided with the changed rule. Unless it is turned off, its matchers must name fields that you may read. For owners and admins.',
  })
  @RequiresScope('DUPLICATE_RULES')
  duplicateRuleUpdate(
    @IdArg() id: string,
    @InputArg(() => DuplicateRuleUpdateInput) input: RecordInput<DuplicateRule>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return rules.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes a rule of duplicates: it holds no longer. For owners and admins.',
  })
  @RequiresScope('DUPLICATE_RULES')
  duplicateRuleDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return rules.remove(ctx, id, expectedVersion)
  }
}

export const duplicateRuleResource: Resource = {
  resolver: DuplicateRuleResolver,
  announces: [duplicateRule],
  migrations: [duplicateRuleTables],
  queues: [duplicateKeyQueue],
  jobs: [forgetDuplicateKeys],
  rest: restArea(duplicateRule, { path: 'duplicate-rules', filters: [typeFilter('object'), 'name', 'isActive'] }),
}
