import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg, InputArg } from '../../kernel/record/args.ts'
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
  @Query(() => ScimUser, { nullable: true, description: 'One user in the form of SCIM.' })
  @RequiresScopes('SCIM')
  scimUser(@IdArg() id: string, @Ctx() ctx: IdentityContext) {
    return readScimUser(ctx, id)
  }

  @Query(() => ScimUserPage, {
    description: 'Users of the organization in the form of SCIM, oldest first; a given attribute must be equal.',
  })
  @RequiresScopes('SCIM')
  scimUserList(
    @Arg('userName', () => String, { nullable: true, description: 'Only the user with this email address; null: all.' })
    userName: string | null,
    @Arg('externalId', () => String, {
      nullable: true,
      description: 'Only the resource with this id in the directory; null: all.',
    })
    externalId: string | null,
    @Arg('startIndex', () => Int, { defaultValue: 1, description: 'Position of the first result, from 1 to 10000000.' })
    startIndex: number,
    @Arg('count', () => Int, { defaultValue: scimCountMax, description: 'Maximum number of results, 0 to 100.' })
    count: number,
    @Ctx() { db, caller }: IdentityContext,
  ) {
    const wanted = { userName: userName == null ? null : normalizeEmail(userName), externalId }
    return findScimUsers(db, caller.organizationId, wanted, range(startIndex, count))
  }

  @Mutation(() => ScimUser, {
    description:
      'Provisions a user without a mail. An address that already belongs to the organization is refused with UNIQUE_VIOLATION.',
  })
  @RequiresScopes('SCIM')
  scimUserCreate(@InputArg(() => ScimUserInput) input: ScimUserInput, @Ctx() ctx: IdentityContext) {
    return createScimUser(ctx, input)
  }

  @Mutation(() => ScimUser, {
    description:
      'Changes the named attributes of a user. With `active` false the sessions of the user end and the keys stop working.',
  })
  @RequiresScopes('SCIM')
  scimUserUpdate(
    @IdArg() id: string,
    @InputArg(() => ScimUserInput) input: ScimUserInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return updateScimUser(ctx, id, input)
  }

  @Mutation(() => ID, { description: 'Removes a user from the organization and returns the id.' })
  @RequiresScopes('SCIM')
  scimUserDelete(@IdArg() id: string, @Ctx() ctx: IdentityContext) {
    return removeScimUser(ctx, id)
  }

  @Query(() => ScimGroup, { nullable: true, description: 'One team in the form of a SCIM group.' })
  @RequiresScopes('SCIM')
  scimGroup(@IdArg() id: string, @Ctx() ctx: IdentityContext) {
    return readScimGroup(ctx, id)
  }

  @Query(() => ScimGroupPage, {
    description: 'Teams of the organization in the form of SCIM groups, oldest first; a given attribute must be equal.',
  })
  @RequiresScopes('SCIM')
  scimGroupList(
    @Arg('displayName', () => String, {
      nullable: true,
      description: 'Only the group with this name, upper and lower case equal; null: all.',
    })
    displayName: string | null,
    @Arg('externalId', () => String, {
      nullable: true,
      description: 'Only the resource with this id in the directory; null: all.',
    })
    externalId: string | null,
    @Arg('startIndex', () => Int, { defaultValue: 1, description: 'Position of the first result, from 1 to 10000000.' })
    startIndex: number,
    @Arg('count', () => Int, { defaultValue: scimCountMax, description: 'Maximum number of results, 0 to 100.' })
    count: number,
    @Ctx() ctx: IdentityContext,
  ) {
    return findScimGroups(ctx, { displayName, externalId }, range(startIndex, count))
  }

  @Mutation(() => ScimGroup, { description: 'Creates a team. Its name must differ from the names of the other teams.' })
  @RequiresScopes('SCIM')
  scimGroupCreate(@InputArg(() => ScimGroupInput) input: ScimGroupInput, @Ctx() ctx: IdentityContext) {
    return createScimGroup(ctx, input)
  }

  @Mutation(() => ScimGroup, { description: 'Changes the named attributes of a team and its members.' })
  @RequiresScopes('SCIM')
  scimGroupUpdate(
    @IdArg() id: string,
    @InputArg(() => ScimGroupInput) input: ScimGroupInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return updateScimGroup(ctx, id, input)
  }

  @Mutation(() => ID, { description: 'Deletes a team and returns its id.' })
  @RequiresScopes('SCIM')
  scimGroupDelete(@IdArg() id: string, @Ctx() ctx: IdentityContext) {
    return removeScimGroup(ctx, id)
  }
}

export const scimResource: Resource = {
  resolver: ScimResolver,
  crossTenantFields: ['scimUserCreate', 'scimUserUpdate'],
  crossTenantDryRuns: ['scimUserCreate', 'scimUserUpdate'],
}
