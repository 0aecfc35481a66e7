import { Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from './column.ts'
import { Json } from './scalars.ts'

const BulkItemStatus = enumeration('BulkItemStatus', ['UPDATED', 'DELETED', 'FAILED'])
export type BulkItemStatus = keyof typeof BulkItemStatus

@ObjectType({ description: 'What became of one item of a bulk request.' })
@Directive('@shareable')
export class BulkItemResult {
  @Field(() => Int, { description: 'Position in the request, from 0.' })
  index!: number

  @Field(() => ID)
  id!: string

  @Field(() => BulkItemStatus)
  status!: BulkItemStatus

  @Field(() => String, { nullable: true, description: 'Error code of a failed item.' })
  code!: string | null

  @Field(() => String, { nullable: true })
  message!: string | null

  @Field(() => Json, { nullable: true, description: 'The inputs that were refused: path, code and message of each.' })
  errors!: unknown
}

@ObjectType({ description: 'Each item succeeds or fails for itself; results stand in the order of the request.' })
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
