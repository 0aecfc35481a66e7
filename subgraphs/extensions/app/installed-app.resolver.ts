import { Args, Ctx, Info, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg, InputArg } from '../../kernel/record/args.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  installApp,
  installedMax,
  readInstalledApp,
  readInstalledApps,
  uninstallApp,
  updateApp,
} from './install-app.ts'
import { installedApps } from './installed-app.events.ts'
import { AppInstallInput, InstalledApp, InstalledAppPage, InstalledAppUpdateInput } from './installed-app.types.ts'
import { installedAppTable } from './installation.migrations.ts'
import { managedComponents } from './managed.migrations.ts'

const who = 'For owners and admins with a session.'

@Resolver(() => InstalledApp)
export class InstalledAppResolver {
  @Query(() => InstalledAppPage, { description: `The apps of the organization, the newest first. ${who}` })
  @RequiresScopes('SESSION')
  installedAppList(
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    requireAdministrator(ctx)
    return readInstalledApps(ctx, args, info)
  }

  @Query(() => InstalledApp, { nullable: true, description: `One app of the organization. ${who}` })
  @RequiresScopes('SESSION')
  installedApp(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    return readInstalledApp(ctx, id)
  }

  @Mutation(() => InstalledApp, {
    description: `Installs an app of the marketplace, or one that the organization publishes. Its components are deployed after the answer, as a whole: with a problem, such as a name that the organization has already, nothing is installed, and the status is FAILED. They belong to the app: only it changes and removes them, while secrets and \`isActive\` stay with the organization. Its functions act as the user who installs it. One that is installed already is UNIQUE_VIOLATION. An organization has at most ${installedMax} apps. ${who}`,
  })
  @RequiresScopes('SESSION')
  appInstall(@InputArg(() => AppInstallInput) input: AppInstallInput, @Ctx() ctx: RequestContext) {
    const { slug, appVersion = null, scopes, settings } = input
    return installApp(ctx, { slug, appVersion, scopes, settings })
  }

  @Mutation(() => InstalledApp, {
    description: `Changes the settings of an app, its scopes, or its version. Settings alone take effect at once. Another version or other scopes than those in use are deployed after the answer, as a whole: components that the version no longer has are removed, with a problem nothing is changed, and the former version stays in use. While a deployment of the app is under way it is INVALID_STATE. ${who}`,
  })
  @RequiresScopes('SESSION')
  installedAppUpdate(
    @IdArg() id: string,
    @InputArg(() => InstalledAppUpdateInput) input: InstalledAppUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    const { appVersion = null, scopes = null, settings } = input
    return updateApp(ctx, id, { appVersion, scopes, settings })
  }

  @Mutation(() => InstalledApp, {
    description: `Removes an app: after the answer its components are deleted, as a whole, and the tokens of its OAuth app stop working. Custom objects can be restored with their records for 30 days, and then belong to the organization. What the organization made and names a component of the app keeps the app installed: the deployment says what. Nothing of the app itself runs, so it cannot prevent it. ${who}`,
  })
  @RequiresScopes('SESSION')
  appUninstall(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return uninstallApp(ctx, id)
  }
}

const roles = ['OWNER', 'ADMIN']

export const installedAppResource: Resource = {
  resolver: InstalledAppResolver,
  announces: [installedApps],
  migrations: [managedComponents, installedAppTable],
  operations: [
    operation('GET /v1/apps', 'installedAppList', {
      summary: 'List installed apps',
      answers: 'The apps of the organization.',
      roles,
    }),
    operation('POST /v1/apps', 'appInstall', {
      summary: 'Install an app',
      answers: 'The app, whose components are deployed after the answer.',
      status: 202,
      roles,
      refusals: [404],
    }),
    operation('GET /v1/apps/{id}', 'installedApp', { summary: 'Get an installed app', answers: 'The app.', roles }),
    operation('PATCH /v1/apps/{id}', 'installedAppUpdate', {
      summary: 'Update an app',
      answers: 'The app; with another version or other scopes, its components are deployed after the answer.',
      roles,
    }),
    operation('DELETE /v1/apps/{id}', 'appUninstall', {
      summary: 'Uninstall an app',
      answers: 'The app, whose components are removed after the answer.',
      status: 202,
      roles,
    }),
  ],
}
