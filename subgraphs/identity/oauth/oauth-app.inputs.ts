import { Field, InputType } from 'type-graphql'
import { filterOf, orderOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { RateLimitInput } from '../api-key/api-key.inputs.ts'
import { OAuthApp, OAuthAppType } from './oauth-app.ts'

@InputType()
export class OAuthAppCreateInput {
  @Field(() => String)
  name!: string

  @Field(() => String, { nullable: true })
  description?: string | null

  @Field(() => String, { nullable: true })
  homepageUrl?: string | null

  @Field(() => String, { nullable: true, description: 'Default 1.0.0.' })
  appVersion?: string | null

  @Field(() => OAuthAppType, { nullable: true, description: 'Default CONFIDENTIAL. It cannot be changed later.' })
  type?: keyof typeof OAuthAppType | null

  @Field(() => [String], {
    nullable: true,
    description: 'Redirect URIs; an app without any can use only client credentials.',
  })
  redirectUris?: string[] | null

  @Field(() => [String])
  scopes!: string[]

  @Field(() => RateLimitInput, { nullable: true, description: 'Default 5000 per hour.' })
  rateLimit?: RateLimitInput | null
}

@InputType()
export class OAuthAppUpdateInput {
  @Field(() => String, { nullable: true })
  name?: string | null

  @Field(() => String, { nullable: true })
  description?: string | null

  @Field(() => String, { nullable: true })
  homepageUrl?: string | null

  @Field(() => String, { nullable: true })
  appVersion?: string | null

  @Field(() => [String], { nullable: true })
  redirectUris?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Replaces the scopes. Existing tokens lose removed scopes at once.',
  })
  scopes?: string[] | null

  @Field(() => RateLimitInput, { nullable: true })
  rateLimit?: RateLimitInput | null
}

export const OAuthAppFilter = filterOf('OAuthAppFilter', OAuthApp)
export const OAuthAppOrder = orderOf('OAuthAppOrder', OAuthApp)
export const OAuthAppPage = pageRequiring('OAuthAppPage', OAuthApp, 'SESSION')
