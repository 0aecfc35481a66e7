import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest'
import { SmtpReceiver } from '../../subgraphs/kernel/mail/smtp.fixture.ts'
import { randomNumbers } from '../extensions/rollups.fixture.ts'
import type { Platform } from '../platform.ts'
import { aProcess } from '../processes.ts'
import { isFullSweep } from '../requests/sweep.ts'

/** For what a worker does on a busy machine; the interval is short, so that it is killed in the middle of its work. */
export const patience = { timeout: 90_000, interval: 5 }

/** How often a test kills its process: `KILLS` times, 50 times in a full run, or else as often as is usual. */
export const killsOf = (usual: number): number => Number(process.env['KILLS'] ?? (isFullSweep ? 50 : usual))

/** The timeout of a test with so many kills, after each of which a process starts. */
export const killsMs = (kills: number): number => 300_000 + kills * 15_000

/** Failures of tests with random moments name it; `KILLS_SEED` repeats them. */
export const killsSeed = Number(process.env['KILLS_SEED'] ?? Date.now() % 1_000_000)
const random = randomNumbers(killsSeed)

interface RandomKills {
  readonly kills: number
  /** The table of the queue with the lease of the work. */
  readonly queue: string
  /** Fails until this part of the work, from 0 to 1, is done. */
  readonly reached: (part: number) => Promise<void>
}

/**
 * The parts of a work, after each of which a worker is killed at a random moment while it has the lease: in the middle of the next transaction, before its
 * commit, or after it. When all is done, nobody works.
 */
export function randomParts(platform: Platform, { kills, queue, reached }: RandomKills): (() => Promise<void>)[] {
  const leased = `select coalesce(lease_token::text, '') as token from ${queue} where state = 'QUEUED' order by 1`
  let killed = ''
  return Array.from({ length: kills }, (_, kill) => {
    let looks = 1 + random(80)
    return async () => {
      const items = await platform.query<{ token: string }>(leased)
      if (items.length === 0) return
      const tokens = items.map(({ token }) => token).join('')
      expect(['', killed]).not.toContain(tokens)
      await reached(kill / kills)
      expect(looks--, `seed ${killsSeed}`).toBeLessThanOrEqual(0)
      killed = tokens
    }
  })
}

export interface Worker {
  /** Starts the process and has it run a job. */
  start(job: string): Promise<void>
  kill(): Promise<void>
}

/** An SMTP server that runs as long as the tests of a file. */
export function useSmtpReceiver(): { readonly receiver: SmtpReceiver; url(): string } {
  const receiver = new SmtpReceiver()
  let url: string
  beforeAll(async () => {
    url = await receiver.start()
  })
  afterAll(() => receiver.stop())
  return { receiver, url: () => url }
}

/** A worker process on the database of the platform, with the clock of the machine. */
export async function aWorker(platform: Platform, settings: Readonly<Record<string, string>> = {}): Promise<Worker> {
  const environment = {
    DATABASE_URL: platform.services.databaseUrl,
    DATA_DIR: platform.dataDir,
    LOG_LEVEL: 'warn',
    DEMO: 'off',
    ...settings,
  }
  const worker = await aProcess(['bin/run', 'worker'], environment, '')
  onTestFinished(() => worker.kill())
  let runs = 0
  return {
    async start(job) {
      worker.launch()
      const add = 'select count(*) from graphile_worker.add_job($1, job_key => $2)'
      await vi.waitFor(() => platform.query(add, [job, `${job} ${(runs += 1)}`]), patience)
    },
    kill: () => worker.kill(),
  }
}

interface KilledWork {
  readonly job: string
  /** The table of the queue with the leases of the job. */
  readonly queue: string
  /** Parts of the work, each a check that fails until it is done: the worker is killed after it. */
  readonly parts: readonly (() => Promise<void>)[]
  /** Fails until all is done. */
  readonly end: () => Promise<void>
  readonly settings?: Readonly<Record<string, string>>
}

/** Starts a worker that is killed after each part of its work, and then one that does the rest. */
export async function killedAfterEach(
  platform: Platform,
  { job, queue, parts, end, settings }: KilledWork,
): Promise<void> {
  const worker = await aWorker(platform, settings)
  for (const check of [...parts, end]) {
    // A dead process keeps its lease for a minute.
    await platform.query(
      `update ${queue} set next_attempt_at = now() where lease_token is not null and state = 'QUEUED'`,
    )
    await worker.start(job)
    await vi.waitFor(check, patience)
    await worker.kill()
  }
}
