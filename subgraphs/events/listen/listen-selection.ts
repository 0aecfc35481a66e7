import { invalid } from '../../kernel/errors.ts'
import { isKnownType } from './known-types.ts'
import { listenTypeLengthMax, listenTypesMax } from './listen-limits.ts'

/**
 * Whether a type is selected by a list of types and wildcards (`lead.*`); null selects everything. Throws `VALIDATION_FAILED` for
 * an empty or too long list and for what does not exist.
 */
export function selectionOf(events: readonly string[] | null, path = 'events'): (type: string) => boolean {
  if (events === null) return () => true
  if (events.length === 0) {
    const message = `${path} must have at least one type; omit ${path} to receive everything.`
    throw invalid({ path, code: 'TOO_FEW', message })
  }
  if (events.length > listenTypesMax) {
    throw invalid({ path, code: 'TOO_MANY', message: `${path} must have at most ${listenTypesMax} types.` })
  }
  const problems = events.flatMap((name, index) => {
    if (name.length <= listenTypeLengthMax && isKnownType(name)) return []
    const message = `${path}.${index} must be a type of the event catalog, all types of an object (lead.*), or custom.<apiName>.`
    return [{ path: `${path}.${index}`, code: 'UNKNOWN_EVENT', message }]
  })
  if (problems.length > 0) throw invalid(...problems)
  const types = new Set(events)
  return (type) => types.has(type) || types.has(`${type.slice(0, type.lastIndexOf('.'))}.*`)
}
