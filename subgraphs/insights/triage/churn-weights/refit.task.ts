import { refit, type Refit } from './fit-weights.ts'

// What runs in a worker thread.

export interface RefitTask {
  readonly months: readonly string[]
  /** One row of values after the other. */
  readonly values: Float64Array
  readonly width: number
  /** Of each row: the index of its month, of its account, and 1 if the account churned. */
  readonly rows: Int32Array
  readonly start: readonly number[]
}

export function refitWeights({ months, values, width, rows, start }: RefitTask): Refit {
  const examples = Array.from({ length: values.length / width }, (_, row) => ({
    month: months[rows[3 * row]!]!,
    accountId: String(rows[3 * row + 1]),
    x: [...values.subarray(row * width, (row + 1) * width)],
    churned: rows[3 * row + 2] === 1,
  }))
  return refit(examples, start)
}
