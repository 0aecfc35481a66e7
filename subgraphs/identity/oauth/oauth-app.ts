import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, ID, Int, ObjectType } from 'type-graphql'
import { Column, columnsOf, enumeration } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import type { RecordDefinition } from '../../kernel/record/definition.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'
import { RateLimit } from '../api-key/api-key.ts'
import { auditChange } from '../audit/audit.ts'
import { oauthAppEvents } from './oauth-app.events.ts'
import { mustBeSafe } from './oauth-app.rules.ts'

export const OAuthAppType = enumeration(
  'OAuthAppType',
  ['CONFIDENTIAL', 'PUBLIC'],
  'PUBLIC: a program on the device of its user, which can keep no secret.',
)

@ObjectType({ description: 'A program that acts for users who allowed it to (OAuth 2.0). Its id is its client_id.' })
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'oauth_app' })
export class OAuthApp {
  @Column(() => ID)
  id!: string

  @Column(() => ID)
  organizationId!: string

  @Column(() => ID, { description: 'Who registered it. With client credentials the app acts as this user.' })
  ownerId!: string

  @Column(() => String, { max: 100, filled: true })
  name!: string

  @Column(() => String, { max: 1000, nullable: true })
  description!: string | null

  @Column(() => String, { max: 2000, nullable: true })
  homepageUrl!: string | null

  @Column(() => String, { max: 50, filled: true, description: "The app's own version, as its installations show it." })
  appVersion!: string

  @Column(() => OAuthAppType, { max: 20 })
  type!: keyof typeof OAuthAppType

  @Column(() => [String], { max: 2000, maxItems: 20, description: 'https, or http to the loopback of a PUBLIC app.' })
  redirectUris!: string[]

  @Column(() => [String], { max: 100, description: 'The most that it can be granted.' })
  scopes!: string[]

  @Column(() => Json, { shape: () => RateLimit, description: 'Counted in each organization by itself.' })
  rateLimit!: RateLimit

  /** SHA-256 of the secret, in hexadecimal. */
  @Column(() => String, { internal: true, nullable: true })
  secretHash!: string | null

  @Column(() => String, { max: 20, nullable: true, description: 'How the secret begins, to recognize it by.' })
  secretPrefix!: string | null

  @Column(() => Int, { description: 'Counts the changes of the app; sent as ETag in REST.' })
  version!: number

  @Column(() => DateTime)
  createdAt!: string

  @Column(() => DateTime)
  updatedAt!: string

  @Column(() => DateTime, { nullable: true, internal: true })
  deletedAt!: string | null

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'Only in the answer that makes it; stored nowhere.',
  })
  clientSecret?: string | null
}

export const oauthApp: RecordDefinition<OAuthApp> = {
  entity: OAuthApp,
  columns: new Columns(columnsOf(OAuthApp)),
  object: 'oauth_app',
  table: 'identity.oauth_app',
  visibleBy: ['ownerId'],
  searchable: ['name'],
  events: oauthAppEvents,
  audit: auditChange('oauth_app', ({ previous, next }) => ({ before: previous, after: next })),
  invariants: mustBeSafe,
}
