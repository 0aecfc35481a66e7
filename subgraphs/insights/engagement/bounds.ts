/** Bounds of requests, with the least and the most of numbers. */
export const bounds = {
  entities: 5_000,
  activities: 50_000,
  relationships: 50_000,
  batches: 20,
  limit: [1, 5_000],
  limitDefault: 100,
  id: 255,
  type: 64,
  name: 255,
  openAmount: [0, 1e15],
  strength: [0, 1_000_000],
  weight: [0, 1_000],
  halfLifeDays: [0.1, 3_650],
  k: [0.1, 1_000_000],
  windowDays: [1, 365],
} as const
