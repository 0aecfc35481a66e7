import { Field, ID, Int, ObjectType } from 'type-graphql'
import { DateTime } from '../../kernel/record/scalars.ts'

@ObjectType({ description: 'An event that the organization published.' })
export class PublishedEvent {
  @Field(() => ID, {
    simple: true,
    description: 'Id of the event, beginning with `evt_`, as receivers get it.',
  })
  id!: string

  @Field(() => String, { simple: true, description: 'Type of the event: `custom.<apiName>`.' })
  type!: string

  @Field(() => Int, { simple: true, description: 'Version of the schema by which the payload was checked.' })
  version!: number

  @Field(() => DateTime, { simple: true, description: 'When the event was published.' })
  occurredAt!: string
}
