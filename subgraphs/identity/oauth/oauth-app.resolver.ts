import { Arg, Args, Ctx, ID, Info, Int, Mutation, Query, Resolver } from 'type-graphql'
import { pageArgs } from '../../kernel/record/list-args.ts'
import type { Asked } from '../../kernel/record/selection.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'
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
import { OAuthApp, oauthApp } from './oauth-app.ts'
import { oauthAppTable } from './oauth.migrations.ts'
import { sealedVisits } from './oauth-store.ts'

const OAuthAppPageArgs = pageArgs(OAuthAppFilter, OAuthAppOrder)
type OAuthAppPageArgs = InstanceType<typeof OAuthAppPageArgs>

@Resolver(() => OAuthApp)
export class OAuthAppResolver {
  @Query(() => OAuthApp, { nullable: true })
  @RequiresScopes('SESSION')
  oauthApp(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext) {
    return readOAuthApp(ctx, id)
  }

  @Query(() => OAuthAppPage, { description: "The user's own apps; for owners and admins those of the organization." })
  @RequiresScopes('SESSION')
  oauthAppList(@Args(() => OAuthAppPageArgs) args: OAuthAppPageArgs, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return readOAuthApps(ctx, args, info)
  }

  @Mutation(() => OAuthApp, { description: 'The client secret is in this answer and nowhere else.' })
  @RequiresScopes('SESSION')
  oauthAppCreate(@Arg('input', () => OAuthAppCreateInput) input: OAuthAppCreateInput, @Ctx() ctx: RequestContext) {
    return createOAuthApp(ctx, input)
  }

  @Mutation(() => OAuthApp, { description: "Only owners let another owner's app do more; admins may narrow it." })
  @RequiresScopes('SESSION')
  oauthAppUpdate(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => OAuthAppUpdateInput) input: OAuthAppUpdateInput,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return updateOAuthApp(ctx, id, input, expectedVersion)
  }

  @Mutation(() => OAuthApp, {
    description:
      "Makes a new client secret; the former one stops working. Only owners get that of another owner's app.",
  })
  @RequiresScopes('SESSION')
  oauthAppRotateSecret(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext) {
    return rotateClientSecret(ctx, id)
  }

  @Mutation(() => ID, {
    description: 'Its tokens stop working everywhere, and it leaves the lists of every organization that let it in.',
  })
  @RequiresScopes('SESSION')
  oauthAppDelete(
    @Arg('id', () => ID) id: string,
    @Arg('expectedVersion', () => Int, { nullable: true }) expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return deleteOAuthApp(ctx, id, expectedVersion)
  }
}

export const oauthAppResource: Resource = {
  sealed: [sealedVisits],
  resolver: OAuthAppResolver,
  announces: [oauthApp],
  migrations: [oauthAppTable],
}
