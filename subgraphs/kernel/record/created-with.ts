import { field, type Class } from './declared-class.ts'
import { createInputOf, type RecordInput } from './inputs.ts'

/** Records of another type that are created with a record, as a list of their values. */
export interface CreatedWith {
  /** The property of the input with the list. */
  readonly property: string
  readonly entity: abstract new () => object
  /** The name of the input type of one of them. */
  readonly input: string
  /** Their columns that follow from the record. */
  readonly omitted: readonly string[]
  readonly itemsMax: number
  readonly description: string
}

/** The GraphQL input type for creating a record, together with records of another type. */
export function createInputWith<T>(
  name: string,
  entity: abstract new () => T,
  { property, entity: other, input, omitted, itemsMax, description }: CreatedWith,
): Class<RecordInput<T>> {
  const created = createInputOf(name, entity)
  const item = createInputOf(input, other, omitted)
  field(created, property, () => [item], { nullable: true, description: `${description} At most ${itemsMax} items.` })
  return created
}
