import { invalid } from '../../kernel/errors.ts'
import { listenTypeLengthMax, listenTypesMax } from './listen-limits.ts'

/** The event types that an organization can receive. */
export interface KnownTypes {
  /** Whether a type exists. */
  has(type: string): boolean
  /** Whether an object has event types. */
  hasObject(object: string): boolean
}

const wildcard = /^([a-z_]+(?:\.[a-z][a-z0-9_]*)?)\.\*$/

/**
 * Whether a type is selected by a list of types and wildcards (`lead.*`); null selects everything. Throws `VALIDATION_FAILED` for
 * an empty or too long list and for what does not exist.
 */
export function selectionOf(
  events: readonly string[] | null,
  known: KnownTypes,
  path = 'events',
): (type: string) => boolean {
  if (events === null) return () => true
  if (events.length === 0) {
    const message = `${path} must have at least one type; omit ${path} to receive everything.`
    throw invalid({ path, code: 'TOO_FEW', message })
  }
  if (events.length > listenTypesMax) {
    throw invalid({ path, code: 'TOO_MANY', message: `${path} must have at most ${listenTypesMax} types.` })
  }
  const unknown = events.flatMap((name, index) => (exists(name, known) ? [] : [{ name, index }]))
  if (unknown.length > 0) {
    throw invalid(
      ...unknown.map(({ name, index }) => ({
        path: `${path}.${index}`,
        code: 'NOT_ALLOWED',
        message: `${name.slice(0, listenTypeLengthMax)} is not an event type; use a type of GET /v1/events/org-catalog, or a wildcard such as lead.* or custom.*.`,
      })),
    )
  }
  const types = new Set(events)
  return (type) => types.has(type) || types.has(`${type.slice(0, type.lastIndexOf('.'))}.*`)
}

function exists(name: string, known: KnownTypes): boolean {
  if (name.length > listenTypeLengthMax) return false
  const [, object] = wildcard.exec(name) ?? []
  return object === undefined ? known.has(name) : object === 'custom' || known.hasObject(object)
}
