import { createHash } from 'node:crypto'
import { refusalOfSize } from '../answer-size.ts'
import { CallsOut } from '../call-out.ts'
import { mayDoMore, type Caller, type FieldRestrictions, type Role } from '../context.ts'
import { isErrorCode, notFound, Refusal, statusOfCode } from '../errors.ts'
import { parseJsonExactly } from '../exact-json.ts'
import { newId } from '../ids.ts'
import type { Sql } from '../database/database.ts'
import { inSight, seesAll, seesLess, Telling, type Kinds, type Told } from '../record/told.ts'
import { requestContext, type RequestContext, type Services } from '../request.ts'
import type { SealedColumn } from '../secrets/rotate.ts'
import type { SubgraphRequest, SubgraphResult } from './endpoint.ts'

const idempotencyHours = 24

interface Remembered {
  step: string
  fingerprint: string
  /** Sealed: it may carry what is shown once, like the secret of a new key. */
  answer: string
}

/** An answer, as whom it was given, and what it tells. */
interface Stored {
  readonly role: Role
  readonly fields: FieldRestrictions | null
  readonly ownerIds: readonly string[] | null
  readonly told: Told
  readonly answer: SubgraphResult
}

const toldNothing: Pick<Stored, 'told'> = { told: { records: {}, hasFigures: false } }

/** Undoes everything a run wrote, and still answers. */
class Undone extends Error {
  constructor(readonly answer: SubgraphResult) {
    super('undone')
  }
}

type Run = (ctx: RequestContext) => Promise<SubgraphResult>

/** One operation of a subgraph that came with a key. */
export interface Keyed {
  readonly services: Services
  readonly request: SubgraphRequest
  readonly kinds: Kinds
}

/**
 * Runs a mutation at most once per idempotency key: the key, what it wrote and its answer commit in one transaction, so a
 * crash leaves all of them or none. A key in use is refused at once, never waited for. While a call to the outside is made
 * nothing is open or in use: of two requests that both call, one writes and the other is answered what that one said.
 */
export async function once(keyed: Keyed, run: Run): Promise<SubgraphResult> {
  const callsOut = new CallsOut()
  for (;;) {
    const answer = await onceWith(callsOut, keyed, run)
    if (!(await callsOut.answer())) return answer
  }
}

async function onceWith(callsOut: CallsOut, keyed: Keyed, run: Run): Promise<SubgraphResult> {
  const { services, request, kinds } = keyed
  const { context } = request
  const { caller } = context
  const { key } = context.idempotency!
  const step = stepOf(request.document)
  try {
    await services.vault.load(caller.organizationId)
    const outcome = await services.tenants.of(caller.organizationId, context).transaction(async (db) => {
      await lock(db, [caller.organizationId, caller.credentialId, key])
      const earlier = await recall(db, services, request, step)
      if (earlier) return { earlier }
      const telling = new Telling(kinds)
      const answer = await run(requestContext(context, services, db, { callsOut, telling }))
      const tooLarge = refusalOfSize(answer)
      if (tooLarge) throw new Undone({ data: null, errors: [tooLarge.toJSON()] })
      if (isDefect(answer) || wasStopped(answer))
        throw new Undone({ data: null, ...(answer.errors && { errors: answer.errors }) })
      if (isFinal(answer)) {
        const { records, hasFigures } = telling.told()
        // What a write took out of its caller's own sight is told to a retry as to the first request.
        const seen = caller.ownerIds ? await inSight({ caller, db }, kinds, records) : records
        await remember(db, services, request, step, { answer, told: { records: seen, hasFigures } })
      }
      return { answer }
    })
    if (!outcome.earlier) return outcome.answer
    const replay = await replayed(keyed, outcome.earlier)
    if (!replay) throw notFound('What this request was answered with')
    return replay
  } catch (error) {
    if (error instanceof Undone) return error.answer
    return refused(error)
  }
}

/**
 * What a query that belongs to a mutation was answered the first time: the mutation's answer may have parts of several subgraphs,
 * and a replay says of all of them what the first answer said. What is out of sight since is read anew.
 */
export async function asBefore(keyed: Keyed, run: Run): Promise<SubgraphResult> {
  const { services, request, kinds } = keyed
  const step = stepOf(request.document, request.variables)
  const { caller } = request.context
  const db = services.tenants.of(caller.organizationId, request.context)
  try {
    const earlier = await recall(db, services, request, step)
    const replay = earlier && (await replayed(keyed, earlier))
    if (replay) return replay
    await services.vault.load(caller.organizationId)
  } catch (error) {
    return refused(error)
  }
  const telling = new Telling(kinds)
  const answer = await run(requestContext(request.context, services, db, { telling }))
  const tooLarge = refusalOfSize(answer)
  if (tooLarge) return refused(tooLarge)
  if (!isDefect(answer) && isFinal(answer))
    await remember(db, services, request, step, { answer, told: telling.told() })
  return answer
}

function refused(error: unknown): SubgraphResult {
  if (error instanceof Refusal) return { data: null, errors: [error.toJSON()] }
  throw error
}

/** An operation over several subgraphs has steps in each. Of a mutation the fingerprint of the request says the variables. */
const stepOf = (document: string, variables?: object): string =>
  createHash('sha256')
    .update(variables ? `${document}\n${JSON.stringify(variables)}` : document)
    .digest('base64url')

