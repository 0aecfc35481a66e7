import { Args, Ctx, Info, Query, Resolver } from 'type-graphql'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { marketplaceView } from './app.migrations.ts'
import { slugMax } from './bounds.ts'
import { readMarketplace, readMarketplaceApp } from './marketplace.ts'
import { MarketplaceApp, MarketplaceAppListArgs, MarketplaceAppPage } from './marketplace.types.ts'

@Resolver(() => MarketplaceApp)
export class MarketplaceResolver {
  @Query(() => MarketplaceAppPage, {
    description:
      'The apps that the organization can install, newest first: those in the marketplace, and its own ones.',
  })
  @RequiresScopes('SESSION')
  marketplaceAppList(
    @Args(() => MarketplaceAppListArgs) args: MarketplaceAppListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return readMarketplace(ctx, args, info)
  }

  @Query(() => MarketplaceApp, {
    nullable: true,
    description: 'One app that the organization can install, with what its latest version brings.',
  })
  @RequiresScopes('SESSION')
  marketplaceApp(
    @ValueArg('slug', () => String, {
      max: slugMax,
      filled: true,
      description: 'Name of the app in addresses.',
      example: 'site-maps',
    })
    slug: string,
    @Ctx() ctx: RequestContext,
  ) {
    return readMarketplaceApp(ctx, slug)
  }
}

export const marketplaceResource: Resource = {
  resolver: MarketplaceResolver,
  migrations: [marketplaceView],
  operations: [
    operation('GET /v1/marketplace', 'marketplaceAppList', {
      summary: 'List the apps of the marketplace',
      answers: 'The apps, newest first, without what they consist of.',
    }),
    operation('GET /v1/marketplace/{slug}', 'marketplaceApp', {
      summary: 'Get an app of the marketplace',
      answers: 'The app with what its latest version brings.',
    }),
  ],
}
