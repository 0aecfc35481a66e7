import { InputType, ObjectType } from 'type-graphql'
import { InputField, OutputField, type ValueOptions } from '../../../kernel/record/declared-value.ts'
import { SortOrder } from '../../../kernel/record/order-input.ts'
import { RequiresScopes } from '../../../kernel/record/requires-scope.ts'
import { Json } from '../../../kernel/record/scalars.ts'
import type { GraphQLTypeOf } from '../../../kernel/record/column.ts'
import { memberScope } from '../../../kernel/scopes.ts'

export interface ExportOrder {
  readonly field: string
  readonly direction: 'ASC' | 'DESC' | null
}

/** Which records an export has, and which of their fields. */
export interface ExportQuery {
  readonly filter: unknown
  readonly search: string | null
  readonly fields: readonly string[] | null
  readonly orderBy: readonly ExportOrder[] | null
}

export const fieldsMax = 1_000
export const orderMax = 5

type Declared = Readonly<Record<string, readonly [type: GraphQLTypeOf, options: ValueOptions]>>

const orderFields: Declared = {
  field: [
    String,
    { max: 200, filled: true, description: 'The field; `customFields.<name>` for a custom field.', example: 'name' },
  ],
  direction: [
    SortOrder,
    {
      nullable: true,
      description: 'Whether the smallest or the largest value comes first; null: DESC.',
      example: 'ASC',
    },
  ],
}

export class BulkOrder implements ExportOrder {
  field!: string
  direction!: 'ASC' | 'DESC' | null
}
export class BulkOrderInput {}

const queryFields: Declared = {
  filter: [
    Json,
    {
      nullable: true,
      description:
        'Conditions as the filter of the list of the record type in GraphQL has them: `{"name": {"startsWith": "H"}}`, also `and`, `or`, `not`, custom fields and related records. Null: all records.',
      example: { name: { startsWith: 'H' } },
    },
  ],
  search: [
    String,
    { nullable: true, max: 200, description: 'Text that records must contain, as in lists. Null: any.', example: null },
  ],
  fields: [
    String,
    {
      nullable: true,
      list: true,
      minItems: 1,
      maxItems: fieldsMax,
      max: 200,
      description:
        'The fields, in the order of the columns; `customFields.<name>` for a custom field. Null: all that the caller may read.',
      example: ['id', 'name', 'customFields.costCenter'],
    },
  ],
}

export class BulkQuery {}
export class BulkQueryInput {}

const orderOptions = {
  nullable: true,
  list: true,
  maxItems: orderMax,
  description: 'The order of the records. Null: the oldest first.',
} as const

function declare(
  output: { readonly prototype: object },
  input: { readonly prototype: object },
  fields: Declared,
): void {
  for (const [name, [type, options]] of Object.entries(fields)) {
    OutputField(() => type, options)(output.prototype, name)
    InputField(() => type, options)(input.prototype, name)
  }
}

const orderDescription = 'One field in the order of the records of an export.'
declare(BulkOrder, BulkOrderInput, orderFields)
ObjectType('BulkOrder', { description: orderDescription })(BulkOrder)
RequiresScopes(memberScope)(BulkOrder)
InputType('BulkOrderInput', { description: orderDescription })(BulkOrderInput)

const queryDescription = 'Which records an export has, and which of their fields.'
declare(BulkQuery, BulkQueryInput, queryFields)
OutputField(() => BulkOrder, orderOptions)(BulkQuery.prototype, 'orderBy')
InputField(() => BulkOrderInput, orderOptions)(BulkQueryInput.prototype, 'orderBy')
ObjectType('BulkQuery', { description: queryDescription })(BulkQuery)
RequiresScopes(memberScope)(BulkQuery)
InputType('BulkQueryInput', { description: queryDescription })(BulkQueryInput)
