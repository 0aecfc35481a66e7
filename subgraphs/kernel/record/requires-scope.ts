import { Directive } from 'type-graphql'

type Decorator = ClassDecorator & MethodDecorator & PropertyDecorator

/** Adds `@requiresScopes` in the form that every Federation 2 router supports. */
export const RequiresScopes = (...scopes: readonly string[]): Decorator =>
  Directive(`@requiresScopes(scopes: [${scopes.map((scope) => `["${scope}"]`).join(', ')}])`) as Decorator

/** Requires every one of these scopes; `RequiresScopes` requires one of them. */
export const RequiresAllScopes = (...scopes: readonly string[]): Decorator =>
  Directive(`@requiresScopes(scopes: [[${scopes.map((scope) => `"${scope}"`).join(', ')}]])`) as Decorator

/** The name of a scope of a resource. */
export const scopeOf = (action: 'READ' | 'WRITE', resource: string): string => `${action}_${resource}`

/** Requires the scope of a resource: READ on a type, WRITE on a mutation. */
export function RequiresScope(resource: string): Decorator {
  return ((target: object, key?: string, descriptor?: PropertyDescriptor) => {
    const scope = scopeOf(key === undefined ? 'READ' : 'WRITE', resource)
    if (key === undefined) readScopes.set(target, scope)
    ;(RequiresScopes(scope) as (...args: unknown[]) => void)(target, key, descriptor)
  }) as Decorator
}

const readScopes = new WeakMap<object, string>()

const filterTag = 'needs-'

/**
 * Adds the tag of a filter input: a caller may give a filter of this type, on whatever level, only with the scope to read the record
 * type. `@requiresScopes` cannot be used, because GraphQL does not allow it on inputs.
 */
export function requireReadScopeInFilter(filter: object, type: object): void {
  const scope = readScopes.get(type)
  if (scope !== undefined) (Directive(`@tag(name: "${filterTag}${scope}")`) as ClassDecorator)(filter as never)
}

/** The scope that a tag of a filter input names; null for any other tag. */
export const scopeOfFilterTag = (tag: string): string | null =>
  tag.startsWith(filterTag) ? tag.slice(filterTag.length) : null

/** The scope that `@RequiresScope` requires to read a type; null where the type is declared otherwise. */
export const knownReadScope = (type: object): string | null => readScopes.get(type) ?? null

/** The scope that `@RequiresScope` requires to read a type. */
export function readScopeOf(type: object): string {
  const scope = knownReadScope(type)
  if (scope === null) throw new Error(`The type ${(type as { name?: string }).name} must have @RequiresScope.`)
  return scope
}
