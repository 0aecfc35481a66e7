import { Arg, Ctx, Field, FieldResolver, InputType, Mutation, ObjectType, Query, Resolver, Root } from 'type-graphql'
import type { BusinessHours } from '../../kernel/working-week.ts'
import { notFound } from '../../kernel/errors.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { administering } from '../admin/administer.ts'
import { nameLengthMax, refuseAny, textProblems } from '../text.ts'
import { changeOrganization, regenerateCode } from './organization.actions.ts'
import { organizationSettings } from './organization-settings.ts'
import { findOrganization, Organization } from './organization.ts'
import { holidaysMax, settingsProblems, spansMax } from './settings.rules.ts'

@ObjectType('OrganizationSettings', { description: 'What the organization decided for all of its users.' })
@RequiresScopes('SESSION')
export class OrganizationSettingsType {
  @Field(() => Boolean, { description: 'Refuse moves of a case that its state machine does not have.' })
  enforceCaseTransitions!: boolean

  @Field(() => Json, { nullable: true, description: 'When due dates pass; null: every hour counts.' })
  businessHours!: BusinessHours | null

  @Field(() => String, { description: 'IANA name.' })
  timezone!: string
}

@InputType()
export class OrganizationUpdateInput {
  @Field(() => String, { nullable: true })
  name?: string | null

  @Field(() => Boolean, { nullable: true })
  enforceCaseTransitions?: boolean | null

  @Field(() => Json, {
    nullable: true,
    description: `\`{timezone, days, holidays}\`: spans of local time by weekday, at most ${spansMax} a day, and at most ${holidaysMax} days off; null: every hour counts. An hour that the clocks skip gives no working time, one that they show twice counts twice. Due dates lie at most ten years ahead; where no weekday has a span, every hour counts.`,
  })
  businessHours?: BusinessHours | null

  @Field(() => String, { nullable: true, description: 'IANA name; null: UTC.' })
  timezone?: string | null
}

function updateOrganization(
  ctx: RequestContext,
  { name, ...settings }: OrganizationUpdateInput,
): Promise<Organization> {
  refuseAny([
    ...(name == null ? [] : textProblems('name', name, { min: 1, max: nameLengthMax })),
    ...(name?.trim() === '' ? [{ path: 'name', code: 'EMPTY', message: 'name is not empty.' }] : []),
    ...settingsProblems(settings),
  ])
  return administering(ctx, async (inner) => {
    const kept = { ...(await organizationSettings(inner)), ...settings }
    const set = Object.fromEntries(Object.entries(kept).filter(([, value]) => value != null))
    return changeOrganization(inner, { ...(name != null && { name }), settings: set })
  })
}

@Resolver(() => Organization)
export class OrganizationAdminResolver {
  @Query(() => Organization, { description: 'The organization with its code and settings. For owners and admins.' })
  @RequiresScopes('SESSION')
  async organizationAdministered(@Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    const organization = await findOrganization(ctx.db, ctx.caller.organizationId)
    if (!organization) throw notFound('The organization')
    return organization
  }

  @Mutation(() => Organization, { description: 'Changes what is named. Entitlements follow the plan and not this.' })
  @RequiresScopes('SESSION')
  organizationUpdate(
    @Arg('input', () => OrganizationUpdateInput) input: OrganizationUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return updateOrganization(ctx, input)
  }

  @Mutation(() => Organization, { description: 'The code of before lets nobody in any more.' })
  @RequiresScopes('SESSION')
  organizationCodeRegenerate(@Ctx() ctx: RequestContext) {
    return administering(ctx, regenerateCode)
  }

  @FieldResolver(() => OrganizationSettingsType)
  async settings(@Root() { id }: Organization, @Ctx() ctx: RequestContext): Promise<OrganizationSettingsType> {
    const {
      enforceCaseTransitions = false,
      businessHours = null,
      timezone = 'UTC',
    } = await organizationSettings({
      ...ctx,
      caller: { ...ctx.caller, organizationId: id },
    })
    return { enforceCaseTransitions, businessHours, timezone }
  }
}

export const organizationAdminResource: Resource = { resolver: OrganizationAdminResolver }
