import { appScopes, keyScopes, scopeSentences } from '../subgraphs/kernel/scope-areas.ts'
import type { Schema } from './openapi.ts'

type Named<T> = Record<string, T>
interface Scheme {
  readonly flows?: Named<object>
}

const scopesOf: Readonly<Record<string, readonly string[]>> = { KEYS: keyScopes, APPS: appScopes }

/**
 * Adds the lists of scopes, which the contract does not repeat: the values of schemas with `x-scopes`, and the scopes of the flows of OAuth 2.0 with
 * their sentences.
 */
export function addScopeLists(components: Named<Named<unknown>>): void {
  const { schemas = {}, securitySchemes = {} } = components
  for (const [name, schema] of Object.entries(schemas as Named<Schema>)) {
    const { 'x-scopes': list, ...shown } = schema
    if (list !== undefined) schemas[name] = { ...shown, enum: scopesOf[list as string]! }
  }
  const scopes = Object.fromEntries(scopeSentences)
  for (const [name, scheme] of Object.entries(securitySchemes as Named<Scheme>)) {
    if (!scheme.flows) continue
    const flows = Object.entries(scheme.flows).map(([grant, flow]) => [grant, { ...flow, scopes }])
    securitySchemes[name] = { ...scheme, flows: Object.fromEntries(flows) }
  }
}
