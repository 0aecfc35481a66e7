import { Arg, ID, Int } from 'type-graphql'

// The arguments that the operations of every record type have.

export const IdArg = () => Arg('id', () => ID)

export const InputArg = (type: () => new () => object) => Arg('input', type)

/** The version that the caller read: a record that has another one by now is not changed. */
export const ExpectedVersionArg = () => Arg('expectedVersion', () => Int, { nullable: true })
