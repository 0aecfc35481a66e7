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
import { validationRuleComponent } from './validation-rule.component.ts'
import {
  ValidationRuleCreateInput,
  ValidationRulePage,
  ValidationRulePageArgs,
  ValidationRuleUpdateInput,
} from './validation-rule.inputs.ts'
import { validationRuleTable } from './validation-rule.migrations.ts'
import { rulesMax, validationRule } from './validation-rule.record.ts'
import { ValidationRule } from './validation-rule.ts'

const rules = recordsOf(validationRule)

@Resolver(() => ValidationRule)
export class ValidationRuleResolver {
  @Query(() => ValidationRule, { nullable: true, description: 'One validation rule by id. For owners and admins.' })
  validationRule(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    return rules.one(ctx, id, info)
  }

  @Query(() => ValidationRulePage, {
    description: 'The validation rules of the organization. For owners and admins.',
  })
  validationRuleList(
    @Args(() => ValidationRulePageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return rules.page(ctx, args, info)
  }

  @Mutation(() => ValidationRule, {
    description: `Creates a validation rule. A record type has at most ${rulesMax}. Every write that commits after the answer is checked by it. Its conditions must name fields that you may read. For owners and admins.`,
  })
  @RequiresScope('VALIDATION_RULES')
  validationRuleCreate(
    @InputArg(() => ValidationRuleCreateInput) input: RecordInput<ValidationRule>,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return rules.create(ctx, input)
  }

  @Mutation(() => ValidationRule, {
    description:
      'Changes a validation rule. Every write that commits after the answer is checked by the changed rule. Unless it is turned off, its conditions must name fields that you may read. For owners and admins.',
  })
  @RequiresScope('VALIDATION_RULES')
  validationRuleUpdate(
    @IdArg() id: string,
    @InputArg(() => ValidationRuleUpdateInput) input: RecordInput<ValidationRule>,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return rules.update(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ID, {
    description: 'Deletes a validation rule: it refuses no change any longer. For owners and admins.',
  })
  @RequiresScope('VALIDATION_RULES')
  validationRuleDelete(
    @IdArg() id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    requireAdministrator(ctx)
    return rules.remove(ctx, id, expectedVersion)
  }
}

export const validationRuleResource: Resource = {
  resolver: ValidationRuleResolver,
  component: validationRuleComponent,
  announces: [validationRule],
  migrations: [validationRuleTable],
  rest: restArea(validationRule, { path: 'validation-rules', filters: [typeFilter('entityType'), 'name', 'isActive'] }),
}
