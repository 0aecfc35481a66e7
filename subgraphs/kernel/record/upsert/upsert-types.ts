import { ObjectType } from 'type-graphql'
import { ValueArg } from '../declared-value.ts'
import { classNamed, field, type Class } from '../declared-class.ts'
import type { RecordDefinition, StoredRow } from '../definition.ts'
import { wordsOf } from '../describe.ts'
import { upsertInputOf, upsertItemOf } from '../inputs.ts'
import { RequiresScopes, scopeOf } from '../requires-scope.ts'
import { externalIdName, keyMax } from './key-field.ts'

/** The GraphQL types of the upserts of a record type. */
export interface UpsertTypes {
  readonly Input: Class
  readonly Item: Class
  readonly Result: Class
}

/** Declares the inputs and the result: `AccountUpsertInput`, `AccountBulkUpsertItem` and `AccountUpsertResult`. Call it once for each type. */
export function upsertTypes<T extends StoredRow>({ entity }: RecordDefinition<T>, scope: string): UpsertTypes {
  const { name } = entity
  const one = wordsOf(name)
  const result = classNamed(`${name}UpsertResult`)
  field(result, 'record', () => entity, { description: `The ${one} as it is now.` })
  field(result, 'isCreated', () => Boolean, {
    description: `True if there was no ${one} with the key, so that it was created; false if it was changed.`,
  })
  RequiresScopes(scopeOf('READ', scope))(result)
  ObjectType(`${name}UpsertResult`, { description: `What an upsert of one ${one} has led to.` })(result)
  return {
    Input: upsertInputOf(`${name}UpsertInput`, entity),
    Item: upsertItemOf(`${name}BulkUpsertItem`, entity),
    Result: result,
  }
}

/** The key field of an operation. */
export const FieldArg = (): ParameterDecorator =>
  ValueArg('field', () => String, {
    default: externalIdName,
    max: 100,
    description: `Field of the key: \`${externalIdName}\`, or the name of a unique custom field. Any other field is refused.`,
    example: externalIdName,
  }) as ParameterDecorator

/** The value in the key field. */
export const KeyValueArg = (): ParameterDecorator =>
  ValueArg('value', () => String, {
    max: keyMax,
    description:
      'Value of the key. White space around it does not matter; upper and lower case of an external id do. A unique custom field is compared as it is unique.',
    example: 'ERP-20417',
  }) as ParameterDecorator
