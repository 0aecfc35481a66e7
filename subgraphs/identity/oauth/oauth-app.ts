import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, ID, Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { RateLimit } from '../api-key/api-key.ts'

export const OAuthAppType = enumeration('OAuthAppType', 'Whether an app can keep a secret.', {
  CONFIDENTIAL: 'Runs on a server and has a client secret.',
  PUBLIC: 'Runs on the device of its user and has no secret.',
})

@ObjectType({
  description: 'An application that acts for users who gave consent (OAuth 2.0). Its id is its client_id.',
})
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'oauth_app' })
export class OAuthApp {
  @Column(() => ID, { description: 'Id of the app; equals its `client_id`.' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization that registered the app.' })
  organizationId!: string

  @Column(() => ID, {
    description: 'Id of the user who registered the app. With client credentials the app acts as this user.',
  })
  ownerId!: string

  @Column(() => String, { max: 100, filled: true, description: 'Name of the app.' })
  name!: string

  @Column(() => String, { max: 1000, nullable: true, description: 'What the app does; null if not given.' })
  description!: string | null

  @Column(() => String, { max: 2000, nullable: true, description: 'Home page of the app (https); null if not given.' })
  homepageUrl!: string | null

  @Column(() => String, {
    max: 50,
    filled: true,
    description: 'Version of the app, as its developer states it; shown in its installations.',
  })
  appVersion!: string

  @Column(() => OAuthAppType, {
    max: 20,
    description: 'CONFIDENTIAL: has a client secret. PUBLIC: runs on the device of its user and has no secret.',
  })
  type!: keyof typeof OAuthAppType

  @Column(() => [String], {
    max: 2000,
    maxItems: 20,
    description: 'Redirect URIs to which authorization codes may be sent.',
  })
  redirectUris!: string[]

  @Column(() => [String], { max: 100, description: 'Scopes that the app can be granted.' })
  scopes!: string[]

  @Column(() => Json, { shape: () => RateLimit, description: 'Rate limit, counted separately in each organization.' })
  rateLimit!: RateLimit

  /** SHA-256 of the secret, in hexadecimal. */
  @Column(() => String, { internal: true, nullable: true })
  secretHash!: string | null

  @Column(() => String, {
    max: 20,
    nullable: true,
    description: 'First characters of the client secret; null for a PUBLIC app.',
  })
  secretPrefix!: string | null

  @Column(() => Int, { description: 'Version of the record, incremented by every change; sent as ETag in REST.' })
  version!: number

  @Column(() => DateTime, { description: 'When the app was registered.' })
  createdAt!: string

  @Column(() => DateTime, { description: 'When the app was last changed.' })
  updatedAt!: string

  @Column(() => DateTime, { nullable: true, internal: true })
  deletedAt!: string | null

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'The client secret; only in the answer that creates it, otherwise null. Never stored.',
  })
  clientSecret?: string | null
}
