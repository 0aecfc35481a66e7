import { readScopeOfObject } from '../../kernel/acting-scopes.ts'
import { eventCatalog } from '../../kernel/outbox/event-catalog.ts'
import { customObjectOfEvents } from '../../kernel/record/custom-object.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { customEventObject } from '../envelope/envelope.ts'
import { selectionOf } from '../listen/listen-selection.ts'

/** What a page of the log is made of. */
export interface EventSelectionOfCaller {
  /** `object` of the events that the caller may read. */
  readonly objects: readonly string[]
  isSelected(type: string): boolean
}

/** The scope to read the events of this object. */
const scopeOf = (object: string): string => (object === customEventObject ? 'READ_EVENTS' : readScopeOfObject(object))

const prefixOf = (type: string): string => type.slice(0, type.lastIndexOf('.'))

/** The objects whose events have this type, or a type of this wildcard. Several may have types with the same prefix, as `case.created` and `case.comment_added`. */
function objectsOf(name: string): readonly string[] {
  if (name.startsWith('custom.')) return [customEventObject]
  const customObject = customObjectOfEvents(prefixOf(name))
  if (customObject !== null) return [customObject]
  const isNamed = name.endsWith('.*')
    ? (type: string) => prefixOf(type) === prefixOf(name)
    : (type: string) => type === name
  return eventCatalog().entries.flatMap(({ type, object }) => (isNamed(type) ? [object] : []))
}

const allObjects = ({ shapes }: Pick<RequestContext, 'shapes'>): string[] => [
  ...new Set([
    ...eventCatalog().entries.map(({ object }) => object),
    ...(shapes?.customObjects ?? []),
    customEventObject,
  ]),
]

/** The types that are named, whose scopes the caller must have, or everything for which the caller has the scope. */
export function eventSelectionOf(ctx: RequestContext, types: readonly string[] | null): EventSelectionOfCaller {
  const isSelected = selectionOf(types, 'types')
  if (types === null)
    return { objects: allObjects(ctx).filter((object) => holdsScope(ctx.caller, scopeOf(object))), isSelected }
  const objects = [...new Set(types.flatMap(objectsOf))]
  requireScopes(
    ctx.caller,
    objects.map((object) => [[scopeOf(object)]]),
  )
  return { objects, isSelected }
}
