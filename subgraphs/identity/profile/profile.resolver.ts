import { Arg, Ctx, Field, ID, InputType, Mutation, Query, Resolver } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { IdentityContext } from '../context.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { administering } from '../admin/administer.ts'
import { createProfile, deleteProfile, updateProfile } from './profile.actions.ts'
import { profileTables } from './profile.migrations.ts'
import { findProfile, Profile, profilesOf } from './profile.ts'
import { profile } from './profile.record.ts'

const fieldsText = 'HIDDEN, READ or WRITE by object and field; replaces all former restrictions.'

@InputType({ description: 'A profile to create.' })
export class AccessProfileCreateInput {
  @Field(() => String, { description: 'Name of the profile, 1 to 100 characters, not only white space.' })
  name!: string

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the profile applies to users without a profile; false when absent. True replaces the previous default.',
  })
  isDefault?: boolean | null

  @Field(() => Json, { nullable: true, description: fieldsText })
  fields?: unknown
}

@InputType({ description: 'Changes of a profile; absent fields are not changed.' })
export class AccessProfileUpdateInput {
  @Field(() => String, {
    nullable: true,
    description: 'Name of the profile, 1 to 100 characters, not only white space.',
  })
  name?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether the profile applies to users without a profile; false when absent on create. True replaces the previous default.',
  })
  isDefault?: boolean | null

  @Field(() => Json, { nullable: true, description: fieldsText })
  fields?: unknown
}

@Resolver()
export class ProfileResolver {
  @Query(() => Profile, { nullable: true, description: 'One profile by id. For owners and admins.' })
  @RequiresScopes('SESSION')
  async accessProfile(
    @Arg('id', () => ID, { description: 'Id of the profile.' }) id: string,
    @Ctx() ctx: IdentityContext,
  ) {
    requireAdministrator(ctx)
    const found = await findProfile(ctx.db, ctx.caller.organizationId, id)
    if (!found) throw notFound('The profile')
    return found
  }

  @Query(() => [Profile], {
    description: 'All profiles of the organization, at most 100, ordered by name. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  accessProfileList(@Ctx() ctx: IdentityContext) {
    requireAdministrator(ctx)
    return profilesOf(ctx.db, ctx.caller.organizationId)
  }

  @Mutation(() => Profile, {
    description: 'Creates a profile. An organization has at most 100. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  accessProfileCreate(
    @InputArg(() => AccessProfileCreateInput) input: AccessProfileCreateInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return administering(ctx, (inner) => createProfile(inner, input))
  }

  @Mutation(() => Profile, {
    description: 'Changes a profile; takes effect with the next request of each affected user. For owners and admins.',
  })
  @RequiresScopes('SESSION')
  accessProfileUpdate(
    @Arg('id', () => ID, { description: 'Id of the profile.' }) id: string,
    @InputArg(() => AccessProfileUpdateInput) input: AccessProfileUpdateInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return administering(ctx, (inner) => updateProfile(inner, id, input))
  }

  @Mutation(() => ID, { description: 'Deletes a profile; refused while users have it.' })
  @RequiresScopes('SESSION')
  accessProfileDelete(
    @Arg('id', () => ID, { description: 'Id of the profile.' }) id: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return administering(ctx, (inner) => deleteProfile(inner, id))
  }
}

export const profileResource: Resource = {
  resolver: ProfileResolver,
  announces: [profile],
  migrations: [profileTables],
}
