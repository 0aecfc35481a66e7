import './compiled-code.ts'

/**
 * A compiled function that copies these properties of an object. V8 gives the copy the fast layout of an object literal. An object that
 * gets more than a few properties by computed names becomes a hash table, which is slow to build, to copy and to write as JSON.
 * The names are column names of our own classes, never text of a client.
 */
export function copierOf(names: readonly string[]): (from: object) => Record<string, unknown> {
  const properties = names.map((name) => {
    // In an object literal, this key would set the prototype.
    if (name === '__proto__') throw new Error('A column must not be named __proto__.')
    const key = JSON.stringify(name)
    return `${key}: from[${key}]`
  })
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function('from', `return { ${properties.join(', ')} }`) as (from: object) => Record<string, unknown>
}
