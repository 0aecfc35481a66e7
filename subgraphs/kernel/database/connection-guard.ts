import { AsyncLocalStorage } from 'node:async_hooks'

/** Whether code that holds the connection of an open transaction may ask for another connection. */
export interface ConnectionGuard {
  /** Throws when the caller is inside a transaction. */
  refuseNested(): void
  /** Runs the work of a transaction. */
  within<T>(work: () => Promise<T>): Promise<T>
}

/** Lets everything pass and costs nothing. */
export const unguarded: ConnectionGuard = { refuseNested: () => undefined, within: (work) => work() }

/**
 * Refuses a second connection inside a transaction. As many transactions as the pool has connections, each waiting for one
 * more, wait for each other until they time out, and every other request waits with them. Databases that share a guard
 * count as one: the wait may go through several pools.
 */
export function connectionGuard(): ConnectionGuard {
  const transactions = new AsyncLocalStorage<{ isOpen: boolean }>()
  return {
    refuseNested() {
      if (!transactions.getStore()?.isOpen) return
      throw new Error('A second connection was asked for inside a transaction: use the connection of the transaction.')
    },
    within(work) {
      // Work that a transaction leaves behind may take a connection once the transaction has ended.
      const transaction = { isOpen: true }
      return transactions.run(transaction, work).finally(() => (transaction.isOpen = false))
    },
  }
}
