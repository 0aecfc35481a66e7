import { Arg, ID, Int } from 'type-graphql'

// Arguments that the operations of all record types share.

export const IdArg = () => Arg('id', () => ID)

export const InputArg = (type: () => new () => object) => Arg('input', type)

/** The version that the caller read. The change is refused when the record has another version now. */
export const ExpectedVersionArg = () => Arg('expectedVersion', () => Int, { nullable: true })
