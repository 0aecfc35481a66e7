import { AsyncLocalStorage } from 'node:async_hooks'

/** Detects code inside a transaction that takes a second connection. */
export interface ConnectionGuard {
  /** Throws when it is called inside a transaction. */
  refuseNested(): void
  /** Runs the work of a transaction; `refuseNested` throws in this work until it ends. */
  insideTransaction<T>(work: () => Promise<T>): Promise<T>
}

/** A guard that checks nothing, for production. */
export const unguarded: ConnectionGuard = { refuseNested: () => undefined, insideTransaction: (work) => work() }

/**
 * Refuses a second connection inside a transaction, because it can cause a deadlock: when as many transactions as the pool has
 * connections each wait for one more connection, all of them and every other request wait until they time out. Databases that
 * share a guard count as one, because such a deadlock can span several pools.
 */
export function connectionGuard(): ConnectionGuard {
  const transactions = new AsyncLocalStorage<{ isOpen: boolean }>()
  return {
    refuseNested() {
      if (!transactions.getStore()?.isOpen) return
      throw new Error('Code inside a transaction must use the connection of the transaction, not a second one.')
    },
    insideTransaction(work) {
      // Asynchronous work that a transaction started may take a connection after the transaction has ended.
      const transaction = { isOpen: true }
      return transactions.run(transaction, work).finally(() => (transaction.isOpen = false))
    },
  }
}
