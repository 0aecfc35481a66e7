import type { Request } from 'express'
import { notFound } from '../../subgraphs/kernel/errors.ts'
import { isId } from '../../subgraphs/kernel/ids.ts'
import { readFilter } from './filter.ts'
import type { Answer } from './scim-call.ts'
import { ScimRefusal } from './scim-error.ts'

/** The maximum number of resources in one response. */
export const countMax = 100

const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

export function listOf(resources: readonly object[], total = resources.length, startIndex = 1): Answer {
  const body = {
    schemas: [listSchema],
    totalResults: total,
    startIndex,
    itemsPerPage: resources.length,
    Resources: resources,
  }
  return { status: 200, body }
}

function queryText(req: Request, name: string): string | undefined {
  const value = req.query[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw new ScimRefusal('invalidValue', `${name} must be given only once.`)
  return value
}

/** A number out of range is replaced by the nearest bound (RFC 7644, section 3.4.2.4). */
function number(req: Request, name: string, minimum: number, maximum: number, fallback: number): number {
  const value = queryText(req, name)
  if (value === undefined) return fallback
  if (!/^-?\d{1,9}$/.test(value)) throw new ScimRefusal('invalidValue', `${name} must be a whole number.`)
  return Math.min(Math.max(Number(value), minimum), maximum)
}

export function pageOf(req: Request) {
  return { startIndex: number(req, 'startIndex', 1, 10_000_000, 1), count: number(req, 'count', 0, countMax, countMax) }
}

export function filterOf<A extends string>(req: Request, attributes: readonly A[]) {
  if (Array.isArray(req.query['filter'])) throw new ScimRefusal('invalidFilter', 'filter must be given only once.')
  const filter = queryText(req, 'filter')
  return filter === undefined ? {} : readFilter(filter, attributes)
}

export function idOf(req: Request, label: string): string {
  const id = String(req.params['id'])
  if (!isId(id)) throw notFound(label)
  return id
}
