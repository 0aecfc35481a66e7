import type pg from 'pg'
import type { Cancellable } from '../cancellation.ts'
import { Refusal } from '../errors.ts'
import { brokenBy, run, type Row, type StatementKind } from './database.ts'
import { inTime, isComposed, operationMs, tooExpensive } from './deadlines.ts'
import type { Turn } from './fair-queue.ts'
import type { Introduction } from './prepared-query.ts'
import { crowded, type SharedOperation } from './shared-pool.ts'

type Release = (broken?: Error) => void

/** One statement on a shared pool, from its turn to its answer. */
export class SharedStatement implements Turn, Cancellable {
  readonly needsConnection = true
  readonly tenant: string
  readonly needsLane: boolean
  #client: pg.PoolClient | null = null
  #isCancelled = false
  #cancelling: Promise<unknown> | null = null

  constructor(
    readonly operation: SharedOperation,
    private readonly text: string,
    private readonly values: readonly unknown[],
    private readonly kind: StatementKind,
    private readonly resolve: (rows: Row[]) => void,
    private readonly reject: (error: unknown) => void,
  ) {
    this.tenant = operation.tenant
    this.needsLane = kind === 'SCAN'
  }

  begin(): void {
    const { cancellation, shared } = this.operation
    if (cancellation && this.kind !== 'WRITE') {
      if (cancellation.isCancelled) return this.reject(abandoned())
      const isLate = isComposed(this.kind) && performance.now() - this.operation.begunAt > operationMs
      if (isLate) return this.reject(tooExpensive())
      cancellation.add(this)
    }
    if (shared.enter(this, (refusal) => this.#refuse(refusal))) this.start()
  }

  start(): void {
    this.operation.shared.pool.connect((unreachable, client, release) => {
      if (!client) return this.#end(unreachable, [])
      if (this.#isCancelled) {
        release()
        return this.#end(abandoned(), [])
      }
      this.#client = client
      const settle = (error: unknown, rows: Row[]): void => this.#settle(release, error, rows)
      try {
        run(client, this.text, this.values, settle, this.#introduction())
      } catch (error) {
        settle(error, [])
      }
    })
  }

  expire(): void {
    this.#refuse(crowded())
  }

  /** The connection is held until PostgreSQL has taken the request, lest it cancel what runs on it next. */
  cancel(): void {
    this.#isCancelled = true
    const { shared } = this.operation
    if (shared.queue.remove(this)) return this.reject(abandoned())
    if (!this.#client || !shared.cancelThrough) return
    const { processID } = this.#client as unknown as { readonly processID: number }
    // Where that fails, the statement runs to its deadline.
    this.#cancelling = shared.cancelThrough.query('select pg_cancel_backend($1)', [processID]).catch(() => {})
  }

  #settle(release: Release, error: unknown, rows: Row[]): void {
    const done = (): void => {
      release(brokenBy(error))
      this.#end(error && (this.#isCancelled ? abandoned() : inTime(error, this.kind)), rows)
    }
    this.#client = null
    if (this.#cancelling) void this.#cancelling.then(done)
    else done()
  }

  #end(error: unknown, rows: Row[]): void {
    this.operation.shared.queue.leave(this)
    this.operation.cancellation?.delete(this)
    if (error) return this.reject(error)
    if (this.kind === 'WRITE') this.operation.shared.onCommit?.()
    this.resolve(rows)
  }

  #introduction(): Introduction | null {
    const { introduce } = this.operation
    return introduce && introduce(this.kind === 'WRITE' ? 'WRITE' : 'DEFAULT')
  }

  #refuse(refusal: Refusal): void {
    this.operation.cancellation?.delete(this)
    this.reject(refusal)
  }
}

/** Nobody reads it. */
const abandoned = (): Refusal => new Refusal('UNAVAILABLE', 'The client has left.')