/** Scopes were checked before; whether the role still allows what was done then, only doing it again would tell. */
function refuseLowered(before: Stored, now: Caller): void {
  if (mayDoMore(before.role, now.role))
    throw new Refusal('PERMISSION_DENIED', 'Your role was lowered since this request was answered; it is not repeated.')
  if (now.fields && JSON.stringify(now.fields) !== JSON.stringify(before.fields))
    throw new Refusal('PERMISSION_DENIED', 'Your profile changed since this request was answered; it is not repeated.')
}

/** Whether the caller would be told by now what the answer tells: every record of it, and figures over no more than it sees. */
async function isInSight(
  { request, kinds }: Keyed,
  db: Sql,
  { ownerIds, told: { records, hasFigures } }: Stored,
): Promise<boolean> {
  const { caller } = request.context
  if (hasFigures && seesLess(ownerIds, caller.ownerIds)) return false
  return seesAll({ caller, db }, kinds, records)
}

const placeOf = ({ context: { caller, idempotency } }: SubgraphRequest, step: string): string =>
  place(caller.organizationId, caller.credentialId, idempotency!.key, step)

/** What an answer is bound to: where it is stored. */
const place = (...names: readonly string[]): string => ['kernel.idempotency', ...names].join('\n')

export const sealedAnswers: SealedColumn = {
  table: 'kernel.idempotency',
  column: 'answer',
  key: ['organization_id', 'credential_id', 'key', 'step'],
  organization: 'organization_id',
  place: (row) => place(...['organization_id', 'credential_id', 'key', 'step'].map((name) => String(row[name]))),
}

async function lock(db: Sql, parts: readonly string[]): Promise<void> {
  const [row] = await db.query<{ taken: boolean }>(
    'select pg_try_advisory_xact_lock(hashtextextended($1, 7)) as taken',
    [parts.join('\n')],
  )
  if (!row!.taken) {
    throw new Refusal('IDEMPOTENCY_IN_PROGRESS', 'A request with this Idempotency-Key is still running.', {
      retryAfter: 1,
    })
  }
}

const cutoff = ({ clock }: Services): string =>
  new Date(clock.now().getTime() - idempotencyHours * 3_600_000).toISOString()

/** What this step was answered before, or null. */
async function recall(db: Sql, services: Services, request: SubgraphRequest, step: string): Promise<Remembered | null> {
  const { caller, idempotency } = request.context
  const remembered = await db.query<Remembered>(
    `select step, fingerprint, case when step = $5 then answer end as answer from kernel.idempotency
     where organization_id = $1 and credential_id = $2 and key = $3 and created_at > $4`,
    [caller.organizationId, caller.credentialId, idempotency!.key, cutoff(services), step],
  )
  if (remembered.some(({ fingerprint }) => fingerprint !== idempotency!.fingerprint))
    throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used with a different request.')
  return remembered.find((row) => row.step === step) ?? null
}

/** The answer of before; null when it tells what is out of the caller's sight. Outside the transaction: the key may have to be read. */
async function replayed(keyed: Keyed, { step, answer: sealed }: Remembered): Promise<SubgraphResult | null> {
  const { services, request } = keyed
  const { caller } = request.context
  await services.vault.load(caller.organizationId, sealed)
  const text = services.vault.open(caller.organizationId, placeOf(request, step), sealed)
  // What a version stored that noted nothing tells of nothing that could be asked about.
  const stored = { ...toldNothing, ...(parseJsonExactly(text) as Omit<Stored, 'told'> & Partial<Stored>) }
  refuseLowered(stored, caller)
  const db = services.tenants.of(caller.organizationId, request.context)
  return (await isInSight(keyed, db, stored)) ? { ...stored.answer, replayed: true } : null
}

async function remember(
  db: Sql,
  services: Services,
  request: SubgraphRequest,
  step: string,
  given: Pick<Stored, 'answer' | 'told'>,
): Promise<void> {
  const { caller, idempotency } = request.context
  const { key, fingerprint } = idempotency!
  const { role, fields, ownerIds } = caller
  const sealed = services.vault.seal(
    caller.organizationId,
    placeOf(request, step),
    JSON.stringify({ role, fields, ownerIds, ...given } satisfies Stored),
  )
  await db.query(
    `insert into kernel.idempotency (organization_id, id, credential_id, key, step, fingerprint, answer, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (organization_id, credential_id, key, step)
     do update set fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`,
    [
      caller.organizationId,
      newId(),
      caller.credentialId,
      key,
      step,
      fingerprint,
      sealed,
      services.clock.now().toISOString(),
    ],
  )
}

function statuses({ errors = [] }: SubgraphResult): number[] {
  return errors.map(({ extensions }) => (isErrorCode(extensions?.code) ? statusOfCode[extensions.code] : 500))
}

/** A read that took too long has ended the transaction as well. */
const isDefect = (answer: SubgraphResult): boolean =>
  statuses(answer).some((status) => status >= 500) ||
  (answer.errors ?? []).some(({ extensions }) => extensions?.code === 'QUERY_TOO_EXPENSIVE')

/** Reading too much ends the connection, and with it the transaction. */
const wasStopped = ({ errors = [] }: SubgraphResult): boolean =>
  errors.some(({ extensions }) => extensions?.['code'] === 'ANSWER_TOO_LARGE')

/** Success, even of a part, and business refusals are final; failed validation and refused access may be tried again. */
function isFinal(answer: SubgraphResult): boolean {
  const wrote = Object.values(answer.data ?? {}).some((value) => value !== null)
  return wrote || statuses(answer).every((status) => ![400, 401, 403, 429].includes(status))
}

/** Forgets answers older than the replay window. */
export async function forgetOldAnswers(services: Services): Promise<void> {
  await services.database.query('delete from kernel.idempotency where created_at <= $1', [cutoff(services)])
}
