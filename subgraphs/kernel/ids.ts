import { v7 } from 'uuid'

/** UUIDv7: ordered by time, so that new rows are appended at the end of every index. */
export const newId = (): string => v7()

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export const isId = (value: unknown): value is string => typeof value === 'string' && uuid.test(value)
