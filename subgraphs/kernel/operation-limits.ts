/** What one request or answer may take. */
export interface OperationLimits {
  /** Bytes of the body of a REST request. */
  readonly bodyBytes: number
  /** Bytes of JSON in the answer. */
  readonly answerBytes: number
  /** How long the gateway waits for a subgraph in another process. */
  readonly deadlineMs: number
}

/** The limits of an operation whose root field has no others. */
export const usualLimits: OperationLimits = { bodyBytes: 1_048_576, answerBytes: 4_194_304, deadlineMs: 10_000 }

/** The largest limits that a root field may have. What needs more is a file, or work that goes on after the answer. */
export const largestLimits: OperationLimits = { bodyBytes: 25_165_824, answerBytes: 25_165_824, deadlineMs: 70_000 }

const names = Object.keys(usualLimits) as (keyof OperationLimits)[]

/** The tags of a root field with limits of its own; composition keeps tags. */
export function limitTags(limits: Partial<OperationLimits>): string[] {
  return names.flatMap((name) => {
    const value = limits[name]
    if (value === undefined) return []
    if (value > largestLimits[name]) throw new Error(`An operation may have at most ${largestLimits[name]} ${name}.`)
    return [`limit/${name}/${value}`]
  })
}

/** The limits in the tags of a root field; null if it has the usual ones. */
export function limitsInTags(tags: readonly string[]): Partial<OperationLimits> | null {
  const found = tags.flatMap((tag) => {
    const [kind, name, value] = tag.split('/')
    return kind === 'limit' ? [[name, Number(value)] as const] : []
  })
  return found.length > 0 ? (Object.fromEntries(found) as Partial<OperationLimits>) : null
}

/** The limits of an operation of several root fields: each is the largest of theirs. */
export function joinedLimits(limits: readonly Partial<OperationLimits>[]): OperationLimits {
  const largest = (name: keyof OperationLimits): number =>
    Math.max(usualLimits[name], ...limits.map((one) => one[name] ?? 0))
  return { bodyBytes: largest('bodyBytes'), answerBytes: largest('answerBytes'), deadlineMs: largest('deadlineMs') }
}
