import { wholeData } from '../subgraphs/kernel/outbox/event-data.ts'

type Query = <R>(text: string, values?: readonly unknown[]) => Promise<R[]>

/** Rows of `kernel.event` with `data` as readers of the event log get it. */
export async function storedEvents<E extends { readonly data: unknown }>(
  query: Query,
  text: string,
  values: readonly unknown[] = [],
): Promise<E[]> {
  const rows = await query<E>(text, values)
  return rows.map((row) => ({ ...row, data: wholeData(row.data as Readonly<Record<string, unknown>>) }))
}
