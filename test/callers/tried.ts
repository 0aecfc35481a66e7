import { restContract } from '../contract-of-rest.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import { credentials, needsOtherParty } from '../requests/special-cases.ts'
import { sampleOf, type Sweep } from '../requests/sweep.ts'
import { accessOf, type Access } from './access.ts'
import { callers, callersOf } from './callers.ts'
import type { Caller } from './kinds-of-callers.ts'

const { operations, document } = restContract()

/** A key in the query takes the place of every other credential; `test/outreach` tests these operations. */
export const operationsOfCallers = operations.filter(({ keyParameter }) => keyParameter === null)

/** Operations with the same requirements accept and refuse the same callers. */
const signatureOf = ({ path: _path, documentId: _documentId, scopes, ...requirements }: Access): string =>
  JSON.stringify([requirements, scopes.map((scope) => scope.replace(/^(READ|WRITE)_.*/, '$1'))])

const refusedEverywhere = callers.filter(({ isRefusedEverywhere }) => isRefusedEverywhere)

export interface TriedCallers {
  readonly operation: RestOperation
  readonly access: Access
  readonly refused: readonly Caller[]
  readonly allowed: readonly Caller[]
}

/**
 * The callers who are tried at an operation: those whom it refuses itself, some of those whose credential no operation accepts, and
 * one who may call it, a MEMBER if it may be one. The first operation of a signature gets all.
 */
export function triedAt(operation: RestOperation, sweep: Sweep): TriedCallers {
  const access = accessOf(operation, document.paths[operation.path]![operation.method]!)
  const decided = callersOf(access)
  const signature = signatureOf(access)
  const tried = new Set(sweep.choose(`refused ${signature}`, operation.id, refusedEverywhere, 3))
  const refused = decided.filter(
    (caller) => caller.refusal(access) !== null && (!caller.isRefusedEverywhere || tried.has(caller)),
  )
  const accepted = isAccepted(operation, access) ? decided.filter((caller) => caller.refusal(access) === null) : []
  const members = accepted.filter(({ isMember }) => isMember)
  const allowed = sweep.choose(`allowed ${signature}`, operation.id, accepted)
  const isOne = allowed.length === 1 && members.length > 0
  return { operation, access, refused, allowed: isOne ? sampleOf(operation.id, members, 1, false) : allowed }
}

/** Whether a valid request of an allowed caller succeeds without what another party does first. */
const isAccepted = ({ documentId }: RestOperation, { isOfApps }: Access): boolean =>
  (isOfApps || !needsOtherParty.has(documentId)) && !(documentId in credentials)
