import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'

@ObjectType({ description: 'An app that users of the organization allowed to act for them.' })
@RequiresScopes('SESSION')
export class ConnectedApp {
  @Field(() => ID, { simple: true })
  id!: string

  @Field(() => ID, { simple: true })
  appId!: string

  @Field(() => String, { simple: true })
  name!: string

  @Field(() => String, { nullable: true, simple: true })
  description!: string | null

  @Field(() => String, { nullable: true, simple: true })
  homepageUrl!: string | null

  @Field(() => String, { simple: true, description: "The app's own version." })
  appVersion!: string

  @Field(() => [String], { simple: true, description: 'What it was granted by those whose consents the caller sees.' })
  scopes!: string[]

  @Field(() => Int, { simple: true, description: 'Live consents that the caller sees.' })
  consents!: number

  @Field(() => Json, { simple: true, description: 'Read by the app; set by owners and admins.' })
  settings!: object

  @Field(() => DateTime, { simple: true })
  createdAt!: string

  @Field(() => DateTime, { simple: true })
  updatedAt!: string
}

export const ConnectedAppPage = pageRequiring('ConnectedAppPage', ConnectedApp, 'SESSION')

@ArgsType()
export class ConnectedAppPageArgs {
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
