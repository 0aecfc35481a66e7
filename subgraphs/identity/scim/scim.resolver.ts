import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { IdentityContext } from '../context.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { normalizeEmail } from '../text.ts'
import {
  createScimGroup,
  findScimGroups,
  readScimGroup,
  removeScimGroup,
  ScimGroup,
  ScimGroupInput,
  ScimGroupPage,
  updateScimGroup,
} from './scim-group.ts'
import { createScimUser, readScimUser, removeScimUser, updateScimUser } from './scim-user.actions.ts'
import { findScimUsers, ScimUser, ScimUserInput, ScimUserPage, type ScimRange } from './scim-user.ts'

const scimCountMax = 100

function range(startIndex: number, count: number): ScimRange {
  if (startIndex < 1 || startIndex > 10_000_000)
    throw invalid({ path: 'startIndex', code: 'OUT_OF_RANGE', message: 'startIndex must be between 1 and 10000000.' })
  if (count < 0 || count > scimCountMax)
    throw invalid({ path: 'count', code: 'OUT_OF_RANGE', message: `count must be between 0 and ${scimCountMax}.` })
  return { startIndex, count }
}

@Resolver()
export class ScimResolver {
  @Query(() => ScimUser, { nullable: true })
  @RequiresScopes('SCIM')
  scimUser(@Arg('id', () => ID) id: string, @Ctx() ctx: IdentityContext) {
    return readScimUser(ctx, id)
  }

  @Query(() => ScimUserPage)
  @RequiresScopes('SCIM')
  scimUserList(
    @Arg('userName', () => String, { nullable: true }) userName: string | null,
    @Arg('externalId', () => String, { nullable: true }) externalId: string | null,
    @Arg('startIndex', () => Int, { defaultValue: 1 }) startIndex: number,
    @Arg('count', () => Int, { defaultValue: scimCountMax }) count: number,
    @Ctx() { db, caller }: IdentityContext,
  ) {
    const wanted = { userName: userName == null ? null : normalizeEmail(userName), externalId }
    return findScimUsers(db, caller.organizationId, wanted, range(startIndex, count))
  }

  @Mutation(() => ScimUser)
  @RequiresScopes('SCIM')
  scimUserCreate(@Arg('input', () => ScimUserInput) input: ScimUserInput, @Ctx() ctx: IdentityContext) {
    return createScimUser(ctx, input)
  }

  @Mutation(() => ScimUser)
  @RequiresScopes('SCIM')
  scimUserUpdate(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ScimUserInput) input: ScimUserInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return updateScimUser(ctx, id, input)
  }

  @Mutation(() => ID)
  @RequiresScopes('SCIM')
  scimUserDelete(@Arg('id', () => ID) id: string, @Ctx() ctx: IdentityContext) {
    return removeScimUser(ctx, id)
  }

  @Query(() => ScimGroup, { nullable: true })
  @RequiresScopes('SCIM')
  scimGroup(@Arg('id', () => ID) id: string, @Ctx() ctx: IdentityContext) {
    return readScimGroup(ctx, id)
  }

  @Query(() => ScimGroupPage)
  @RequiresScopes('SCIM')
  scimGroupList(
    @Arg('displayName', () => String, { nullable: true }) displayName: string | null,
    @Arg('externalId', () => String, { nullable: true }) externalId: string | null,
    @Arg('startIndex', () => Int, { defaultValue: 1 }) startIndex: number,
    @Arg('count', () => Int, { defaultValue: scimCountMax }) count: number,
    @Ctx() ctx: IdentityContext,
  ) {
    return findScimGroups(ctx, { displayName, externalId }, range(startIndex, count))
  }

  @Mutation(() => ScimGroup)
  @RequiresScopes('SCIM')
  scimGroupCreate(@Arg('input', () => ScimGroupInput) input: ScimGroupInput, @Ctx() ctx: IdentityContext) {
    return createScimGroup(ctx, input)
  }

  @Mutation(() => ScimGroup)
  @RequiresScopes('SCIM')
  scimGroupUpdate(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => ScimGroupInput) input: ScimGroupInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return updateScimGroup(ctx, id, input)
  }

  @Mutation(() => ID)
  @RequiresScopes('SCIM')
  scimGroupDelete(@Arg('id', () => ID) id: string, @Ctx() ctx: IdentityContext) {
    return removeScimGroup(ctx, id)
  }
}

export const scimResource: Resource = {
  resolver: ScimResolver,
  crossTenantFields: ['scimUserCreate', 'scimUserUpdate'],
}
