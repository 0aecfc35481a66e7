import { parseArgs } from 'node:util'
import type { FillOptions } from './growth/fill.ts'

export interface BenchOptions {
  /** Names of scenarios and other measures to run; empty for all. */
  readonly only: readonly string[]
  /** Folder of the database to keep for the next run; null for a temporary database. */
  readonly data: string | null
  /** Number of accounts in the main organization; the other organizations together have the same number. */
  readonly accounts: number
  /** Number of accounts in the small and in the large organization that are compared. */
  readonly scale: readonly [number, number]
  /** The fill of `growth`. */
  readonly growth: FillOptions
  /** Measure only these lists of `growth`, such as `/v1/accounts,accountList`; empty for all. */
  readonly lists: readonly string[]
  /** Measure only the rows of `growth` whose list and parameter contain this text; empty for all. */
  readonly match: string
  /** How many values of a parameter `growth` measures. */
  readonly values: number
  /** Records of the organization whose deal board and timeline are measured. */
  readonly graph: { readonly opportunities: number; readonly activities: number }
  /** Records of the organization whose figures are measured. */
  readonly insights: {
    readonly accounts: number
    readonly activities: number
    readonly deals: number
    readonly openDeals: number
    readonly users: number
  }
  /** Records of the organization whose assistant is measured, and passages of its documents. */
  readonly assistant: { readonly accounts: number; readonly passages: number }
  /** Pending deliveries, deliveries that one worker sends, and the time for which events occur. */
  readonly deliveries: { readonly pending: number; readonly sent: number; readonly seconds: number }
  /** Records of one parent whose filters, sorts and rollups by indexed fields are measured, and records whose past is read. */
  readonly children: number
  /** Accounts that a bulk job writes, and the bytes of the file by which its memory is measured. */
  readonly bulk: { readonly rows: number; readonly fileBytes: number }
  /** Print a CPU profile of the project for each scenario instead of measuring. */
  readonly profile: boolean
  readonly rounds: number
  readonly roundMs: number
  /** V8 compiles the code of the project for about this time. Quick runs are shorter, so their ratios are lower. */
  readonly warmUpMs: number
  readonly connections: number
  /** Duration of the mixed load before the speed of a process is compared with that of a fresh one. */
  readonly agingMs: number
}

export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean' },
      profile: { type: 'boolean' },
      data: { type: 'string' },
      match: { type: 'string' },
      values: { type: 'string' },
      lists: { type: 'string' },
      fill: { type: 'string' },
      others: { type: 'string' },
      rows: { type: 'string' },
      rounds: { type: 'string' },
      bytes: { type: 'string' },
    },
  })
  const size = values.quick
    ? {
        accounts: 10_000,
        scale: [1_000, 20_000] as const,
        growthRows: 20_000,
        graph: { opportunities: 20_000, activities: 50_000 },
        insights: { accounts: 5_000, activities: 100_000, deals: 10_000, openDeals: 3_000, users: 50 },
        assistant: { accounts: 5_000, passages: 5_000 },
        children: 20_000,
        bulk: { rows: 10_000, fileBytes: 20_000_000 },
        deliveries: { pending: 100_000, sent: 5_000, seconds: 5 },
        rounds: 4,
        roundMs: 800,
        warmUpMs: 1500,
        agingMs: 60_000,
      }
    : {
        accounts: 100_000,
        scale: [10_000, 1_000_000] as const,
        growthRows: 1_000_000,
        graph: { opportunities: 200_000, activities: 1_000_000 },
        insights: { accounts: 50_000, activities: 1_000_000, deals: 100_000, openDeals: 30_000, users: 500 },
        assistant: { accounts: 50_000, passages: 100_000 },
        children: 1_000_000,
        bulk: { rows: 100_000, fileBytes: 200_000_000 },
        deliveries: { pending: 1_000_000, sent: 20_000, seconds: 20 },
        rounds: 10,
        roundMs: 1500,
        warmUpMs: 10_000,
        agingMs: 600_000,
      }
  const { growthRows, bulk, ...sizes } = size
  return {
    ...sizes,
    bulk: { rows: Number(values.rows ?? bulk.rows), fileBytes: Number(values.bytes ?? bulk.fileBytes) },
    growth: {
      rows: Number(values.rows ?? growthRows),
      others: Number(values.others ?? values.rows ?? growthRows),
      only: values.fill?.split(',') ?? [],
    },
    ...(values.rows && { children: Number(values.rows) }),
    ...(values.rounds && { rounds: Number(values.rounds) }),
    only: values.only?.split(',') ?? [],
    data: values.data ?? null,
    lists: values.lists?.split(',') ?? [],
    match: values.match ?? '',
    values: Number(values.values ?? 25),
    profile: values.profile ?? false,
    connections: 32,
  }
}
