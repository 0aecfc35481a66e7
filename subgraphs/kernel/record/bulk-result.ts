import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from './column.ts'
import { Json } from './scalars.ts'

const BulkItemStatus = enumeration('BulkItemStatus', 'What happened to one item of a bulk request.', {
  UPDATED: 'The record was changed.',
  DELETED: 'The record was deleted.',
  FAILED: 'Nothing was changed; `code`, `message` and `errors` say why.',
})
export type BulkItemStatus = keyof typeof BulkItemStatus

@ObjectType({ description: 'The result of one item of a bulk request.' })
@Directive('@shareable')
export class BulkItemResult {
  @Field(() => Int, { description: 'Position of the item in the request, counted from 0.' })
  index!: number

  @Field(() => ID, { description: 'Id of the record, as in the request.' })
  id!: string

  @Field(() => BulkItemStatus, { description: 'What happened to the item.' })
  status!: BulkItemStatus

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
  description: 'The results of a bulk request, in the order of its items. Each item succeeds or fails independently.',
})
@Directive('@shareable')
export class BulkResult {
  @Field(() => Int, { description: 'Number of items in the request.' })
  requested!: number

  @Field(() => Int, { description: 'Number of items that were changed or deleted.' })
  succeeded!: number

  @Field(() => Int, { description: 'Number of items that were not changed.' })
  failed!: number

  @Field(() => [BulkItemResult], { description: 'One result per item, in the order of the request.' })
  results!: BulkItemResult[]
}
