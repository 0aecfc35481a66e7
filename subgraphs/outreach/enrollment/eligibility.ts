import type { Row } from '../../kernel/database/sql.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { readReference } from '../../kernel/record/read.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { notAnswered, type RequestContext } from '../../kernel/request.ts'
import { suppressedAddresses } from '../email/suppression.ts'
import { shapeOf } from './enrolled-shape.ts'
import type { SequenceEntityType, SequenceRefusal } from './enrollment.enumerations.ts'
import { addressOf, isConsentDenied } from './run/decide.ts'

/** What an enrollment takes over of its record. */
export interface Candidate {
  readonly entityId: string
  readonly email: string | null
  readonly accountId: string | null
  readonly timeZone: string | null
}

export interface Assessed {
  readonly entityId: string
  readonly refusal: SequenceRefusal | null
  readonly candidate: Candidate | null
  /** The running enrollment that stands against it. */
  readonly enrollmentId: string | null
}

export interface Wanted {
  readonly sequenceId: string
  readonly entityType: SequenceEntityType
  readonly entityIds: readonly string[]
  /** The sequence has a step that sends a mail. */
  readonly sendsMail: boolean
  readonly allowOtherSequences: boolean
}

const refusalOf: Readonly<Record<string, SequenceRefusal>> = { BOUNCED: 'BOUNCED' }

const columns: Readonly<Record<SequenceEntityType, ReadonlySet<string>>> = {
  CONTACT: new Set(['email', 'accountId', 'timezone', 'consent']),
  LEAD: new Set(['email', 'status']),
}

/** The answer contains none of these records, which belong to another subgraph. */
const seenBy = async (outer: RequestContext, { entityType, entityIds }: Wanted): Promise<ReadonlyMap<string, Row>> => {
  const ctx = notAnswered(outer)
  const rows = await Promise.all(
    entityIds.map((id) => readReference(ctx, shapeOf(entityType), id, columns[entityType])),
  )
  return new Map(rows.flatMap((row, index) => (row ? [[entityIds[index]!, row] as const] : [])))
}

/**
 * Whether each of the records can be enrolled, with a number of statements that does not depend on theirs. A record that the caller does not
 * see is NOT_FOUND, so that the answer does not disclose it. `sender` is the context of the sender.
 */
export async function assess(ctx: RequestContext, sender: RequestContext, wanted: Wanted): Promise<Assessed[]> {
  const { entityType, entityIds, sequenceId, sendsMail, allowOtherSequences } = wanted
  const [records, sendersRecords] = [await seenBy(ctx, wanted), await seenBy(sender, wanted)]
  const hidesEmail = sendsMail && isHidden(ctx.caller, shapeFor(ctx, shapeOf(entityType)), 'email')
  const running = await runningOf(ctx, wanted)
  const emails = [...records.values()].flatMap((record) => addressOf(record) ?? [])
  const suppressed = sendsMail && emails.length > 0 ? await suppressedAddresses(ctx, emails) : new Map<string, string>()
  const refuse = (entityId: string): readonly [SequenceRefusal | null, string | null] => {
    const record = records.get(entityId)
    if (!record) return ['NOT_FOUND', null]
    const seen = sendersRecords.get(entityId)
    if (!seen || hidesEmail || record['status'] === 'CONVERTED') return ['NO_ACCESS', null]
    const own = running.find((one) => one.entityId === entityId && one.sequenceId === sequenceId)
    if (own) return ['ALREADY_ACTIVE', own.id]
    const other = running.find((one) => one.entityId === entityId)
    if (other && !allowOtherSequences) return ['IN_OTHER_SEQUENCE', null]
    if (isConsentDenied(record)) return ['OPTED_OUT', null]
    if (!sendsMail) return [null, null]
    const email = addressOf(seen)
    if (email === null) return ['NO_EMAIL', null]
    const reason = suppressed.get(email)
    return [reason === undefined ? null : (refusalOf[reason] ?? 'OPTED_OUT'), null]
  }
  return entityIds.map((entityId): Assessed => {
    const [refusal, enrollmentId] = refuse(entityId)
    const record = records.get(entityId)
    if (refusal !== null || !record) return { entityId, refusal, candidate: null, enrollmentId }
    const [accountId, timezone] = [record['accountId'], record['timezone']] as (string | null | undefined)[]
    const candidate = { entityId, email: addressOf(record), accountId: accountId ?? null, timeZone: timezone ?? null }
    return { entityId, refusal, candidate, enrollmentId: null }
  })
}

interface Running {
  readonly id: string
  readonly entityId: string
  readonly sequenceId: string
}

const runningOf = ({ db, caller }: RequestContext, { entityType, entityIds }: Wanted): Promise<Running[]> =>
  db.query<Running & Record<string, unknown>>(
    `select id, entity_id as "entityId", sequence_id as "sequenceId" from outreach.sequence_enrollment
     where organization_id = $1 and entity_id = any($2::uuid[]) and entity_type = $3 and deleted_at is null
       and status in ('ACTIVE', 'PAUSED')`,
    [caller.organizationId, entityIds, entityType],
  )
