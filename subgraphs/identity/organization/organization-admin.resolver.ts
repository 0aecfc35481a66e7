import { Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { administering } from '../admin/administer.ts'
import { dataUrlOf, logoImage, type LogoImage } from '../seller/logo-image.ts'
import { logoContent, storeLogo } from '../seller/logo.ts'
import { nameLengthMax, refuseAny, textProblems } from '../text.ts'
import { changeOrganization, regenerateCode } from './organization.actions.ts'
import { defaultBaseCurrency, organizationSettings } from './organization-settings.ts'
import { findOrganization, Organization } from './organization.ts'
import { settingsProblems } from './settings.rules.ts'
import { OrganizationSettingsType, OrganizationUpdateInput } from './organization-admin.types.ts'

async function updateOrganization(
  ctx: RequestContext,
  { name, logo, ...settings }: OrganizationUpdateInput,
): Promise<Organization> {
  const image = logo == null ? null : await logoImage(logo)
  refuseAny([
    ...(image && 'path' in image ? [image] : []),
    ...(name == null ? [] : textProblems('name', name, { min: 1, max: nameLengthMax })),
    ...(name?.trim() === '' ? [{ path: 'name', code: 'EMPTY', message: 'name must not be empty.' }] : []),
    ...settingsProblems(settings),
  ])
  return administering(ctx, async (inner) => {
    const stored = logo === undefined ? {} : { logo: await storeLogo(inner, image as LogoImage | null) }
    const kept = { ...(await organizationSettings(inner)), ...settings, ...stored }
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

  @Mutation(() => Organization, {
    description:
      'Changes the given fields of the organization. Entitlements depend on the plan and cannot be changed here.',
  })
  @RequiresScopes('SESSION')
  organizationUpdate(
    @InputArg(() => OrganizationUpdateInput) input: OrganizationUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return updateOrganization(ctx, input)
  }

  @Mutation(() => Organization, {
    description: 'Creates a new code; the former code can no longer be used to register.',
  })
  @RequiresScopes('SESSION')
  organizationCodeRegenerate(@Ctx() ctx: RequestContext) {
    return administering(ctx, regenerateCode)
  }

  @FieldResolver(() => OrganizationSettingsType, { description: 'Settings of the organization.' })
  async settings(@Root() { id }: Organization, @Ctx() ctx: RequestContext): Promise<OrganizationSettingsType> {
    const own = { ...ctx, caller: { ...ctx.caller, organizationId: id } }
    const {
      enforceCaseTransitions = false,
      uniqueContactEmail = false,
      requireLossReason = false,
      requireQuoteApproval = false,
      refuseSelfRegisteredApps = false,
      paymentInstructions = null,
      postalAddress = null,
      taxId = null,
      brandColor = null,
      businessHours = null,
      timezone = 'UTC',
      fiscalYearStartMonth = 1,
      disabledAssistantModes = [],
      baseCurrency = defaultBaseCurrency,
    } = await organizationSettings(own)
    const logo = await logoContent(own)
    return {
      enforceCaseTransitions,
      uniqueContactEmail,
      requireLossReason,
      requireQuoteApproval,
      refuseSelfRegisteredApps,
      paymentInstructions,
      postalAddress,
      taxId,
      brandColor,
      logo: logo && dataUrlOf(logo),
      businessHours,
      timezone,
      fiscalYearStartMonth,
      disabledAssistantModes,
      baseCurrency,
    }
  }
}

export const organizationAdminResource: Resource = { resolver: OrganizationAdminResolver }
