import { isAdministrator, type Recipient } from '../../../identity/public.ts'
import type { Sql } from '../../../kernel/database/sql.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { newId } from '../../../kernel/ids.ts'
import { visibleIds } from '../../../kernel/record/read.ts'
import { recordType } from '../../../kernel/record/record-registry.ts'
import { requestContext, type RequestContext, type Services } from '../../../kernel/request.ts'
import type { Candidate } from './candidates.ts'

/** The context of a user with all rights that the user has at this moment, inside a transaction of the platform. */
export function contextOf(services: Services, recipient: Recipient, db: Sql): RequestContext {
  const { id: userId, organizationId, role, visibility, ownerIds, fields, entitlements } = recipient
  const caller = {
    ...({ kind: 'SESSION', organizationId, userId, role, visibility, ownerIds, fields, entitlements } as const),
    scopes: [],
    credentialId: '',
    ip: '',
    userAgent: '',
  }
  return requestContext({ caller, requestId: newId(), idempotency: null }, services, { db })
}

/** Those pairs of a candidate and a recipient in which the recipient sees the record at this moment. */
export async function visiblePairs(
  services: Services,
  sql: Sql,
  candidates: readonly Candidate[],
  recipients: ReadonlyMap<string, Recipient>,
): Promise<{ candidate: Candidate; recipient: Recipient }[]> {
  const pairs = candidates.flatMap((candidate) =>
    candidate.userIds.flatMap((id) => {
      const recipient = recipients.get(id)
      return recipient ? [{ candidate, recipient }] : []
    }),
  )
  const seen = new Map<string, ReadonlySet<string>>()
  for (const { object, key, recipient, ids } of lookupsOf(pairs))
    seen.set(key, await seenBy(contextOf(services, recipient, sql), object, [...ids]))
  return pairs.filter(({ candidate: { kind, subject }, recipient }) => {
    if (kind.isForAdministrators && !isAdministrator(recipient.role)) return false
    return kind.isOwnRecord === true || seen.get(viewKeyOf(subject.object, recipient))!.has(subject.id)
  })
}

/** Users who see the records of all owners share one look-up; their plans are the same. */
const viewKeyOf = (object: string, { id, ownerIds }: Recipient): string => `${object} ${ownerIds === null ? 'ALL' : id}`

function lookupsOf(pairs: readonly { readonly candidate: Candidate; readonly recipient: Recipient }[]) {
  const lookups = new Map<string, { object: string; key: string; recipient: Recipient; ids: Set<string> }>()
  for (const { candidate, recipient } of pairs) {
    if (candidate.kind.isOwnRecord) continue
    const { object, id } = candidate.subject
    const key = viewKeyOf(object, recipient)
    const lookup = lookups.get(key) ?? { object, key, recipient, ids: new Set<string>() }
    lookups.set(key, lookup)
    lookup.ids.add(id)
  }
  return lookups.values()
}

/** None of them if the plan lacks the feature of the record type. */
async function seenBy(ctx: RequestContext, object: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  try {
    return await visibleIds(ctx, recordType(object)(), ids)
  } catch (error) {
    if (error instanceof Refusal) return new Set()
    throw error
  }
}
