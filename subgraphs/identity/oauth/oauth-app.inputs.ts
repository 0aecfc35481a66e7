import { Field, InputType } from 'type-graphql'
import { filterOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { RateLimitInput } from '../api-key/api-key.inputs.ts'
import { OAuthApp, OAuthAppType } from './oauth-app.ts'

@InputType({ description: 'An OAuth app to register.' })
export class OAuthAppCreateInput {
  @Field(() => String, { description: 'Name of the app, 1 to 100 characters, not only white space.' })
  name!: string

  @Field(() => String, { nullable: true, description: 'What the app does, at most 1000 characters; null clears it.' })
  description?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Home page of the app (https), at most 2000 characters; null clears it.',
  })
  homepageUrl?: string | null

  @Field(() => String, { nullable: true, description: 'Version of the app, 1 to 50 characters; 1.0.0 when absent.' })
  appVersion?: string | null

  @Field(() => OAuthAppType, {
    nullable: true,
    description:
      'CONFIDENTIAL: gets a client secret. PUBLIC: runs on the device of its user and gets none. Cannot be changed later.',
  })
  type?: keyof typeof OAuthAppType | null

  @Field(() => [String], {
    nullable: true,
    description: 'Redirect URIs, at most 20 of at most 2000 characters. A PUBLIC app needs at least one.',
  })
  redirectUris?: string[] | null

  @Field(() => [String], { description: 'Scopes that the app can be granted, 1 to 100.' })
  scopes!: string[]

  @Field(() => RateLimitInput, { nullable: true, description: 'Default 5000 per hour.' })
  rateLimit?: RateLimitInput | null
}

@InputType({ description: 'Changes of an OAuth app; absent fields are not changed.' })
export class OAuthAppUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name of the app, 1 to 100 characters, not only white space.' })
  name?: string | null

  @Field(() => String, { nullable: true, description: 'What the app does, at most 1000 characters; null clears it.' })
  description?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Home page of the app (https), at most 2000 characters; null clears it.',
  })
  homepageUrl?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Version of the app, 1 to 50 characters; 1.0.0 when absent on create.',
  })
  appVersion?: string | null

  @Field(() => [String], {
    nullable: true,
    description: 'Redirect URIs, at most 20 of at most 2000 characters. A PUBLIC app needs at least one.',
  })
  redirectUris?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: 'Scopes that the app can be granted, 1 to 100.',
  })
  scopes?: string[] | null

  @Field(() => RateLimitInput, {
    nullable: true,
    description: 'Rate limit of the app, the number of requests per window. Counted per organization.',
  })
  rateLimit?: RateLimitInput | null
}

export const OAuthAppFilter = filterOf('OAuthAppFilter', OAuthApp)
export const OAuthAppOrder = orderOf('OAuthAppOrder', OAuthApp)
export const OAuthAppPage = pageRequiring('OAuthAppPage', OAuthApp, 'SESSION')
