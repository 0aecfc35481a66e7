import { Arg, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql'
import { isId } from '../../kernel/ids.ts'
import { notFound } from '../../kernel/errors.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { logoTable, publicLogo } from './logo.ts'

@ObjectType({ description: 'The logo of an organization, as its public pages and mails show it.' })
@RequiresScopes('PUBLIC')
export class PublicLogo {
  @Field(() => String, { description: 'Media type: `image/png` or `image/jpeg`.' })
  mediaType!: string

  @Field(() => String, { description: 'The bytes of the image in Base64.' })
  content!: string
}

/** What the address of a logo answers; see `gateway/public-logos`. */
@Resolver()
export class PublicLogoResolver {
  @Query(() => PublicLogo, { description: 'Returns the logo with an id, of an organization that is not suspended.' })
  @RequiresScopes('PUBLIC')
  async publicLogo(
    @Arg('id', () => ID, { description: 'The id in the address of the image, a UUID.' }) id: string,
    @Ctx() ctx: RequestContext,
  ): Promise<PublicLogo> {
    const found = isId(id) ? await publicLogo(ctx, id) : null
    if (!found) throw notFound('The logo')
    return { mediaType: found.mediaType, content: found.content.toString('base64') }
  }
}

export const publicLogoResource: Resource = {
  resolver: PublicLogoResolver,
  migrations: [logoTable],
  // Who asks belongs to no organization.
  crossTenantFields: ['publicLogo'],
}
