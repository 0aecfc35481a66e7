/**
 * Every advisory lock of the platform. The seeds keep locks of different names apart. A seed must never change and never be used again,
 * because processes of two releases may run side by side.
 */
const seeds = {
  serializedRules: 0,
  idempotencyKey: 7,
  job: 11,
  queueShares: 12,
  emailHits: 15,
  /** 15 before version 1.5.0. */
  pushSubscriptions: 16,
  receivedEmail: 31,
  sequenceEnrollments: 47,
  leadConversion: 48,
  triageScan: 51,
  quotas: 71,
  forecasts: 72,
  modelTokens: 73,
  conversations: 74,
  definitions: 75,
  files: 76,
  documents: 77,
  paymentReferences: 78,
  search: 91,
  rollups: 92,
  bulkJobs: 94,
  externalIds: 96,
  duplicates: 97,
  interviews: 98,
  undoJobs: 99,
  appPackages: 100,
} as const

/** The locks of the whole database. `eventPositions` is written in its migration. */
export const databaseLocks = {
  migrations: 7_211_121,
  eventPositions: 7_211_122,
  demo: 7_211_123,
  mergeOfTotals: 7_211_124,
  mailboxWatches: 7_211_140,
} as const

/** SQL of the key of an advisory lock for one value of an expression, for example `lockOf('job', '$1')`. */
export const lockOf = (name: keyof typeof seeds, expression = '$1'): string =>
  `hashtextextended(${expression}, ${seeds[name]})`
