import { createHash } from 'node:crypto'
import { refusalOfSize } from '../json/answer-size.ts'
import { ExternalCalls } from '../outbound/external-calls.ts'
import { mayDoMore, type Caller, type FieldRestrictions, type OperationContext, type Role } from '../context.ts'
import { invalid, notFound, Refusal } from '../errors.ts'
import { parseJsonExactly } from '../json/exact-json.ts'
import { newId } from '../ids.ts'
import type { Sql } from '../database/sql.ts'
import { AnsweredRecords, type DisclosedRecords } from '../record/answered-records.ts'
import { visibleRecords, seesAll, isVisibilityReduced, type RecordTypes } from '../record/visible-records.ts'
import { holdsScope } from '../scopes.ts'
import { requestContext, type RequestContext, type Services, type Ports } from '../request.ts'
import type { SealedColumn } from '../secrets/rotate.ts'
import type { SubgraphRequest, SubgraphResult } from './endpoint.ts'
import { isDefect, refused, RolledBack, rollBackUnlessWhole, statuses } from './whole-answer.ts'
import { lockOf } from '../database/locks.ts'

const idempotencyHours = 24

interface StoredRow {
  step: string
  fingerprint: string
  /** Encrypted, because it may contain a secret that is shown once, such as a new API key. */
  answer: string
}

/** An answer, the rights of the caller who received it, and the records that it contains. */
interface Stored {
  readonly role: Role
  readonly fields: FieldRestrictions | null
  readonly ownerIds: readonly string[] | null
  /** Absent in answers of older versions. */
  readonly scopes?: readonly string[]
  /** The records and figures in the answer. The stored JSON has this name. */
  readonly told: DisclosedRecords
  readonly answer: SubgraphResult
}

const noRecords: Pick<Stored, 'told'> = { told: { records: {}, hasFigures: false } }

type Run = (ctx: RequestContext) => Promise<SubgraphResult>

/** One operation of a subgraph with an idempotency key. */
export interface KeyedRequest {
  readonly services: Services
  /** The services that the subgraph declares. */
  readonly ports: Partial<Ports>
  readonly request: SubgraphRequest
  readonly kinds: RecordTypes
}

/**
 * Runs a mutation at most once per idempotency key. The key, the changes and the answer commit in one transaction, so a crash
 * leaves all of them or none. A request whose key is in use is refused at once; it never waits. During an external call no
 * transaction is open and the key is not in use: when two requests both make the call, one writes and the other gets its answer. After
 * a call, a request waits for the key, so that the result is not lost.
 */
export async function runOnce(keyed: KeyedRequest, run: Run): Promise<SubgraphResult> {
  const externalCalls = new ExternalCalls()
  for (let round = 1; ; round++) {
    externalCalls.beginRound()
    const answer = await runOnceWith(externalCalls, keyed, run, round > 1)
    if (!(await externalCalls.callRegistered())) return answer
  }
}

async function runOnceWith(
  externalCalls: ExternalCalls,
  keyed: KeyedRequest,
  run: Run,
  hasCalled: boolean,
): Promise<SubgraphResult> {
  const { services, request, kinds, ports } = keyed
  const { context } = request
  const { caller } = context
  const { key, problems } = context.idempotency!
  const step = stepOf(request.document)
  try {
    await services.vault.load(caller.organizationId)
    const outcome = await services.tenants.of(caller.organizationId, context).transaction(async (db) => {
      const names = [caller.organizationId, caller.credentialId, key]
      // The results of external calls must not be lost to a request that holds the key for a moment.
      if (hasCalled) await waitForLock(db, names)
      else await lock(db, names)
      const earlier = await findStoredAnswer(db, services, request, step)
      if (earlier) return { earlier }
      if (problems) throw invalid(...problems)
      const answered = new AnsweredRecords(kinds)
      const answer = await run(requestContext(context, services, { ports, db, externalCalls, answered }))
      rollBackUnlessWhole(answer, externalCalls, context)
      if (isFinal(answer)) {
        const { records, hasFigures } = answered.told()
        // Records that the write itself removed from the caller's visibility are not checked again for a retry.
        const seen =
          caller.ownerIds || mayBePrivate(kinds, records)
            ? await visibleRecords({ caller, db }, kinds, records)
            : records
        await storeAnswer(db, services, request, step, { answer, told: { records: seen, hasFigures } })
      }
      return { answer }
    })
    if (!outcome.earlier) return outcome.answer
    const replay = await replayOf(keyed, outcome.earlier)
    if (!replay) throw notFound('A record in the stored answer')
    return replay
  } catch (error) {
    if (error instanceof RolledBack) return error.answer
    return refused(error)
  }
}

