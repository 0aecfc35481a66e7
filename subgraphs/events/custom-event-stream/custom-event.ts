import { Field, ID, Int, ObjectType } from 'type-graphql'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'

@ObjectType({ description: 'A custom event that was published in the organization.' })
export class CustomEvent {
  @Field(() => ID, { description: 'Id of the event, `evt_...`, as in webhooks.' })
  id!: string

  @Field(() => String, { description: 'Type of the event: `custom.<apiName>`.' })
  type!: string

  @Field(() => Int, { description: 'Version of the schema that the payload was validated against.' })
  version!: number

  @Field(() => String, {
    description:
      'Position of the event in the event log of the organization. Send the last received cursor as `after` to continue after it.',
  })
  cursor!: string

  @Field(() => DateTime, { description: 'When the event was published.' })
  occurredAt!: string

  @NamesRecord('user')
  @Field(() => ID, { nullable: true, description: 'Id of the user who published it; null for the platform itself.' })
  actorId!: string | null

  @Field(() => Json, { description: 'The published payload.' })
  data!: unknown
}
