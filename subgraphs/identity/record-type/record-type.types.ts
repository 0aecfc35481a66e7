import { Float, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { memberScope } from '../../kernel/scopes.ts'

export const FieldKind = enumeration('FieldKind', 'What the values of a field are.', {
  ID: 'The id of a record or a user.',
  TEXT: 'Text of characters.',
  INTEGER: 'A whole number.',
  NUMBER: 'An exact decimal number.',
  MONEY: 'An exact decimal amount; another field of the record names its currency.',
  BOOLEAN: 'True or false.',
  TIMESTAMP: 'A moment, as ISO 8601 with a time zone.',
  DATE: 'A day, `YYYY-MM-DD`.',
  ENUM: 'One of `values`.',
  TEXT_LIST: 'A list of texts, of `values` if they are given.',
  JSON: 'An object, or a list of objects.',
})

export const OperationRule = enumeration('OperationRule', 'The rule that refuses an operation to the caller.', {
  CREDENTIAL: 'It is for signed-in users: no key and no app can call it.',
  SCOPE: 'The credential has not all of its `scopes`.',
  ROLE: 'The user has none of its `roles`, or is READ_ONLY and it changes something.',
  ENTITLEMENT: 'The plan of the organization does not include the feature.',
  PROFILE: 'The profile of the user hides what the records consist of, such as `payments` of invoices.',
})
export type OperationRule = keyof typeof OperationRule

@ObjectType({ description: 'A field of a record type, and what the caller may do with it.' })
@RequiresScopes(memberScope)
export class FieldDescription {
  @OutputField(() => String, { description: 'Name in GraphQL, REST and events.', example: 'stage' })
  name!: string

  @OutputField(() => FieldKind, { description: 'What its values are.', example: 'TEXT' })
  kind!: keyof typeof FieldKind

  @OutputField(() => String, { description: 'What it means, with its unit.', example: 'Stage in the pipeline.' })
  description!: string

  @OutputField(() => String, {
    list: true,
    nullable: true,
    description: 'The possible values; null if they are not listed.',
    example: null,
  })
  values!: readonly string[] | null

  @OutputField(() => String, {
    nullable: true,
    description:
      'The record type that the id or the ids name, `user` for users; null if the field names no record, or one of several types.',
    example: null,
  })
  references!: string | null

  @OutputField(() => Boolean, { description: 'Whether a new record must have a value.', example: false })
  isRequired!: boolean

  @OutputField(() => Boolean, { description: 'Whether it can be null.', example: false })
  isNullable!: boolean

  @OutputField(() => Int, {
    nullable: true,
    description: 'Maximum number of characters of a text; null without a maximum.',
    example: 255,
  })
  maxLength!: number | null

  @OutputField(() => Float, { nullable: true, description: 'Smallest number; null without a minimum.', example: null })
  minimum!: number | null

  @OutputField(() => Float, { nullable: true, description: 'Largest number; null without a maximum.', example: null })
  maximum!: number | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Maximum number of decimals; null without a maximum.',
    example: null,
  })
  decimals!: number | null

  @OutputField(() => Boolean, {
    description: 'Whether the caller may read it. Hidden fields are returned as null or empty.',
    example: true,
  })
  isReadable!: boolean

  @OutputField(() => Boolean, { description: 'Whether the caller may set it in a new record.', example: true })
  isCreatable!: boolean

  @OutputField(() => Boolean, { description: 'Whether the caller may change it.', example: true })
  isUpdatable!: boolean

  @OutputField(() => Boolean, { description: 'Whether lists can be sorted by it.', example: true })
  isSortable!: boolean
}

@ObjectType({ description: 'An operation on a record type, and whether the caller may call it.' })
@RequiresScopes(memberScope)
export class OperationDescription {
  @OutputField(() => String, {
    description: 'Its `operationId` in REST, usually also the name of the field of GraphQL.',
    example: 'opportunityUpdate',
  })
  name!: string

  @OutputField(() => String, { description: 'What it does, in a few words.', example: 'Update an opportunity' })
  summary!: string

  @OutputField(() => String, { description: 'Its method in REST.', example: 'PATCH' })
  method!: string

  @OutputField(() => String, { description: 'Its path in REST.', example: '/v1/opportunities/{id}' })
  path!: string

  @OutputField(() => String, {
    list: true,
    description: 'Scopes of which a key or app needs each one; empty if it is for signed-in users or needs no scope.',
    example: ['WRITE_OPPORTUNITIES'],
  })
  scopes!: readonly string[]

  @OutputField(() => String, {
    list: true,
    nullable: true,
    description: 'The only roles of users who may call it; null: every role, but READ_ONLY changes nothing.',
    example: null,
  })
  roles!: readonly string[] | null

  @OutputField(() => Boolean, {
    description:
      'Whether the caller may call it. A record can still refuse it because of its state, or be out of sight.',
    example: true,
  })
  isAllowed!: boolean

  @OutputField(() => OperationRule, {
    nullable: true,
    description: 'The rule that refuses it; null if it is allowed.',
    example: null,
  })
  refusedBy!: OperationRule | null
}

@ObjectType({ description: 'A record type and what the caller may do with its records.' })
@RequiresScopes(memberScope)
export class RecordTypeSummary {
  @OutputField(() => String, { description: 'Name of the record type, as in event types.', example: 'opportunity' })
  object!: string

  @OutputField(() => String, { description: 'Name of its type in GraphQL.', example: 'Opportunity' })
  type!: string

  @OutputField(() => Boolean, { description: 'Whether the caller may read records of this type.', example: true })
  isReadable!: boolean

  @OutputField(() => Boolean, { description: 'Whether the caller may create one.', example: true })
  isCreatable!: boolean

  @OutputField(() => Boolean, { description: 'Whether the caller may change those that it sees.', example: true })
  isUpdatable!: boolean

  @OutputField(() => Boolean, { description: 'Whether the caller may delete those that it sees.', example: true })
  isDeletable!: boolean
}

@ObjectType({ description: 'A record type with its fields and operations, and what the caller may do with them.' })
@RequiresScopes(memberScope)
export class RecordTypeDescription extends RecordTypeSummary {
  @OutputField(() => FieldDescription, { list: true, description: 'Its fields, in the order of the type.' })
  fields!: readonly FieldDescription[]

  @OutputField(() => OperationDescription, { list: true, description: 'Its operations, by name.' })
  operations!: readonly OperationDescription[]
}
