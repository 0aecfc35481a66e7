import { Entity } from '@mikro-orm/decorators/legacy'
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import type { OrderInput } from '../../kernel/record/order.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'

@ObjectType({ description: 'An app that users of the organization gave consent to.' })
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'oauth_installation' })
export class ConnectedApp {
  @Column(() => ID, { description: 'Id of the app in this organization (the installation).' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.' })
  organizationId!: string

  @Column(() => ID, { description: 'Id of the app; equals its `client_id`.' })
  appId!: string

  @Column(() => String, { description: 'Name of the app.' })
  name!: string

  @Column(() => String, {
    nullable: true,
    description: 'What the app does, in the words of its developer; null if not given.',
  })
  description!: string | null

  @Column(() => String, { nullable: true, description: 'Home page of the app (https); null if not given.' })
  homepageUrl!: string | null

  @Column(() => String, { description: 'Version of the app, as its developer states it.' })
  appVersion!: string

  @Column(() => Boolean, {
    description: 'Whether the app registered itself, so that nobody has checked its name.',
  })
  isSelfRegistered!: boolean

  @Column(() => [String], { description: 'Scopes granted by the consents that the caller sees, without duplicates.' })
  scopes!: string[]

  @Column(() => Int, { description: 'Number of valid consents that the caller sees.' })
  consents!: number

  @Column(() => Json, { description: 'Settings that owners and admins stored for the app; the app can read them.' })
  settings!: object

  @Column(() => DateTime, { description: 'When the app was first connected to the organization.' })
  createdAt!: string

  @Column(() => DateTime, { description: 'When the connected app was last changed.' })
  updatedAt!: string
}

/** The columns and order of connected apps. The actions build the query of their rows, which depends on the caller and the time. */
export const connectedApp: RecordShape = {
  entity: ConnectedApp,
  columns: Columns.of(ConnectedApp),
  object: 'connected_app',
  table: 'identity.oauth_installation',
  visibleBy: [],
  searchable: [],
}

export const ConnectedAppOrder = orderOf('ConnectedAppOrder', ConnectedApp)
export const ConnectedAppPage = pageRequiring('ConnectedAppPage', ConnectedApp, 'SESSION')

@ArgsType()
export class ConnectedAppPageArgs {
  @Field(() => [ConnectedAppOrder], { nullable: true, description: 'Sort order; newest first by default.' })
  orderBy?: OrderInput[] | null

  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, from 1. Ignored when `cursor` is given.' })
  page!: number

  @Field(() => Int, { defaultValue: 20, description: 'Records per page, 1 to 100.' })
  limit!: number

  @Field(() => String, { nullable: true, description: '`nextCursor` of the previous page; replaces `page`.' })
  cursor?: string | null
}

@InputType({ description: 'Changes of a connected app.' })
export class ConnectedAppUpdateInput {
  @Field(() => Json, {
    description: 'Settings of the app; a JSON object of at most 65536 characters. Replaces the whole stored object.',
  })
  settings!: object
}

@ObjectType({ description: 'The calling app in the organization of its token.' })
@RequiresScopes('*', 'APP')
export class AppInstallation {
  @Field(() => ID, { simple: true, description: 'Id of the installation.' })
  id!: string

  @Field(() => ID, { simple: true, description: 'Id of the app; equals its `client_id`.' })
  appId!: string

  @Field(() => ID, { simple: true, description: 'Id of the organization in which the token acts.' })
  organizationId!: string

  @Field(() => String, { simple: true, description: 'Name of the app.' })
  name!: string

  @Field(() => String, { simple: true, description: 'Version of the app, as its developer states it.' })
  version!: string

  @Field(() => [String], { simple: true, description: 'Scopes granted to the token, sorted by name.' })
  scopes!: string[]

  @Field(() => Json, {
    simple: true,
    description:
      'Settings that owners and admins of the organization stored for the app; a JSON object of at most 65536 characters.',
  })
  settings!: object

  @Field(() => DateTime, { simple: true, description: 'When the app was installed in the organization.' })
  createdAt!: string
}
