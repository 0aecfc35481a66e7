import { beforeAll, describe, expect, it } from 'vitest'
import { restContract } from '../contract-of-rest.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { statusOfCode } from '../../subgraphs/kernel/errors.ts'
import { usePlatform } from '../platform.ts'
import { enrollmentId } from '../requests/enrollments.ts'
import type { ValidRequest } from '../requests/requests.ts'
import { credentials, needsOtherParty } from '../requests/special-cases.ts'
import { Sweep } from '../requests/sweep.ts'
import { restAreas } from '../rest-areas.ts'
import { accessOf, type Access } from './access.ts'
import { callers } from './callers.ts'
import type { Caller } from './kinds-of-callers.ts'
import { createCallerFixture, type CallerFixture } from './caller-fixture.ts'

const { operations, document } = restContract()
const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
let fixture: CallerFixture
beforeAll(async () => {
  fixture = await createCallerFixture(platform)
}, 30_000)

interface State {
  readonly name: string
  readonly sql: string
  readonly id: string
}

/** States of records whose status follows from other columns. */
const otherStates: Readonly<Record<string, readonly (readonly [name: string, sql: string])[]>> = {
  '/v1/api-keys': [
    ['revoked', 'update identity.api_key set revoked_at = now() where id = $1'],
    ['expired', `update identity.api_key set revoked_at = null, expires_at = '2020-01-01' where id = $1`],
  ],
  '/v1/admin/users': [
    ['deactivated', 'update identity.app_user set is_active = false where id = $1'],
    ['active', 'update identity.app_user set is_active = true, must_accept = false where id = $1'],
  ],
  '/v1/oauth-apps': [['public', `update identity.oauth_app set type = 'PUBLIC' where id = $1`]],
  '/v1/webhooks': [['off', 'update events.webhook set is_enabled = false where id = $1']],
}

/** An issued document has a number. */
const issuing = (object: string, state: string): string =>
  object === 'invoice' && state !== 'DRAFT'
    ? `, invoice_number = left(id::text, 20), issue_date = '2027-01-05', due_date = '2027-02-04'`
    : object === 'credit_note'
      ? `, credit_note_number = left(id::text, 20), issue_date = '2027-01-05',
          amount_left = case '${state}' when 'ISSUED' then total - amount_applied - amount_refunded else 0 end`
      : ''

/** Every state of the record that the request names, and a live record where a deleted one is restored. */
function statesOf(operation: RestOperation, { path, body }: ValidRequest): State[] {
  const id = Object.values(path)[0]!
  const isIn = (place: string) => operation.path.startsWith(`${place}/{`)
  const others = Object.entries(otherStates).flatMap(([place, states]) =>
    isIn(place) ? states.map(([name, sql]) => ({ name, sql, id })) : [],
  )
  const area = restAreas.find((one) => isIn(`/v1/${one.path}`))
  if (!area) return others
  const { definition } = area
  const table = definition.storedIn ?? definition.table
  const own = Object.keys(definition.states?.transitions ?? {}).map((name) => ({
    name,
    sql: `update ${table} set status = '${name}', deleted_at = null${issuing(definition.object, name)} where id = $1`,
    id,
  }))
  const live = { name: 'live', sql: `update ${table} set deleted_at = null where id = $1`, id }
  const isRestored = operation.path.endsWith('/restore')
  const enrollments = restAreas.find(({ definition: { object } }) => object === 'sequence_enrollment')!.definition
  const ofEnrollment = Object.keys(enrollments.states!.transitions).map((name) => ({
    name: `enrollment ${name}`,
    sql: `update outreach.sequence_enrollment set status = '${name}' where id = $1`,
    id: enrollmentId,
  }))
  const namesEnrollment = (body as { enrollmentId?: string } | undefined)?.enrollmentId !== undefined
  return [...(isRestored ? [live] : []), ...own, ...(namesEnrollment ? ofEnrollment : []), ...others]
}

const names = new Set([
  'a user who may only read',
  'a manager',
  'a key with READ for WRITE',
  'an access token of a user who may only read',
  'a session of a READ_ONLY user',
  'a session of an admin',
])

/** The refusal of a caller who may not call the operation; null if the caller may, or does not find the record. */
function forbidden(caller: Caller, access: Access): string | null {
  const code = names.has(caller.name) ? caller.refusal(access) : null
  return code !== null && statusOfCode[code] === 403 ? code : null
}

const writes = async (): Promise<string> =>
  (await platform.query<{ count: string }>('select last_value as count from test.writes'))[0]!.count

/** Verbs of an area with the same requirements of callers are refused alike: all of them in a full sweep. */
const sweep = new Sweep()
const isTried = (operation: RestOperation): boolean => {
  const { roles, visibleTo, isBlocked } = accessOf(operation, document.paths[operation.path]![operation.method]!)
  const area = operation.path.split('/', 3).join('/')
  return sweep.includes(JSON.stringify([area, operation.method, roles, visibleTo, isBlocked]), operation.id, 3)
}

const verbs = operations.filter(
  ({ method, path, isPublic, keyParameter, documentId }) =>
    method !== 'get' &&
    path.includes('{') &&
    // The path names no record by its id.
    !path.endsWith('/by/{field}/{value}') &&
    !isPublic &&
    keyParameter === null &&
    !needsOtherParty.has(documentId) &&
    !(documentId in credentials),
)

type Asked = readonly (readonly [Caller, ValidRequest])[]

async function sendAll(asked: Asked): Promise<unknown[][]> {
  const answers: unknown[][] = []
  for (const [caller, request] of asked) {
    const { status, body } = await fixture.requests.send(request)
    answers.push([caller.name, status, body.code])
  }
  return answers
}

/** Throws if the work writes in each of several attempts. Jobs that count usage may write beside one of them. */
async function withoutWrites<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < 8; attempt++) {
    const before = await writes()
    const result = await work()
    if ((await writes()) === before) return result
  }
  throw new Error('Refused requests must write nothing.')
}

describe('a caller who may not call the operation', () => {
  it.each(verbs.filter(isTried).map((operation) => [operation.id, operation] as const))(
    'is refused with 403 by %s in every state of the record',
    { timeout: 60_000 },
    async (_, operation) => {
      const access = accessOf(operation, document.paths[operation.path]![operation.method]!)
      const refused = callers.filter((caller) => forbidden(caller, access) !== null)
      const request = await fixture.requests.valid(operation, { fresh: true })
      const asked: (readonly [Caller, ValidRequest])[] = []
      for (const caller of refused) asked.push([caller, { ...request, headers: await caller.headers(fixture, access) }])
      const [found, expected]: [unknown[], unknown[]] = [[], []]
      for (const { name, sql, id } of statesOf(operation, request)) {
        await platform.query(sql, [id])
        const answers = await withoutWrites(() => sendAll(asked))
        found.push(...answers.map((answer) => [name, ...answer]))
        expected.push(...refused.map((caller) => [name, caller.name, 403, forbidden(caller, access)]))
      }
      expect(found).toEqual(expected)
    },
  )

  it('is tested for every operation that refuses by the state of a record', () => {
    const moves = restAreas.flatMap(({ definition: { states } }) =>
      Object.values(states?.transitions ?? {}).flatMap((next) =>
        Object.values(next ?? {}).flatMap((list) => list ?? []),
      ),
    )
    const moving = new Set(moves.map((move) => (typeof move === 'string' ? move : move.operation)))
    expect([...moving].filter((id) => !verbs.some((operation) => operation.id === id))).toEqual([])
  })
})
