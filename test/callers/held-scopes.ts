import { appScopes } from '../../subgraphs/kernel/scope-areas.ts'
import type { Access } from './access.ts'

/** The READ scope in place of the WRITE scope; `*` has none. */
export const isRead = ({ scopes }: Access): boolean => scopes.every((scope) => !scope.startsWith('WRITE_'))
export const legacyRead = /^READ_(LEADS|CONTACTS|ACCOUNTS|OPPORTUNITIES|PRODUCTS|QUOTES|TASKS|ACTIVITIES|WEBHOOKS)$/
const inverse = (scope: string): string =>
  scope.startsWith('READ_') ? scope.replace('READ_', 'WRITE_') : scope.replace('WRITE_', 'READ_')

const implies = (held: string, scope: string): boolean =>
  held === scope || (held.startsWith('WRITE_') && inverse(held) === scope) || `${held} ${scope}` === publishes
const publishes = 'PUBLISH_EVENTS READ_EVENTS'
/** The scope that implies a scope to read, if there is one. */
export const writing = (scope: string): string => {
  const implying = scope === 'READ_EVENTS' ? 'PUBLISH_EVENTS' : scope.replace('READ_', 'WRITE_')
  return appScopes.includes(implying) ? implying : scope
}
/** Every scope of apps that does not imply one of these. */
export const allExcept = (scopes: readonly string[]): readonly string[] =>
  appScopes.filter((held) => !scopes.some((scope) => implies(held, scope)))
