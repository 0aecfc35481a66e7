import type { ExternalCalls } from '../../kernel/outbound/external-calls.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { turnMs } from '../flow/bounds.ts'

/** The time of one request or one turn of a worker, whose transaction begins again after each external call. */
export class Turn {
  readonly #endsAt = performance.now() + turnMs
  #begun = 0

  /** Whether an element is left to the next turn. One that has begun before an external call is not: what was called would be lost. */
  isOverAt(count: number): boolean {
    if (count <= this.#begun) return false
    if (performance.now() >= this.#endsAt) return true
    this.#begun = count
    return false
  }
}

const turns = new WeakMap<ExternalCalls, Map<string, Turn>>()

/** The turn of a request, whose resolvers run again after external calls if all of it is one transaction. */
export function turnOf({ externalCalls }: RequestContext, what: string): Turn {
  if (!externalCalls) return new Turn()
  let known = turns.get(externalCalls)
  if (!known) turns.set(externalCalls, (known = new Map()))
  let turn = known.get(what)
  if (!turn) known.set(what, (turn = new Turn()))
  return turn
}
