import type pg from 'pg'
import type { Cancellable } from '../cancellation.ts'
import { Refusal } from '../errors.ts'
import { connectionError, run } from './database.ts'
import type { Row, StatementKind } from './sql.ts'
import { isClientComposed, operationMs, tooExpensive, translateTimeout } from './deadlines.ts'
import type { PoolRequest } from './fair-queue.ts'
import { poolExhausted } from './pool-exhausted.ts'
import { serverProcessOf } from '../package-internals/pg-connection.ts'
import type { LeadingStatement } from '../package-internals/prepared-query.ts'
import type { SharedOperation } from './shared-pool.ts'

type Release = (broken?: Error) => void

/** The time until a statement that still runs is cancelled again, which doubles each time. */
const [againMsMin, againMsMax] = [10, 320]

/** One statement on a shared pool, from queueing to its result. */
export class SharedStatement implements PoolRequest, Cancellable {
  readonly needsConnection = true
  readonly tenant: string
  readonly needsScanSlot: boolean
  #client: pg.PoolClient | null = null
  #isCancelled = false
  #cancelling: Promise<unknown> | null = null
  #again: NodeJS.Timeout | undefined

  constructor(
    readonly operation: SharedOperation,
    readonly text: string,
    private readonly values: readonly unknown[],
    private readonly kind: StatementKind,
    private readonly resolve: (rows: Row[]) => void,
    private readonly reject: (error: unknown) => void,
    private readonly cancellation = operation.cancellation,
  ) {
    this.tenant = operation.tenant
    this.needsScanSlot = kind === 'SCAN'
  }

  begin(): void {
    const { cancellation } = this
    const { shared } = this.operation
    if (cancellation && this.kind !== 'WRITE') {
      if (cancellation.isCancelled) return this.reject(clientLeft())
      const isLate = isClientComposed(this.kind) && performance.now() - this.operation.begunAt > operationMs
      if (isLate) return this.reject(tooExpensive())
      cancellation.add(this)
    }
    if (shared.acquire(this, (refusal) => this.#refuse(refusal))) this.start()
  }

  start(): void {
    this.operation.shared.pool.connect((unreachable, client, release) => {
      if (!client) return this.#end(unreachable, [])
      if (this.#isCancelled) {
        release()
        return this.#end(clientLeft(), [])
      }
      this.#client = client
      const settle = (error: unknown, rows: Row[]): void => this.#settle(release, error, rows)
      try {
        run(client, this.text, this.values, settle, this.#settings())
      } catch (error) {
        settle(error, [])
      }
    })
  }

  expire(isOwnLoad: boolean): void {
    this.#refuse(poolExhausted('LATE', isOwnLoad))
  }

  cancel(): void {
    this.#isCancelled = true
    if (this.operation.shared.queue.remove(this)) return this.reject(clientLeft())
    void this.#cancelRunning(againMsMin)
  }

  /**
   * The connection is not released until PostgreSQL has received the request, which could otherwise cancel the next statement on it. The
   * request has no effect if it arrives before the statement does, so it is repeated until the statement ends.
   */
  async #cancelRunning(againMs: number): Promise<void> {
    const { cancelThrough } = this.operation.shared
    if (!this.#client || !cancelThrough) return
    const process = serverProcessOf(this.#client)
    // If no request arrives, the statement runs until its timeout.
    this.#cancelling = cancelThrough.query('select pg_cancel_backend($1)', [process]).catch(() => {})
    await this.#cancelling
    if (!this.#client) return
    this.#again = setTimeout(() => void this.#cancelRunning(Math.min(2 * againMs, againMsMax)), againMs)
  }

  #settle(release: Release, error: unknown, rows: Row[]): void {
    const done = (): void => {
      release(connectionError(error))
      this.#end(error && (this.#isCancelled ? clientLeft() : translateTimeout(error, this.kind)), rows)
    }
    this.#client = null
    clearTimeout(this.#again)
    if (this.#cancelling) void this.#cancelling.then(done)
    else done()
  }

  #end(error: unknown, rows: Row[]): void {
    this.operation.shared.queue.release(this)
    this.cancellation?.delete(this)
    if (error) return this.reject(error)
    if (this.kind === 'WRITE') this.operation.shared.onCommit?.()
    this.resolve(rows)
  }

  #settings(): LeadingStatement[] {
    const { kind, operation } = this
    return operation.settingsFor ? [operation.settingsFor(kind === 'WRITE' || kind === 'SCAN' ? kind : 'DEFAULT')] : []
  }

  #refuse(refusal: Refusal): void {
    this.cancellation?.delete(this)
    this.reject(refusal)
  }
}

/** The client never receives it. */
export const clientLeft = (): Refusal => new Refusal('UNAVAILABLE', 'The client has disconnected.')
