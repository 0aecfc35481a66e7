import { lockOf } from '../database/locks.ts'
import type { SerializedRule, StoredRow } from '../record/definition.ts'
import type { RequestContext } from '../request.ts'

/** Until the transaction ends, nobody else changes what the organization has defined. Before other statements of the transaction. */
export async function lockDefinitions({ db, caller }: RequestContext): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(${lockOf('definitions')})`, [caller.organizationId])
}

/**
 * A deployment decides with what it has read, also of records that it does not write, so their changes wait for it, and it for them. Changes that
 * publish the definitions take the same lock for themselves alone, so this rule stands behind those that publish. The platform itself changes nothing that files say, and holds other locks meanwhile.
 */
export const waitsForDeployments: SerializedRule<StoredRow> = {
  concerns: ({ caller }) => caller.kind !== 'SYSTEM',
  async before({ db, caller }) {
    if (caller.kind === 'SYSTEM') return
    await db.query(`select pg_advisory_xact_lock_shared(${lockOf('definitions')})`, [caller.organizationId])
  },
  enforce: () => Promise.resolve([]),
}
