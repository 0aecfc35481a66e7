import { resolve, type OpenApiDocument, type Parameter, type PathItem, type Reference } from './openapi.ts'
import { operationsIn } from './operations-in.ts'

type Components = OpenApiDocument['components']

/** Pairs of names that mean the same query parameter, each once. */
export type SecondNames = Readonly<Record<string, string>>

/** Adds to every operation that has one name of a pair the other one as its alias, so that no client must know which of them it is. */
export function withSecondNames(item: PathItem, names: SecondNames, components: Components): PathItem {
  const operations = operationsIn(item).map(([method, operation]) => [
    method,
    operation.parameters
      ? { ...operation, parameters: parametersWithAliases(operation.parameters, names, components) }
      : operation,
  ])
  return { ...item, ...Object.fromEntries(operations) }
}

function parametersWithAliases(
  given: readonly (Parameter | Reference)[],
  names: SecondNames,
  components: Components,
): (Parameter | Reference)[] {
  const pairs = Object.entries(names).flatMap(([a, b]) => [[a, b] as const, [b, a] as const])
  const inQuery = given
    .map((parameter) => resolve<Parameter>({ components }, parameter))
    .filter((parameter) => parameter.in === 'query')
  const known = new Set(inQuery.map(({ name }) => name))
  return given.flatMap((parameter) => {
    const original = resolve<Parameter>({ components }, parameter)
    const pair = original.in === 'query' && pairs.find(([name]) => name === original.name)
    return pair && !known.has(pair[1]) ? [parameter, aliasOf(original, pair[1])] : [parameter]
  })
}

function aliasOf(original: Parameter, name: string): Parameter {
  const { 'x-variable': _variable, required: _required, ...shared } = original
  const description = `A second name of \`${original.name}\`; send only one of them.`
  return { ...shared, name, description, 'x-alias-of': original.name } as Parameter
}
