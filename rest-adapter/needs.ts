import { scopesToGrant } from '../subgraphs/kernel/scope-areas.ts'
import { needsSentence } from '../subgraphs/kernel/scopes.ts'
import { methods, type OpenApiDocument, type OperationObject, type PathItem, type Tag } from './openapi.ts'

/** What a caller needs, in one sentence derived from what is checked: `Needs READ_CASES.` */
export function needsOf(operation: OperationObject): string {
  const { security, 'x-api-key-scopes': scopes, 'x-required-roles': roles } = operation
  const schemes = security?.flatMap((scheme) => Object.keys(scheme)) ?? ['any']
  const isForAppsOnly = schemes.length > 0 && schemes.every((name) => name === 'oauth2')
  const other = schemes.length === 0 ? 'PUBLIC' : isForAppsOnly ? 'APP' : 'SESSION'
  const key = keyParameterOf(operation)
  if (key !== null) return `Needs an API key in the query parameter \`${key}\`.`
  const needed = scopes.length > 0 && !isForAppsOnly ? scopesToGrant(scopes) : [other]
  const needs = needsSentence([[needed]])
  return roles ? `${needs} Only for users with the role ${roles.join(' or ')}.` : needs
}

/** The query parameter with the API key, for operations that read no headers with credentials. */
const keyParameterOf = ({ parameters = [] }: OperationObject): string | null =>
  parameters.flatMap((parameter) =>
    'x-credential' in parameter && parameter['x-credential'] ? [parameter.name] : [],
  )[0] ?? null

/** First what keys with a scope can call, then what needs the scope `*`, then what needs a session or nothing. */
function rankOf(operations: readonly OperationObject[]): number {
  const scopes = operations.flatMap((operation) => operation['x-api-key-scopes'])
  if (scopes.some((scope) => scope !== '*')) return 0
  return scopes.length > 0 ? 1 : 2
}

const operationsOf = (item: PathItem): OperationObject[] => methods.flatMap((method) => item[method] ?? [])

/** The tags in the order of the reference: operations that an API key can call come first. */
export function tagOrder(tags: readonly Tag[], paths: OpenApiDocument['paths']): Tag[] {
  const operations = Object.values(paths).flatMap(operationsOf)
  const ranks = new Map(
    tags.map(({ name }) => [name, rankOf(operations.filter((operation) => operation.tags?.includes(name)))]),
  )
  return tags.toSorted((a, b) => ranks.get(a.name)! - ranks.get(b.name)!)
}