/**
 * Runs a query that contributes to the answer of a mutation, or replays its first answer: parts of several subgraphs can make up the
 * answer, and a replay must return all of them unchanged. A part with a record that is no longer visible is read again.
 */
export async function readOrReplay(keyed: KeyedRequest, run: Run): Promise<SubgraphResult> {
  const { services, request, kinds, ports } = keyed
  const step = stepOf(request.document, request.variables)
  const { caller } = request.context
  const db = services.tenants.of(caller.organizationId, request.context)
  try {
    const earlier = await findStoredAnswer(db, services, request, step)
    const replay = earlier && (await replayOf(keyed, earlier))
    if (replay) return replay
    await services.vault.load(caller.organizationId)
  } catch (error) {
    return refused(error)
  }
  const answered = new AnsweredRecords(kinds)
  const answer = await run(requestContext(request.context, services, { ports, db, answered }))
  const tooLarge = refusalOfSize(answer)
  if (tooLarge) return refused(tooLarge)
  if (!isDefect(answer) && isFinal(answer))
    await storeAnswer(db, services, request, step, { answer, told: answered.told() })
  return answer
}

/** Identifies one step of an operation that spans several subgraphs. A mutation needs no variables here, because the fingerprint covers them. */
const stepOf = (document: string, variables?: object): string =>
  createHash('sha256')
    .update(variables ? `${document}\n${JSON.stringify(variables)}` : document)
    .digest('base64url')

/** What of the rights allows less than when the request was answered; null if nothing does. */
function reducedRight(before: Stored, now: Caller): string | null {
  if (mayDoMore(before.role, now.role)) return 'Your role has been lowered'
  if (now.fields && JSON.stringify(now.fields) !== JSON.stringify(before.fields)) return 'Your profile has changed'
  return before.scopes?.some((scope) => !holdsScope(now, scope)) ? 'Your credential has lost scopes' : null
}

/**
 * Refuses a replay when the role, the profile or the scopes now allow less. The scopes of the operation are checked before, but an answer may be made of
 * records of other types; the role is compared, because the mutation does not run again. `isAnswered`: it has taken effect, or was refused.
 */
function refuseReducedRights(before: Stored, now: Caller): void {
  const reduced = reducedRight(before, now)
  if (reduced === null) return
  const message = `${reduced} since this request was first answered. Send the request with a new Idempotency-Key.`
  throw new Refusal('PERMISSION_DENIED', message, { isAnswered: true })
}

/** Whether a change can remove one of the records from the view of callers with every visibility. */
const mayBePrivate = (kinds: RecordTypes, records: Readonly<Record<string, unknown>>): boolean =>
  Object.keys(records).some((object) => kinds.get(object)?.privateUnless !== undefined)

/** Whether the caller may still see the answer: all of its records, and the records that its figures count. */
async function isStillVisible(
  { request, kinds }: KeyedRequest,
  db: Sql,
  { ownerIds, told: { records, hasFigures } }: Stored,
): Promise<boolean> {
  const { caller } = request.context
  if (hasFigures && isVisibilityReduced(ownerIds, caller.ownerIds)) return false
  return seesAll({ caller, db }, kinds, records)
}

const placeOf = ({ context: { caller, idempotency } }: SubgraphRequest, step: string): string =>
  place(caller.organizationId, caller.credentialId, idempotency!.key, step)

/** The place that a stored answer is encrypted for. */
const place = (...names: readonly string[]): string => ['kernel.idempotency', ...names].join('\n')

export const sealedAnswers: SealedColumn = {
  table: 'kernel.idempotency',
  column: 'answer',
  key: ['organization_id', 'credential_id', 'key', 'step'],
  organization: 'organization_id',
  place: (row) => place(...['organization_id', 'credential_id', 'key', 'step'].map((name) => String(row[name]))),
}

async function waitForLock(db: Sql, parts: readonly string[]): Promise<void> {
  await db.query(`select pg_advisory_xact_lock(${lockOf('idempotencyKey')})`, [parts.join('\n')])
}

