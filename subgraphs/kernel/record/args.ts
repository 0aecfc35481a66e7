import { Arg, ID, Int } from 'type-graphql'

// Arguments that the operations of all record types share.

export const IdArg = () => Arg('id', () => ID, { description: 'Id of the record, a UUID.' })

export const InputArg = (type: () => new () => object) => Arg('input', type, { description: 'The values to write.' })

/** The version that the caller read. The change is refused when the record has another version now. */
export const ExpectedVersionArg = () =>
  Arg('expectedVersion', () => Int, {
    nullable: true,
    description:
      'The `version` that the caller read. If the record has another version now, the change is refused with VERSION_CONFLICT; null: no check.',
  })
