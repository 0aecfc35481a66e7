import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../column.ts'
import { Json } from '../scalars.ts'

const BulkUpsertStatus = enumeration('BulkUpsertStatus', 'What happened to one item of a bulk upsert.', {
  CREATED: 'There was no record with its key, so one was created.',
  UPDATED: 'The record with its key was changed, or is as the item asks.',
  FAILED: 'Nothing was changed; `code`, `message` and `errors` say why.',
})
export type BulkUpsertStatus = keyof typeof BulkUpsertStatus

@ObjectType({ description: 'The result of one item of a bulk upsert.' })
@Directive('@shareable')
export class BulkUpsertItemResult {
  @Field(() => Int, { description: 'Position of the item in the request, counted from 0.' })
  index!: number

  @Field(() => String, {
    nullable: true,
    description: 'Value of the key of the item, without white space around it; null if it has none.',
  })
  key!: string | null

  @Field(() => ID, { nullable: true, description: 'Id of the created or changed record; null if the item failed.' })
  id!: string | null

  @Field(() => BulkUpsertStatus, { description: 'What happened to the item.' })
  status!: BulkUpsertStatus

  @Field(() => String, { nullable: true, description: 'Error code of a failed item; null for a successful one.' })
  code!: string | null

  @Field(() => String, { nullable: true, description: 'Error message of a failed item; null for a successful one.' })
  message!: string | null

  @Field(() => Json, {
    nullable: true,
    description: 'Invalid inputs of a failed item, each with path, code and message; null when there are none.',
  })
  errors!: unknown
}

@ObjectType({
  description: 'The results of a bulk upsert, in the order of its items. Each item succeeds or fails independently.',
})
@Directive('@shareable')
export class BulkUpsertResult {
  @Field(() => Int, { description: 'Number of items in the request.' })
  requested!: number

  @Field(() => Int, { description: 'Number of items whose record was created or changed.' })
  succeeded!: number

  @Field(() => Int, { description: 'Number of items whose record was created.' })
  created!: number

  @Field(() => Int, { description: 'Number of items that changed nothing.' })
  failed!: number

  @Field(() => [BulkUpsertItemResult], { description: 'One result per item, in the order of the request.' })
  results!: BulkUpsertItemResult[]
}
