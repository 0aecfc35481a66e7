import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from './column.ts'
import { Json } from './scalars.ts'

const BulkItemStatus = enumeration('BulkItemStatus', ['UPDATED', 'DELETED', 'FAILED'])
export type BulkItemStatus = keyof typeof BulkItemStatus

@ObjectType({ description: 'The result of one item of a bulk request.' })
@Directive('@shareable')
export class BulkItemResult {
  @Field(() => Int, { description: 'Position of the item in the request, counted from 0.' })
  index!: number

  @Field(() => ID)
  id!: string

  @Field(() => BulkItemStatus)
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
  @Field(() => Int)
  requested!: number

  @Field(() => Int)
  succeeded!: number

  @Field(() => Int)
  failed!: number

  @Field(() => [BulkItemResult])
  results!: BulkItemResult[]
}
