import { Directive, Field, ID, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

export const RecordObject = enumeration(
  'RecordObject',
  ['ACCOUNT', 'CASE', 'PRODUCT'],
  'The record types whose changes can be subscribed to.',
)
export type RecordObject = keyof typeof RecordObject

/** By record type: its name in events, which is also the field of `RecordChange` that holds the record, and the scope to read it. */
export const followed = {
  ACCOUNT: { object: 'account', scope: 'READ_ACCOUNTS' },
  CASE: { object: 'case', scope: 'READ_CASES' },
  PRODUCT: { object: 'product', scope: 'READ_PRODUCTS' },
} as const satisfies Record<RecordObject, { readonly object: string; readonly scope: string }>

/** References to records of other subgraphs, which resolve their fields. */
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
  `The ${kind} at the time of delivery, with the fields that the caller may read. Null if it is deleted, and for other record types.`

@ObjectType({ description: 'One event of one record.' })
export class RecordChange {
  @Field(() => ID, { description: 'Id of the event.' })
  id!: string

  @Field(() => String, { description: 'Type of the event, such as `account.updated`.' })
  type!: string

  @Field(() => String, {
    description:
      'Position of the event in the event log of the organization. Send the last received cursor as `after` to continue after it.',
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
