import type pg from 'pg'
import { Transaction } from './database.ts'
import type { Row, StatementKind } from './sql.ts'
import { translateTimeout, isClientComposed } from './deadlines.ts'
import type { SharedOperation } from './shared-pool.ts'

/** A transaction on a shared pool. Statements that the client composed have the timeout of a read; scans also need a scan slot. */
export class TenantTransaction extends Transaction {
  /** The timeouts of a read are set. Settings last until the transaction ends, so the next write must set its own again. */
  #isReading = false

  constructor(
    client: pg.PoolClient,
    private readonly operation: SharedOperation,
  ) {
    const settings = operation.settingsFor?.('WRITE')
    super(client, ...(settings ? [settings] : []))
  }

  override query<R = Row>(text: string, values: readonly unknown[] = [], kind: StatementKind = 'LOOKUP'): Promise<R[]> {
    const { settingsFor } = this.operation
    if (isClientComposed(kind)) return this.#read<R>(text, values, kind)
    if (!this.#isReading) return this.queryWithSettings<R>(text, values, null)
    this.#isReading = false
    return this.queryWithSettings<R>(text, values, settingsFor?.('WRITE') ?? null)
  }

  async #read<R>(text: string, values: readonly unknown[], kind: StatementKind): Promise<R[]> {
    const { shared, tenant, settingsFor } = this.operation
    const needsScanSlot = kind === 'SCAN'
    const request = needsScanSlot
      ? await shared.whenAcquired({ tenant, needsConnection: false, needsScanSlot, operation: this.operation })
      : null
    try {
      this.#isReading = settingsFor !== null
      return await this.queryWithSettings<R>(text, values, settingsFor?.('READ') ?? null)
    } catch (error) {
      throw translateTimeout(error, kind)
    } finally {
      if (request) shared.queue.release(request)
    }
  }
}
