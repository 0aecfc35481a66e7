import { Directive, Field, ID, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

export const RecordObject = enumeration(
  'RecordObject',
  ['ACCOUNT', 'CASE', 'PRODUCT'],
  'The kinds of records whose changes can be followed.',
)
export type RecordObject = keyof typeof RecordObject

/** The kind of a record in its events, which is also the field of `RecordChange` with the record, and the scope that reads it. */
export const followed = {
  ACCOUNT: { object: 'account', scope: 'READ_ACCOUNTS' },
  CASE: { object: 'case', scope: 'READ_CASES' },
  PRODUCT: { object: 'product', scope: 'READ_PRODUCTS' },
} as const satisfies Record<RecordObject, { readonly object: string; readonly scope: string }>

/** The records as their own subgraphs describe them; here they are known by their id alone. */
@ObjectType('Account')
@Directive('@key(fields: "id", resolvable: false)')
export class ChangedAccount {
  @Field(() => ID)
  id!: string
}

@ObjectType('Case')
@Directive('@key(fields: "id", resolvable: false)')
export class ChangedCase {
  @Field(() => ID)
  id!: string
}

@ObjectType('Product')
@Directive('@key(fields: "id", resolvable: false)')
export class ChangedProduct {
  @Field(() => ID)
  id!: string
}

const recordOf = (kind: string): string =>
  `The ${kind} as it is when this is told, with the fields that you may read. Null when it was deleted, and for records of other kinds.`

@ObjectType({ description: 'One event of one record.' })
export class RecordChange {
  @Field(() => ID, { description: 'Id of the event.' })
  id!: string

  @Field(() => String, { description: 'Type of the event, such as `account.updated`.' })
  type!: string

  @Field(() => String, {
    description:
      'Place of the event in the event log of the organization. Give the last one that you have seen as `after` to continue behind it.',
  })
  cursor!: string

  @Field(() => DateTime)
  occurredAt!: string

  @Field(() => ChangedAccount, { nullable: true, description: recordOf('account') })
  account?: ChangedAccount

  @Field(() => ChangedCase, { nullable: true, description: recordOf('case') })
  case?: ChangedCase

  @Field(() => ChangedProduct, { nullable: true, description: recordOf('product') })
  product?: ChangedProduct
}
