import { Arg, ID, Int } from 'type-graphql'
import { ValueArg } from './declared-value.ts'

// Arguments that the operations of all record types share.

export const IdArg = () => Arg('id', () => ID, { description: 'Id of the record, a UUID.' })

/** The custom object whose records an operation is about. */
export const CustomObjectArg = (): ParameterDecorator =>
  ValueArg('object', () => String, {
    max: 63,
    description: 'Name of the custom object. An object that the organization does not have is NOT_FOUND.',
    example: 'site_visit',
  }) as ParameterDecorator

export const InputArg = (type: () => new () => object) => Arg('input', type, { description: 'The values to write.' })

/** The version that the caller read. The change is refused when the record has another version now. */
export const ExpectedVersionArg = () =>
  Arg('expectedVersion', () => Int, {
    nullable: true,
    description:
      'The `version` that the caller read. If the record has another version now, the change is refused with VERSION_CONFLICT; null: no check.',
  })
