import { Refusal } from '../kernel/errors.ts'
import type { RequestContext } from '../kernel/request.ts'

/** What functions, named credentials, actions, custom objects and flows can be used by. */
interface UsedBySource {
  /** The object word of what is used. */
  readonly used: 'serverless_function' | 'named_credential' | 'custom_action' | 'custom_object' | 'flow'
  /** The object word of what uses it. */
  readonly user: string
  /** `select id, name` of the live records that use the record `$2` of the organization `$1`; of fields also `entity`, the type that has them. */
  readonly sql: string
  /** Which of the selected rows use it; absent: all. */
  readonly isUse?: (row: Readonly<Record<string, unknown>>) => boolean
}

const sources: UsedBySource[] = []

/** Whoever refers to a function, named credential, action, custom object or flow registers the reference, so that it is not deleted under it. */
export function registerUse(source: UsedBySource): void {
  sources.push(source)
}

const shownMax = 20
const none: ReadonlySet<string> = new Set()

/** Refuses with HAS_DEPENDENTS and `usedBy` if something uses the record. In the transaction that deletes it, after it was locked. */
export async function requireUnused(
  { db, caller, deletedObjects = none }: RequestContext,
  used: UsedBySource['used'],
  id: string,
): Promise<void> {
  const usedBy: object[] = []
  for (const { user, sql, isUse } of sources.filter((source) => source.used === used)) {
    const shown = isUse || deletedObjects.size > 0 ? sql : `${sql} limit ${shownMax}`
    const all = await db.query<{ id: string; name: string; entity?: string }>(shown, [caller.organizationId, id])
    const rows = all.filter(({ entity }) => entity === undefined || !deletedObjects.has(entity))
    const users = new Map((isUse ? rows.filter(isUse) : rows).map((row) => [row.id, row.name]))
    usedBy.push(...[...users].map(([userId, name]) => ({ object: user, id: userId, name })))
  }
  if (usedBy.length === 0) return
  const message = 'It is still used; change or delete first what uses it.'
  throw new Refusal('HAS_DEPENDENTS', message, { usedBy: usedBy.slice(0, shownMax) })
}
