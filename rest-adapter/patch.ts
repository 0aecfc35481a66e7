type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Applies a JSON merge patch (RFC 7396): objects are merged member by member, null removes a member, any other value replaces the
 * existing one. The parameters of an operation, which are a list, are merged by name and place; new ones are added at the end. An
 * `example` is a value, so it replaces the existing one as a whole and may contain null.
 */
export function patched(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    const known = result[name]
    if (name === 'example') result[name] = value
    else if (value === null) delete result[name]
    else if (name === 'parameters' && Array.isArray(known) && Array.isArray(value)) {
      result[name] = withParameters(known as Members[], value as Members[])
    } else result[name] = patched(known, value)
  }
  return result
}

const identityOf = (parameter: Members): string =>
  typeof parameter['$ref'] === 'string'
    ? parameter['$ref']
    : `${parameter['in'] as string} ${parameter['name'] as string}`

function withParameters(known: readonly Members[], given: readonly Members[]): unknown[] {
  const patchOf = (parameter: Members): Members | undefined =>
    given.find((one) => identityOf(one) === identityOf(parameter))
  const added = given.filter((one) => !known.some((parameter) => identityOf(parameter) === identityOf(one)))
  return [...known.map((parameter) => patched(parameter, patchOf(parameter) ?? {})), ...added]
}