async function lock(db: Sql, parts: readonly string[]): Promise<void> {
  const [row] = await db.query<{ taken: boolean }>(
    `select pg_try_advisory_xact_lock(${lockOf('idempotencyKey')}) as taken`,
    [parts.join('\n')],
  )
  if (!row!.taken) {
    throw new Refusal(
      'IDEMPOTENCY_IN_PROGRESS',
      'A request with this Idempotency-Key is still running; retry in 1 s.',
      {
        retryAfter: 1,
      },
    )
  }
}

/** Answers that were stored before this time are replayed no longer. */
export const cutoff = ({ clock }: Pick<Services, 'clock'>): string =>
  new Date(clock.now().getTime() - idempotencyHours * 3_600_000).toISOString()

/** The stored answer of this step; null when there is none. */
async function findStoredAnswer(
  db: Sql,
  services: Services,
  request: SubgraphRequest,
  step: string,
): Promise<StoredRow | null> {
  const { caller, idempotency } = request.context
  const stored = await db.query<StoredRow>(
    `select step, fingerprint, case when step = $5 then answer end as answer from kernel.idempotency
     where organization_id = $1 and credential_id = $2 and key = $3 and created_at > $4`,
    [caller.organizationId, caller.credentialId, idempotency!.key, cutoff(services), step],
  )
  if (stored.some(({ fingerprint }) => fingerprint !== idempotency!.fingerprint))
    throw new Refusal(
      'IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used with a different request. Use a new key for each request.',
    )
  return stored.find((row) => row.step === step) ?? null
}

/** The replay of a stored answer; null when a record in it is no longer visible. Runs outside the transaction, because it may have to load a data key. */
async function replayOf(keyed: KeyedRequest, { step, answer: sealed }: StoredRow): Promise<SubgraphResult | null> {
  const { services, request } = keyed
  const { caller } = request.context
  await services.vault.load(caller.organizationId, sealed)
  const text = services.vault.open(caller.organizationId, placeOf(request, step), sealed)
  // Answers stored by older versions of the platform have no list of records.
  const stored = { ...noRecords, ...(parseJsonExactly(text) as Omit<Stored, 'told'> & Partial<Stored>) }
  refuseReducedRights(stored, caller)
  const db = services.tenants.of(caller.organizationId, request.context)
  return (await isStillVisible(keyed, db, stored)) ? { ...stored.answer, replayed: true } : null
}

async function storeAnswer(
  db: Sql,
  services: Services,
  request: SubgraphRequest,
  step: string,
  given: Pick<Stored, 'answer' | 'told'>,
): Promise<void> {
  const { caller, idempotency, operationId, requestId } = request.context
  const { key, fingerprint } = idempotency!
  const { role, fields, ownerIds, scopes } = caller
  const sealed = services.vault.seal(
    caller.organizationId,
    placeOf(request, step),
    JSON.stringify({ role, fields, ownerIds, scopes, ...given } satisfies Stored),
  )
  await db.query(
    `insert into kernel.idempotency (organization_id, id, credential_id, key, step, fingerprint, answer, created_at, operation_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (organization_id, credential_id, key, step)
     do update set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at, operation_id = excluded.operation_id`,
    [
      caller.organizationId,
      newId(),
      caller.credentialId,
      key,
      step,
      fingerprint,
      sealed,
      services.clock.now().toISOString(),
      operationId ?? requestId,
    ],
  )
}

/** Whether the same request may succeed after some seconds. */
const isForLater = ({ errors = [] }: SubgraphResult): boolean =>
  errors.some(({ extensions }) => extensions?.['retryAfter'] !== undefined)

/** Whether the answer is stored for replays: success, also partial, and business refusals. Failed validation and refused access may be retried. */
function isFinal(answer: SubgraphResult): boolean {
  const wrote = Object.values(answer.data ?? {}).some((value) => value !== null)
  return wrote || (!isForLater(answer) && statuses(answer).every((status) => ![400, 401, 403, 429].includes(status)))
}

/** Forgets that a request with the key of this operation was answered, in the transaction that takes back what it had written. */
export async function forgetAnswers(db: Sql, { caller, idempotency }: OperationContext): Promise<void> {
  if (!idempotency) return
  await db.query(
    'delete from kernel.idempotency where organization_id = $1 and credential_id = $2 and key = $3',
    [caller.organizationId, caller.credentialId, idempotency.key],
    'WRITE',
  )
}

/** Deletes answers older than the replay window. */
export async function deleteOldAnswers(services: Services): Promise<void> {
  await services.database.query('delete from kernel.idempotency where created_at <= $1', [cutoff(services)])
}
