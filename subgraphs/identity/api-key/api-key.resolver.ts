import { Arg, Args, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, InputArg } from '../../kernel/record/args.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
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
import { apiKeyExpiring } from './api-key-expiring.job.ts'
import { apiKeyTable, apiKeyExpiry, apiKeyTotals, apiKeyTurns, formerSecretTable } from './api-key.migrations.ts'
import { ApiKey, ApiKeyStatus, expiresSoon, statusOf } from './api-key.ts'
import { apiKey } from './api-key.record.ts'
import { ListedUser } from '../user-lookup/listed-user.ts'
import { userOf } from '../user-lookup/user-of.ts'
import { overlapHoursDefault, rotateApiKey } from './rotate.ts'

const ApiKeyPageArgs = pageArgs(ApiKeyFilter, ApiKeyOrder)
type ApiKeyPageArgs = InstanceType<typeof ApiKeyPageArgs>

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @Query(() => ApiKey, { nullable: true, description: 'One API key by id; never contains the secret.' })
  @RequiresScopes('SESSION')
  apiKey(@Arg('id', () => ID, { description: 'Id of the key.' }) id: string, @Ctx() ctx: RequestContext) {
    return readApiKey(ctx, id)
  }

  @Query(() => ApiKeyPage, {
    description: "The user's own API keys; for owners and admins all keys of the organization.",
  })
  @RequiresScopes('SESSION')
  apiKeyList(
    @Args(() => ApiKeyPageArgs) args: ApiKeyPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readApiKeys(ctx, args, info)
  }

  @Mutation(() => ApiKey, { description: 'Creates an API key. Only this answer contains the secret.' })
  @RequiresScopes('SESSION')
  apiKeyCreate(@InputArg(() => ApiKeyCreateInput) input: ApiKeyCreateInput, @Ctx() ctx: RequestContext) {
    return createApiKey(ctx, input)
  }

  @Mutation(() => ApiKey, {
    description: "Changes an API key. Only owners may extend another owner's key; admins may restrict it.",
  })
  @RequiresScopes('SESSION')
  apiKeyUpdate(
    @Arg('id', () => ID, { description: 'Id of the key.' }) id: string,
    @InputArg(() => ApiKeyUpdateInput) input: ApiKeyUpdateInput,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateApiKey(ctx, id, input, expectedVersion)
  }

  @Mutation(() => ApiKey, {
    description:
      'Gives the key a new secret, which only this answer contains. The former secret works until the overlap of 0 to 168 hours ends. ' +
      "Only owners may rotate another owner's key.",
  })
  @RequiresScopes('SESSION')
  apiKeyRotate(
    @Arg('id', () => ID, { description: 'Id of the key.' }) id: string,
    @Arg('overlapHours', () => Int, {
      defaultValue: overlapHoursDefault,
      description: 'Hours during which the previous secret still works, 0 to 168.',
    })
    overlapHours: number,
    @Ctx() ctx: RequestContext,
  ) {
    return rotateApiKey(ctx, id, overlapHours)
  }

  @Mutation(() => ApiKey, {
    description:
      'Revokes an API key permanently: neither of its secrets works again. With `formerOnly`, only the overlap of the former secret ' +
      'ends early, and the key keeps working.',
  })
  @RequiresScopes('SESSION')
  apiKeyRevoke(
    @Arg('id', () => ID, { description: 'Id of the key.' }) id: string,
    @Arg('formerOnly', () => Boolean, {
      defaultValue: false,
      description: 'True ends only the previous secret and keeps the key.',
    })
    formerOnly: boolean,
    @Ctx() ctx: RequestContext,
  ) {
    return formerOnly ? revokeFormerSecret(ctx, id) : revokeApiKey(ctx, id)
  }

  @Mutation(() => ID, { description: 'Deletes an API key: it stops working, is in no list, and cannot be restored.' })
  @RequiresScopes('SESSION')
  apiKeyDelete(
    @Arg('id', () => ID, { description: 'Id of the key.' }) id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteApiKey(ctx, id, expectedVersion)
  }

  @FieldResolver(() => ApiKeyStatus, { description: 'State of the key at the time of the request.' })
  status(@Root() key: ApiKey, @Ctx() { clock }: RequestContext) {
    return statusOf(key, clock.now())
  }

  @FieldResolver(() => Boolean, { description: 'True when the key works and expires within 7 days.' })
  expiresSoon(@Root() key: ApiKey, @Ctx() { clock }: RequestContext) {
    return expiresSoon(key, clock.now())
  }

  @FieldResolver(() => ListedUser, { nullable: true, description: 'The user who created the key.' })
  owner(@Root() { ownerId }: ApiKey, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return userOf(ctx, ownerId, info)
  }
}

export const apiKeyResource: Resource = {
  resolver: ApiKeyResolver,
  announces: [apiKey],
  migrations: [apiKeyTable, formerSecretTable, apiKeyTotals, apiKeyExpiry, apiKeyTurns],
  jobs: [apiKeyExpiring],
}
