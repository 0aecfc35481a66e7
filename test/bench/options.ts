import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Names of scenarios and further measures; empty: everything. */
  readonly only: readonly string[]
  /** Folder of a database that is kept for the next run; null: a new one, thrown away. */
  readonly data: string | null
  /** Accounts in the main organization, and as many over the others. */
  readonly accounts: number
  /** Accounts of the small and the large organization that are compared. */
  readonly scale: readonly [number, number]
  /** Instead of measuring, show where the project spends its time on the scenarios. */
  readonly profile: boolean
  readonly rounds: number
  readonly roundMs: number
  readonly warmUpMs: number
  readonly connections: number
}

export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean' },
      profile: { type: 'boolean' },
      data: { type: 'string' },
      rounds: { type: 'string' },
    },
  })
  const size = values.quick
    ? { accounts: 10_000, scale: [1_000, 20_000] as const, rounds: 4, roundMs: 800, warmUpMs: 1500 }
    : { accounts: 100_000, scale: [10_000, 1_000_000] as const, rounds: 10, roundMs: 1500, warmUpMs: 2500 }
  return {
    ...size,
    ...(values.rounds && { rounds: Number(values.rounds) }),
    only: values.only?.split(',') ?? [],
    data: values.data ?? null,
    profile: values.profile ?? false,
    connections: 32,
  }
}
