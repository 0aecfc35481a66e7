import { createHash } from 'node:crypto'
import { refusalOfSize } from '../answer-size.ts'
import { CallsOut } from '../call-out.ts'
import { mayDoMore, type Caller, type FieldRestrictions, type Role } from '../context.ts'
import { isErrorCode, Refusal, statusOfCode } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Sql } from '../database/database.ts'
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

/** An answer, and as whom it was given. */
interface Stored {
  readonly role: Role
  readonly fields: FieldRestrictions | null
  readonly answer: SubgraphResult
}

/** Undoes everything a run wrote, and still answers. */
class Undone extends Error {
  constructor(readonly answer: SubgraphResult) {
    super('undone')
  }
}

type Run = (ctx: RequestContext) => Promise<SubgraphResult>

/**
 * Runs a mutation at most once per idempotency key: the key, what it wrote and its answer commit in one transaction, so a
 * crash leaves all of them or none. A key in use is refused at once, never waited for. While a call to the outside is made
 * nothing is open or in use: of two requests that both call, one writes and the other is answered what that one said.
 */
export async function once(services: Services, request: SubgraphRequest, run: Run): Promise<SubgraphResult> {
  const callsOut = new CallsOut()
  for (;;) {
    const answer = await onceWith(callsOut, services, request, run)
    if (!(await callsOut.answer())) return answer
  }
}

async function onceWith(
  callsOut: CallsOut,
  services: Services,
  request: SubgraphRequest,
  run: Run,
): Promise<SubgraphResult> {
  const { context } = request
  const { key } = context.idempotency!
  const step = stepOf(request.document)
  try {
    await services.vault.load(context.caller.organizationId)
    const outcome = await services.tenants.of(context.caller.organizationId, context).transaction(async (db) => {
      await lock(db, [context.caller.organizationId, context.caller.credentialId, key])
      const earlier = await recall(db, services, request, step)
      if (earlier) return { earlier }
      const answer = await run(requestContext(context, services, db, callsOut))
      const tooLarge = refusalOfSize(answer)
      if (tooLarge) throw new Undone({ data: null, errors: [tooLarge.toJSON()] })
      if (isDefect(answer) || wasStopped(answer))
        throw new Undone({ data: null, ...(answer.errors && { errors: answer.errors }) })
      if (isFinal(answer)) await remember(db, services, request, step, answer)
      return { answer }
    })
    return outcome.earlier ? await replayed(services, request, outcome.earlier) : outcome.answer
  } catch (error) {
    if (error instanceof Undone) return error.answer
    return refused(error)
  }
}

/**
 * What a query that belongs to a mutation was answered the first time: the mutation's answer may have parts of several subgraphs,
 * and a replay says of all of them what the first answer said.
 */
export async function asBefore(
  services: Services,
  request: SubgraphRequest,
  run: () => Promise<SubgraphResult>,
): Promise<SubgraphResult> {
  const step = stepOf(request.document, request.variables)
  const db = services.tenants.of(request.context.caller.organizationId, request.context)
  try {
    const earlier = await recall(db, services, request, step)
    if (earlier) return await replayed(services, request, earlier)
    await services.vault.load(request.context.caller.organizationId)
  } catch (error) {
    return refused(error)
  }
  const answer = await run()
  const tooLarge = refusalOfSize(answer)
  if (tooLarge) return refused(tooLarge)
  if (!isDefect(answer) && isFinal(answer)) await remember(db, services, request, step, answer)
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
function refuseLowered(before: Omit<Stored, 'answer'>, now: Caller): void {
  if (mayDoMore(before.role, now.role))
    throw new Refusal('PERMISSION_DENIED', 'Your role was lowered since this request was answered; it is not repeated.')
  if (now.fields && JSON.stringify(now.fields) !== JSON.stringify(before.fields))
    throw new Refusal('PERMISSION_DENIED', 'Your profile changed since this request was answered; it is not repeated.')
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

/** Opened outside the transaction: the key may have to be read. */
async function replayed(
  services: Services,
  request: SubgraphRequest,
  { step, answer: sealed }: Remembered,
): Promise<SubgraphResult> {
  const { caller } = request.context
  await services.vault.load(caller.organizationId, sealed)
  const text = services.vault.open(caller.organizationId, placeOf(request, step), sealed)
  const { answer, ...before } = JSON.parse(text) as Stored
  refuseLowered(before, caller)
  return { ...answer, replayed: true }
}

async function remember(
  db: Sql,
  services: Services,
  request: SubgraphRequest,
  step: string,
  answer: SubgraphResult,
): Promise<void> {
  const { caller, idempotency } = request.context
  const { key, fingerprint } = idempotency!
  const sealed = services.vault.seal(
    caller.organizationId,
    placeOf(request, step),
    JSON.stringify({ role: caller.role, fields: caller.fields, answer } satisfies Stored),
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
