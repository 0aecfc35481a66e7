import { Ctx, Query, Resolver } from 'type-graphql'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { readViewer } from './viewer.ts'
import { Viewer } from './viewer.types.ts'

@Resolver()
export class ViewerResolver {
  @Query(() => Viewer, {
    description:
      'Who the caller is and what it has: user, organization, credential, scopes, profile, limits, the exchange rates of today, and where the event log ends. Every credential may ask.',
  })
  @RequiresScopes(memberScope)
  viewer(@Ctx() ctx: RequestContext<'events'>) {
    return readViewer(ctx)
  }
}

export const viewerResource: Resource = {
  resolver: ViewerResolver,
  operations: [
    operation('GET /v1/whoami', 'viewer', {
      id: 'whoami',
      summary: 'Ask who you are',
      answers:
        'The caller: user, organization, credential, scopes, profile, limits, rates and the cursor of the latest event.',
    }),
  ],
}
