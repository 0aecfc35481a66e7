import type { HttpRequest } from '../scenarios.ts'

export interface Body {
  readonly total?: number | null
  readonly nextCursor?: string | null
  readonly data?: unknown
  readonly [name: string]: unknown
}

/** What follows a response: the next page. Null after the last page. */
export type Follow = (body: Body) => HttpRequest | null

export interface Goal {
  readonly p50: number
  readonly p95: number
}

/** Requests that differ in values only, measured as one row of the report. */
export interface Probe {
  readonly area: string
  readonly name: string
  /** Whether the response contains the exact number of matches. */
  readonly hasTotal: boolean
  /** The total must be as fast as the page: no filter, or a filter by an enumerated column. */
  readonly isTotalFree: boolean
  readonly requests: readonly HttpRequest[]
  /** Another goal than that of a page, in milliseconds. */
  readonly goal?: Goal
  /** The requests are not measured: each is the start of a walk through the next pages, which are measured. */
  readonly follow?: Follow
}

/** Pages 1 to 24 for requests without values. */
export const pages = (from = 1): number[] => Array.from({ length: 24 }, (_, index) => from + index)

/** Page numbers at several depths of a list, from which a walk by cursor starts. */
export function depthsOf(total: number, limit: number): number[] {
  const last = Math.min(100_000, Math.ceil(total / limit))
  return [0, 0.1, 0.5, 0.9]
    .map((depth) => Math.max(1, Math.floor(last * depth)))
    .filter((page, index, all) => all.indexOf(page) === index)
}
