import type { Sql } from '../../kernel/database/sql.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'

/** A definition that names a function. */
export interface FunctionUser {
  /** The record type in events: `before_save_hook`. */
  readonly type: string
  readonly id: string
  readonly name: string
}

/** The live definitions that name a function; at most `usersMax`. */
export type FunctionUsers = (sql: Sql, organizationId: string, apiName: string) => Promise<readonly FunctionUser[]>

const sources: FunctionUsers[] = []
export const usersMax = 50

/** What refers to functions by their apiName registers itself, so that no function is deleted that it needs. */
export function registerFunctionUsers(source: FunctionUsers): void {
  sources.push(source)
}

/** Throws 409 while definitions name the function. The function must be locked, so that no further one comes to name it. */
export async function refuseUsedFunction({ db, caller }: RequestContext, apiName: string): Promise<void> {
  const usedBy: FunctionUser[] = []
  for (const source of sources) usedBy.push(...(await source(db, caller.organizationId, apiName)))
  if (usedBy.length === 0) return
  const message = `The function ${apiName} is used by ${usedBy.length === 1 ? 'a definition' : `${usedBy.length} definitions`}; change or delete them first.`
  throw new Refusal('HAS_DEPENDENTS', message, { usedBy: usedBy.slice(0, usersMax) })
}
