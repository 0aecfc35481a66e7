import { Arg, Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { isAnySelected, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  disconnectApp,
  readConnectedApp,
  readConnectedApps,
  readOwnInstallation,
  updateConnectedApp,
} from './connected-app.actions.ts'
import {
  AppInstallation,
  ConnectedApp,
  ConnectedAppPage,
  ConnectedAppPageArgs,
  ConnectedAppUpdateInput,
} from './connected-app.ts'
import { oauthForget } from './oauth-forget.job.ts'
import { openClientTable } from './open-client.migrations.ts'
import { appOrganizationTrigger, grantsByUser, installedPackages, oauthGrantTables } from './oauth.migrations.ts'

@Resolver(() => ConnectedApp)
export class ConnectedAppResolver {
  @Query(() => ConnectedApp, { nullable: true, description: 'One connected app by id.' })
  @RequiresScopes('SESSION')
  connectedApp(
    @Arg('id', () => ID, { description: 'Id of the app in this organization (the installation).' }) id: string,
    @Ctx() ctx: RequestContext,
  ) {
    return readConnectedApp(ctx, id)
  }

  @Query(() => ConnectedAppPage, {
    description: 'Apps that the user gave consent to; for owners and admins those of the whole organization.',
  })
  @RequiresScopes('SESSION')
  connectedAppList(
    @Args(() => ConnectedAppPageArgs) args: ConnectedAppPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readConnectedApps(ctx, args, isAnySelected(info, 'total', 'totalPages'))
  }

  @Mutation(() => ConnectedApp, { description: 'Changes the settings that the app can read. For owners and admins.' })
  @RequiresScopes('SESSION')
  connectedAppUpdate(
    @Arg('id', () => ID, { description: 'Id of the app in this organization (the installation).' }) id: string,
    @InputArg(() => ConnectedAppUpdateInput) input: ConnectedAppUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return updateConnectedApp(ctx, id, input)
  }

  @Mutation(() => ID, { description: 'Revokes the consents of the user; for owners and admins those of all users.' })
  @RequiresScopes('SESSION')
  connectedAppDelete(
    @Arg('id', () => ID, { description: 'Id of the app in this organization (the installation).' }) id: string,
    @Ctx() ctx: RequestContext,
  ) {
    return disconnectApp(ctx, id)
  }

  @Query(() => AppInstallation, { nullable: true, description: 'The calling app; only with an OAuth access token.' })
  @RequiresScopes('*', 'APP')
  appInstallation(@Ctx() ctx: RequestContext) {
    return readOwnInstallation(ctx)
  }
}

export const connectedAppResource: Resource = {
  resolver: ConnectedAppResolver,
  migrations: [oauthGrantTables, appOrganizationTrigger, grantsByUser, openClientTable, installedPackages],
  jobs: [oauthForget],
}
