import pg from 'pg'

const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): unknown } }).utils

const id = /^[\da-f-]{36}$/

const areIds = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string' && id.test(item))

/** A value as PostgreSQL reads it. Lists of ids are frequent and need no quotes, which takes pg 0.4 us for each item. */
export const parameterOf = (value: unknown): unknown => (areIds(value) ? `{${value.join(',')}}` : prepareValue(value))
