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

  @Field(() => String, { nullable: true, description: '1.0.0 when absent.' })
  appVersion?: string | null

  @Field(() => OAuthAppType, { nullable: true, description: 'CONFIDENTIAL when absent. It cannot be changed later.' })
  type?: keyof typeof OAuthAppType | null

  @Field(() => [String], { nullable: true, description: 'None: the app uses client credentials only.' })
  redirectUris?: string[] | null

  @Field(() => [String])
  scopes!: string[]

  @Field(() => RateLimitInput, { nullable: true, description: '5000 in an hour when absent.' })
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

  @Field(() => [String], { nullable: true, description: 'Tokens lose at once what is taken away here.' })
  scopes?: string[] | null

  @Field(() => RateLimitInput, { nullable: true })
  rateLimit?: RateLimitInput | null
}

export const OAuthAppFilter = filterOf('OAuthAppFilter', OAuthApp)
export const OAuthAppOrder = orderOf('OAuthAppOrder', OAuthApp)
export const OAuthAppPage = pageRequiring('OAuthAppPage', OAuthApp, 'SESSION')
