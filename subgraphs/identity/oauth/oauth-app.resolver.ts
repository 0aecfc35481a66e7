import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, InputArg } from '../../kernel/record/args.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import {
  createOAuthApp,
  deleteOAuthApp,
  readOAuthApp,
  readOAuthApps,
  rotateClientSecret,
  updateOAuthApp,
} from './oauth-app.actions.ts'
import {
  OAuthAppCreateInput,
  OAuthAppFilter,
  OAuthAppOrder,
  OAuthAppPage,
  OAuthAppUpdateInput,
} from './oauth-app.inputs.ts'
import { OAuthApp } from './oauth-app.ts'
import { oauthApp } from './oauth-app.record.ts'
import { oauthAppTable, oauthAppTotals } from './oauth.migrations.ts'
import { sealedVisits } from './oauth-store.ts'
import { ListedUser } from '../user-lookup/listed-user.ts'
import { userOf } from '../user-lookup/user-of.ts'

const OAuthAppPageArgs = pageArgs(OAuthAppFilter, OAuthAppOrder)
type OAuthAppPageArgs = InstanceType<typeof OAuthAppPageArgs>

@Resolver(() => OAuthApp)
export class OAuthAppResolver {
  @Query(() => OAuthApp, { nullable: true, description: 'One OAuth app by id; never contains the client secret.' })
  @RequiresScopes('SESSION')
  oauthApp(
    @Arg('id', () => ID, { description: 'Id of the app; equals its client_id.' }) id: string,
    @Ctx() ctx: RequestContext,
  ) {
    return readOAuthApp(ctx, id)
  }

  @Query(() => OAuthAppPage, {
    description: "The user's own OAuth apps; for owners and admins all apps of the organization.",
  })
  @RequiresScopes('SESSION')
  oauthAppList(
    @Args(() => OAuthAppPageArgs) args: OAuthAppPageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readOAuthApps(ctx, args, info)
  }

  @Mutation(() => OAuthApp, { description: 'Registers an OAuth app. Only this answer contains the client secret.' })
  @RequiresScopes('SESSION')
  oauthAppCreate(@InputArg(() => OAuthAppCreateInput) input: OAuthAppCreateInput, @Ctx() ctx: RequestContext) {
    return createOAuthApp(ctx, input)
  }

  @Mutation(() => OAuthApp, {
    description: "Changes an OAuth app. Only owners may extend another owner's app; admins may restrict it.",
  })
  @RequiresScopes('SESSION')
  oauthAppUpdate(
    @Arg('id', () => ID, { description: 'Id of the app; equals its client_id.' }) id: string,
    @InputArg(() => OAuthAppUpdateInput) input: OAuthAppUpdateInput,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateOAuthApp(ctx, id, input, expectedVersion)
  }

  @Mutation(() => OAuthApp, {
    description:
      "Creates a new client secret; the former one stops working at once. Only owners may do this for another owner's app.",
  })
  @RequiresScopes('SESSION')
  oauthAppRotateSecret(
    @Arg('id', () => ID, { description: 'Id of the app; equals its client_id.' }) id: string,
    @Ctx() ctx: RequestContext,
  ) {
    return rotateClientSecret(ctx, id)
  }

  @Mutation(() => ID, {
    description:
      'Deletes an OAuth app: its tokens stop working in every organization, and no organization lists it any longer.',
  })
  @RequiresScopes('SESSION')
  oauthAppDelete(
    @Arg('id', () => ID, { description: 'Id of the app; equals its client_id.' }) id: string,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteOAuthApp(ctx, id, expectedVersion)
  }

  @FieldResolver(() => ListedUser, { nullable: true, description: 'The user who registered the app.' })
  owner(@Root() { ownerId }: OAuthApp, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return userOf(ctx, ownerId, info)
  }
}

export const oauthAppResource: Resource = {
  sealed: [sealedVisits],
  resolver: OAuthAppResolver,
  announces: [oauthApp],
  migrations: [oauthAppTable, oauthAppTotals],
}
