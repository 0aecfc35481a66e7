import { Arg, Args, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { pageArgs } from '../../kernel/record/list-args.ts'
import type { Asked } from '../../kernel/record/selection.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  createApiKey,
  deleteApiKey,
  readApiKey,
  readApiKeys,
  revokeApiKey,
  revokeFormerSecret,
  updateApiKey,
} from './api-key.actions.ts'
import { ApiKeyCreateInput, ApiKeyFilter, ApiKeyOrder, ApiKeyPage, ApiKeyUpdateInput } from './api-key.inputs.ts'
import { apiKeyTable, formerSecretTable } from './api-key.migrations.ts'
import { ApiKey, apiKey, ApiKeyStatus, expiresSoon, statusOf } from './api-key.ts'
import { overlapHoursDefault, rotateApiKey } from './rotate.ts'

const ApiKeyPageArgs = pageArgs(ApiKeyFilter, ApiKeyOrder)
type ApiKeyPageArgs = InstanceType<typeof ApiKeyPageArgs>

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Query(() => ApiKey, { nullable: true })
  @RequiresScopes('SESSION')
  apiKey(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext) {
    return readApiKey(ctx, id)
  }

  @Query(() => ApiKeyPage, { description: "The user's own keys; for owners and admins those of the organization." })
  @RequiresScopes('SESSION')
  apiKeyList(@Args(() => ApiKeyPageArgs) args: ApiKeyPageArgs, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return readApiKeys(ctx, args, info)
  }

  @Mutation(() => ApiKey, { description: 'The secret is in this answer and nowhere else.' })
  @RequiresScopes('SESSION')
  apiKeyCreate(@Arg('input', () => ApiKeyCreateInput) input: ApiKeyCreateInput, @Ctx() ctx: RequestContext) {
    return createApiKey(ctx, input)
  }

  @Mutation(() => ApiKey, { description: "Only owners let another owner's key do more; admins may narrow it." })
  @RequiresScopes('SESSION')
  apiKeyUpdate(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ApiKeyUpdateInput) input: ApiKeyUpdateInput,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateApiKey(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ApiKey, {
    description:
      'A new secret, in this answer and nowhere else; the one before works until the overlap of 0 to 168 hours ends. ' +
      "Only owners rotate another owner's key.",
  })
  @RequiresScopes('SESSION')
  apiKeyRotate(
    @Arg('id', () => ID) id: string,
    @Arg('overlapHours', () => Int, { defaultValue: overlapHoursDefault }) overlapHours: number,
    @Ctx() ctx: RequestContext,
  ) {
    return rotateApiKey(ctx, id, overlapHours)
  }

  @Mutation(() => ApiKey, {
    description:
      'Final: a revoked key never works again, with neither of its secrets. With `formerOnly` only the secret before the last ' +
      'rotation ends, early, and the key works on.',
  })
  @RequiresScopes('SESSION')
  apiKeyRevoke(
    @Arg('id', () => ID) id: string,
    @Arg('formerOnly', () => Boolean, { defaultValue: false }) formerOnly: boolean,
    @Ctx() ctx: RequestContext,
  ) {
    return formerOnly ? revokeFormerSecret(ctx, id) : revokeApiKey(ctx, id)
  }

  @Mutation(() => ID, { description: 'The key stops working and leaves every list; it cannot be restored.' })
  @RequiresScopes('SESSION')
  apiKeyDelete(
    @Arg('id', () => ID) id: string,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteApiKey(ctx, id, expectedVersion)
  }

  @FieldResolver(() => ApiKeyStatus)
  status(@Root() key: ApiKey, @Ctx() { clock }: RequestContext) {
    return statusOf(key, clock.now())
  }

  @FieldResolver(() => Boolean, { description: 'The key works and expires within 7 days.' })
  expiresSoon(@Root() key: ApiKey, @Ctx() { clock }: RequestContext) {
    return expiresSoon(key, clock.now())
  }
}

export const apiKeyResource: Resource = {
  resolver: ApiKeyResolver,
  announces: [apiKey],
  migrations: [apiKeyTable, formerSecretTable],
}
