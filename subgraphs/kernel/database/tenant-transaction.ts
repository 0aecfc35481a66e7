import type pg from 'pg'
import { Transaction, type Row, type StatementKind } from './database.ts'
import { inTime, isComposed } from './deadlines.ts'
import type { SharedOperation } from './shared-pool.ts'

/** A transaction on a shared pool: what the client composed has the deadline of a read, and scans in the narrow lane. */
export class TenantTransaction extends Transaction {
  /** Settings last until the transaction ends, so the next statement must put back what a read has set. */
  #isReading = false

  constructor(
    client: pg.PoolClient,
    private readonly operation: SharedOperation,
  ) {
    super(client)
  }

  /** Says for whom the transaction is, and how long its statements may take. */
  async introduce(): Promise<void> {
    const introduction = this.operation.introduce?.('WRITE')
    if (introduction) await this.client.query(introduction)
  }

  override query<R = Row>(text: string, values: readonly unknown[] = [], kind: StatementKind = 'LOOKUP'): Promise<R[]> {
    const { introduce } = this.operation
    if (isComposed(kind)) return this.#read<R>(text, values, kind)
    if (!this.#isReading) return this.introduced<R>(text, values, null)
    this.#isReading = false
    return this.introduced<R>(text, values, introduce?.('WRITE') ?? null)
  }

  async #read<R>(text: string, values: readonly unknown[], kind: StatementKind): Promise<R[]> {
    const { shared, tenant, introduce } = this.operation
    const needsLane = kind === 'SCAN'
    const turn = needsLane
      ? await shared.turn({ tenant, needsConnection: false, needsLane, operation: this.operation })
      : null
    try {
      this.#isReading = introduce !== null
      return await this.introduced<R>(text, values, introduce?.('READ') ?? null)
    } catch (error) {
      throw inTime(error, kind)
    } finally {
      if (turn) shared.queue.leave(turn)
    }
  }
}
