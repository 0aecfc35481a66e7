import { Directive } from 'type-graphql'

type Decorator = ClassDecorator & MethodDecorator & PropertyDecorator

/** Adds `@requiresScopes` in the form that every Federation 2 router supports. */
export const RequiresScopes = (...scopes: readonly string[]): Decorator =>
  Directive(`@requiresScopes(scopes: [${scopes.map((scope) => `["${scope}"]`).join(', ')}])`) as Decorator

/** Requires every one of these scopes; `RequiresScopes` requires one of them. */
export const RequiresAllScopes = (...scopes: readonly string[]): Decorator =>
  Directive(`@requiresScopes(scopes: [[${scopes.map((scope) => `"${scope}"`).join(', ')}]])`) as Decorator

/** A resource without scopes of its own: a key needs the * scope for it. */
const wholeScope = '*'

/** Requires the scope of a resource: READ on a type, WRITE on a mutation. A resource without scopes of its own is `*`. */
export function RequiresScope(resource: string): Decorator {
  return ((target: object, key?: string, descriptor?: PropertyDescriptor) => {
    const scope = resource === wholeScope ? wholeScope : key === undefined ? `READ_${resource}` : `WRITE_${resource}`
    if (key === undefined) readScopes.set(target, scope)
    ;(RequiresScopes(scope) as (...args: unknown[]) => void)(target, key, descriptor)
  }) as Decorator
}

const readScopes = new WeakMap<object, string>()

const filterTag = 'needs-'
/** The name of a tag must not contain an asterisk. */
const wholeScopeTag = 'WHOLE'

/**
 * Adds the tag of a filter input: a caller may give a filter of this type, on whatever level, only with the scope to read the record
 * type. `@requiresScopes` cannot be used, because GraphQL does not allow it on inputs.
 */
export function requireReadScopeInFilter(filter: object, type: object): void {
  const scope = readScopes.get(type)
  if (scope !== undefined)
    (Directive(`@tag(name: "${filterTag}${scope === wholeScope ? wholeScopeTag : scope}")`) as ClassDecorator)(
      filter as never,
    )
}

/** The scope that a tag of a filter input names; null for any other tag. */
export function scopeOfFilterTag(tag: string): string | null {
  if (!tag.startsWith(filterTag)) return null
  const scope = tag.slice(filterTag.length)
  return scope === wholeScopeTag ? wholeScope : scope
}

/** The scope that `@RequiresScope` requires to read a type. */
export function readScopeOf(type: object): string {
  const scope = readScopes.get(type)
  if (scope === undefined) throw new Error(`The type ${(type as { name?: string }).name} must have @RequiresScope.`)
  return scope
}
