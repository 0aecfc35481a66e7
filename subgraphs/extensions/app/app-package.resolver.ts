import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { bodyBytesMax } from '../metadata/bounds.ts'
import { MetadataSourceInput } from '../metadata/deployment.types.ts'
import { packageChanges, publishedVersions } from './app.events.ts'
import { appTables } from './app.migrations.ts'
import { deletePackage, updatePackage } from './app-package.actions.ts'
import { readPackageOf, readPackages, readVersionOf, readVersionsOf } from './app-package.ts'
import { AppPackage, AppPackagePage, AppPackageUpdateInput, AppVersion, AppVersionPage } from './app-package.types.ts'
import { numberMax, packagesMax, versionsMax } from './bounds.ts'
import { publishApp } from './publish.ts'

const who = 'For owners and admins.'

const PackageArg = () =>
  ValueArg('id', () => String, {
    max: 64,
    filled: true,
    description: 'Id or `slug` of a package of the organization.',
    example: 'site-maps',
  })

@Resolver(() => AppPackage)
export class AppPackageResolver {
  @Query(() => AppPackage, { nullable: true, description: `One app that the organization publishes. ${who}` })
  @RequiresScopes('MANAGE_METADATA')
  appPackage(@PackageArg() id: string, @Ctx() ctx: RequestContext) {
    return readPackageOf(ctx, id)
  }

  @Query(() => AppPackagePage, {
    description: `The apps that the organization publishes, newest first, without deleted ones. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  appPackageList(
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readPackages(ctx, args, info)
  }

  @Query(() => AppVersion, {
    nullable: true,
    description: `One version of an app that the organization publishes. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  appVersion(
    @PackageArg() id: string,
    @ValueArg('number', () => String, {
      max: numberMax,
      filled: true,
      description: 'Number of the version.',
      example: '1.4.0',
    })
    number: string,
    @Ctx() ctx: RequestContext,
  ) {
    return readVersionOf(ctx, id, number)
  }

  @Query(() => AppVersionPage, {
    description: `The versions of an app that the organization publishes, newest first, without what they consist of. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  appVersionList(
    @PackageArg() id: string,
    @Args(() => NewestFirstArgs) args: NewestFirstArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readVersionsOf(ctx, id, args, info)
  }

  @Mutation(() => AppVersion, {
    description: `Publishes a version of an app: the files of a project with \`app.json\`. The first one makes the package, whose slug no other organization can take then; each further one has a higher version. A version never changes: the same files again are answered as they are published already, other files with its number are UNIQUE_VIOLATION. Nothing is deployed. An organization has at most ${packagesMax} packages, each with at most ${versionsMax} versions. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  @Limits({ bodyBytes: bodyBytesMax })
  appPublish(
    @ValueArg('source', () => MetadataSourceInput, { description: 'The files.' }) source: MetadataSourceInput,
    @Ctx() ctx: RequestContext<'work'>,
  ) {
    return publishApp(ctx, source)
  }

  @Mutation(() => AppPackage, {
    description: `Asks for a place of an app in the marketplace, or takes the app or the request back. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  appPackageUpdate(
    @PackageArg() id: string,
    @InputArg(() => AppPackageUpdateInput) input: AppPackageUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return updatePackage(ctx, id, input)
  }

  @Mutation(() => ID, {
    description: `Deletes an app: nobody can install it any more. Organizations that have it keep it, and its slug is not free again. ${who}`,
  })
  @RequiresScopes('MANAGE_METADATA')
  appPackageDelete(@PackageArg() id: string, @Ctx() ctx: RequestContext) {
    return deletePackage(ctx, id)
  }
}

const roles = ['OWNER', 'ADMIN']

export const appPackageResource: Resource = {
  resolver: AppPackageResolver,
  announces: [publishedVersions, packageChanges],
  migrations: [appTables],
  operations: [
    operation('GET /v1/app-packages', 'appPackageList', {
      summary: 'List the apps of the organization',
      answers: 'The packages, newest first.',
      roles,
    }),
    operation('POST /v1/app-packages', 'appPublish', {
      summary: 'Publish a version of an app',
      answers: 'The version, new or as it is published already.',
      status: 201,
      roles,
      example: {
        source: {
          files: {
            'app.json': '{"slug": "site-maps", "name": "Site maps", "version": "1.4.0", "scopes": ["READ_ACCOUNTS"]}',
            'service.project.json': '{"formatVersion": 1, "name": "site-maps"}',
            'src/fields/ACCOUNT.geo_position.field.json':
              '{"entity": "ACCOUNT", "name": "geo_position", "label": "Position", "fieldType": "TEXT"}',
          },
        },
      },
    }),
    operation('GET /v1/app-packages/{id}', 'appPackage', {
      summary: 'Get an app of the organization',
      answers: 'The package.',
      roles,
    }),
    operation('PATCH /v1/app-packages/{id}', 'appPackageUpdate', {
      summary: 'Ask for a place in the marketplace',
      answers: 'The package as changed.',
      roles,
    }),
    operation('DELETE /v1/app-packages/{id}', 'appPackageDelete', {
      summary: 'Delete an app of the organization',
      status: 204,
      roles,
    }),
    operation('GET /v1/app-packages/{id}/versions', 'appVersionList', {
      summary: 'List the versions of an app',
      answers: 'The versions, newest first, without what they consist of.',
      roles,
    }),
    operation('GET /v1/app-packages/{id}/versions/{number}', 'appVersion', {
      summary: 'Get a version of an app',
      answers: 'The version.',
      roles,
    }),
  ],
}
