import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Database } from '../database/database.ts'
import type { Job } from './job.ts'
import { manualClock, servicesOf } from './jobs.fixture.ts'
import { startWorker, type Worker } from './worker.ts'

let fresh: FreshDatabase
beforeEach(async () => {
  fresh = await freshDatabase()
  await fresh.database.query('create table run (worker text)')
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await fresh.drop()
})

const stops: (() => unknown)[] = []

const daily = (run: Job['run']): Job => ({ name: 'test.daily', cron: '0 0 * * *', run })
const noting = (worker: string) =>
  daily(async ({ database }) => {
    await database.query('insert into run values ($1)', [worker])
  })
const runs = async () =>
  (await fresh.database.query<{ worker: string }>('select worker from run')).map(({ worker }) => worker)
const queued = () =>
  fresh.database.query(
    'select task_identifier as task, key, attempts < max_attempts as waits, locked_at is not null as locked from graphile_worker.jobs',
  )

/** Long timeout, because a queue that lost its connections restarts after some seconds. */
const eventually = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 25_000 })

async function start(job: Job): Promise<Worker> {
  const services = servicesOf(fresh.database, manualClock('2026-03-01T12:00:00Z'))
  const worker = await startWorker({ databaseUrl: fresh.url, services, jobs: [job] })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= worker.stop())
  stops.push(stop)
  return { stop }
}

/** Sets the state as if no worker had run since before the last midnight, so that the next worker finds a missed tick. */
async function missTick(): Promise<void> {
  await fresh.database.query(
    `update graphile_worker._private_known_crontabs set known_since = now() - interval '3 days', last_execution = null`,
  )
}

/** Adds a job as a tick does, at any time. */
const tick = () =>
  fresh.database.query(`select graphile_worker.add_job('test.daily', job_key := 'test.daily', max_attempts := 25)`)

const program = (urls: { worker: string; pino: string }) => `
  const [{ startWorker }, { pino }] = [await import('${urls.worker}'), await import('${urls.pino}')]
  const run = () => new Promise(() => console.log('runs'))
  await startWorker({ databaseUrl: process.argv[1], services: { log: pino({ level: 'silent' }) }, jobs: [{ name: 'test.daily', cron: '0 0 * * *', run }] })
  console.log('started')
`

async function startApart() {
  const urls = { worker: new URL('./worker.ts', import.meta.url).href, pino: import.meta.resolve('pino') }
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(urls), fresh.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  stops.push(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('started')
  return {
    async untilRunning() {
      expect((await lines.next()).value).toBe('runs')
    },
    async kill() {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

describe('workers', () => {
  it('run a tick once in total, also a tick that was missed while no worker ran', async () => {
    await (await start(noting('first'))).stop()
    await missTick()
    const workers = await Promise.all([start(noting('one')), start(noting('other'))])
    await eventually(async () => expect(await runs()).toHaveLength(1))
    await Promise.all(workers.map((worker) => worker.stop()))
    expect(await runs()).toHaveLength(1)
    expect(await queued()).toEqual([])
  })

  it('give each run of a job an id of its own, which its changes have', async () => {
    await start(
      daily(async ({ database, operationId }) => {
        await database.query('insert into run values ($1)', [operationId])
      }),
    )
    await tick()
    await eventually(async () => expect(await runs()).toHaveLength(1))
    await eventually(async () => expect(await queued()).toEqual([]))
    await tick()
    await eventually(async () => expect(await runs()).toHaveLength(2))
    const run = expect.stringMatching(/^test\.daily\/[0-9a-f-]{36}$/)
    expect([await runs(), new Set(await runs()).size]).toEqual([[run, run], 2])
  })

  it('finish running jobs before they stop', async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const worker = await start(
      daily(async ({ database }) => {
        begun.resolve()
        await end.promise
        await database.query(`insert into run values ('slow')`)
      }),
    )
    await tick()
    await begun.promise
    const stopped = worker.stop()
    end.resolve()
    await stopped
    expect([await runs(), await queued()]).toEqual([['slow'], []])
  })

  it('skip a tick while the run of an earlier tick has not finished', async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    await start(
      daily(async () => {
        begun.resolve()
        await end.promise
      }),
    )
    await tick()
    await begun.promise
    await start(noting('other'))
    await tick()
    await eventually(async () =>
      expect(await queued()).toEqual([{ task: 'test.daily', key: null, waits: false, locked: true }]),
    )
    expect(await runs()).toEqual([])
    end.resolve()
    await eventually(async () => expect(await queued()).toEqual([]))
    await tick()
    await eventually(async () => expect(await queued()).toEqual([]))
  })

  it('run a job again at the next tick after a worker was killed during the job', async () => {
    const killed = await startApart()
    await tick()
    await killed.untilRunning()
    await killed.kill()
    expect(await queued()).toEqual([{ task: 'test.daily', key: 'test.daily', waits: true, locked: true }])

    const worker = await start(noting('next'))
    await tick()
    await eventually(async () => expect(await runs()).toEqual(['next']))
    await worker.stop()
    // The job of the killed worker is never run again; its lock ends after four hours, then it is removed.
    expect(await queued()).toEqual([{ task: 'test.daily', key: null, waits: false, locked: true }])
    await fresh.database.query('update graphile_worker._private_jobs set locked_at = null')
    await start(noting('later'))
    expect([await queued(), await runs()]).toEqual([[], ['next']])
  })

  it('run a job again at the next tick after it failed', async () => {
    let failing = true
    await start(
      daily(async ({ database }) => {
        if (failing) throw new Error('fails')
        await database.query(`insert into run values ('again')`)
      }),
    )
    await tick()
    const failure = `select last_error from graphile_worker.jobs where locked_at is null`
    await eventually(async () => expect(await fresh.database.query(failure)).toEqual([{ last_error: 'fails' }]))
    failing = false
    await tick()
    await eventually(async () => expect(await runs()).toEqual(['again']))
  })

  it('continue after they lost their connections', async () => {
    await start(noting('steady'))
    await fresh.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'worker' and datname = current_database()`,
    )
    await tick()
    await eventually(async () => expect(await runs()).toEqual(['steady']))
  })
  it('continue after they lost the connection of their first statement', async () => {
    await (await start(noting('before'))).stop()
    const waiting = `select pid from pg_stat_activity
      where application_name = 'worker' and datname = current_database() and wait_event_type = 'Lock'`
    const holder = new Database({ url: fresh.url, connectionsMax: 1 })
    await holder.transaction(async (sql) => {
      await sql.query('lock table graphile_worker._private_tasks in access exclusive mode')
      await start(noting('steady'))
      await eventually(async () => expect(await fresh.database.query(waiting)).toHaveLength(1))
      await fresh.database.query(`select pg_terminate_backend(pid) from (${waiting}) of_worker`)
    })
    await holder.close()
    await tick()
    await eventually(async () => expect(await runs()).toEqual(['steady']))
  })
})
