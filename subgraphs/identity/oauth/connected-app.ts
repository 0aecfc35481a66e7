import { Entity } from '@mikro-orm/decorators/legacy'
import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { Column, columnsOf } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { orderOf, pageRequiring } from '../../kernel/record/inputs.ts'
import type { OrderInput } from '../../kernel/record/order.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'

@ObjectType({ description: 'An app that users of the organization allowed to act for them.' })
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'oauth_installation' })
export class ConnectedApp {
  @Column(() => ID)
  id!: string

  @Column(() => ID)
  organizationId!: string

  @Column(() => ID)
  appId!: string

  @Column(() => String)
  name!: string

  @Column(() => String, { nullable: true })
  description!: string | null

  @Column(() => String, { nullable: true })
  homepageUrl!: string | null

  @Column(() => String, { description: "The app's own version." })
  appVersion!: string

  @Column(() => [String], { description: 'What it was granted by those whose consents the caller sees.' })
  scopes!: string[]

  @Column(() => Int, { description: 'Live consents that the caller sees.' })
  consents!: number

  @Column(() => Json, { description: 'Read by the app; set by owners and admins.' })
  settings!: object

  @Column(() => DateTime)
  createdAt!: string

  @Column(() => DateTime)
  updatedAt!: string
}

/** How connected apps are read and ordered; where their rows come from depends on who asks, and when. */
export const connectedApp: RecordShape = {
  entity: ConnectedApp,
  columns: new Columns(columnsOf(ConnectedApp)),
  object: 'connected_app',
  table: 'identity.oauth_installation',
  visibleBy: [],
  searchable: [],
}

export const ConnectedAppOrder = orderOf('ConnectedAppOrder', ConnectedApp)
export const ConnectedAppPage = pageRequiring('ConnectedAppPage', ConnectedApp, 'SESSION')

@ArgsType()
export class ConnectedAppPageArgs {
  @Field(() => [ConnectedAppOrder], { nullable: true, description: 'Newest first when absent.' })
  orderBy?: OrderInput[] | null

  @Field(() => Int, { defaultValue: 1 })
  page!: number

  @Field(() => Int, { defaultValue: 20, description: '1 to 100.' })
  limit!: number

  @Field(() => String, { nullable: true, description: '`nextCursor` of the page before; stands instead of `page`.' })
  cursor?: string | null
}

@InputType()
export class ConnectedAppUpdateInput {
  @Field(() => Json, { description: 'Replaces the stored object as a whole.' })
  settings!: object
}

@ObjectType({ description: 'The calling app in the organization that it acts in.' })
@RequiresScopes('*', 'APP')
export class AppInstallation {
  @Field(() => ID, { simple: true })
  id!: string

  @Field(() => ID, { simple: true })
  appId!: string

  @Field(() => ID, { simple: true })
  organizationId!: string

  @Field(() => String, { simple: true })
  name!: string

  @Field(() => String, { simple: true, description: "The app's own version." })
  version!: string

  @Field(() => [String], { simple: true, description: 'What the token in use was granted.' })
  scopes!: string[]

  @Field(() => Json, { simple: true })
  settings!: object

  @Field(() => DateTime, { simple: true })
  createdAt!: string
}
