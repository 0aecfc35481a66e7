import { Arg, ID, Int } from 'type-graphql'
import { ValueArg } from './declared-value.ts'
import { DateTime } from './scalars.ts'

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

const past = 'Rollups, formulas over other records and the time, and times that change without a new version are null.'

/** The time at which records are read; no argument of a record type whose past states are not known (`hasPast`). */
export const AsOfArg = (isList: boolean, isKnown = true): ParameterDecorator =>
  isKnown
    ? (Arg('asOf', () => DateTime, {
        nullable: true,
        description: isList
          ? `The records as they were at this time, of those that the caller sees now, also if they are deleted now; filter, search and order compare the values of that time. Related records are as they are now. ${past} At most 100,000 records may have changed since. HISTORY_NOT_KEPT if the events since then are not kept. Null: now.`
          : `The record as it was at this time, also if it is deleted now; NOT_FOUND if it did not exist then. Related records are as they are now. ${past} HISTORY_NOT_KEPT if the events since then are not kept. Null: now.`,
      }) as ParameterDecorator)
    : () => {}
