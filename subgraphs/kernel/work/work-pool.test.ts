import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WorkPool, type WorkPoolOptions } from './work-pool.ts'
import { testTasks } from './work-pool.fixture.ts'

const { echo, later, sleep, spin, fail, environment } = testTasks

function aPool(options: Partial<WorkPoolOptions> = {}): WorkPool {
  const pool = new WorkPool(pino({ level: 'silent' }), { threadsMax: 1, deadlineMs: 60_000, ...options })
  onTestFinished(() => pool.close())
  return pool
}

const refusal = (message: string) => ({ code: 'UNAVAILABLE', message, extensions: { retryAfter: 1 } })
const threadEnded = refusal('The task was interrupted; retry in 1 s.')
const deadlinePassed = refusal('The task did not finish in time; retry in 1 s.')
const queueFull = refusal('Too many tasks are waiting; retry in 1 s.')

describe('a task in a thread', () => {
  it('returns its value, does not block the event loop, and has no environment variables', async () => {
    const pool = aPool()
    let ticks = 0
    const ticking = setInterval(() => ticks++, 1)
    await pool.run(sleep, 200, 'a')
    clearInterval(ticking)
    expect(ticks).toBeGreaterThan(0)
    expect(await pool.run(echo, 'said', 'a')).toBe('said')
    expect(await pool.run(later, 'said later', 'a')).toBe('said later')
    expect(await pool.run(environment, undefined, 'a')).toEqual([])
  })

  it('rejects with the error of a defect', async () => {
    await expect(aPool().run(fail, 'wrong', 'a')).rejects.toThrow(/^Error: wrong/)
  })

  it.each(['exit', 'allocate'] as const)(
    'is refused with 503 when its thread ends (%s), and the next task gets a new thread',
    async (name) => {
      const pool = aPool({ memoryMbMax: 16 })
      const [died, next] = await Promise.allSettled([
        pool.run(testTasks[name], undefined, 'a'),
        pool.run(echo, 'alive', 'a'),
      ])
      expect(died).toMatchObject({ status: 'rejected', reason: threadEnded })
      expect(next).toEqual({ status: 'fulfilled', value: 'alive' })
    },
  )

  it('is stopped at its deadline, also while it is queued', async () => {
    const pool = aPool({ deadlineMs: 1000 })
    const outcomes = await Promise.allSettled([pool.run(spin, undefined, 'a'), pool.run(echo, 'waits', 'a')])
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: deadlinePassed })
    // Its deadline passes at the same moment, and it may already have been started.
    if (outcomes[1].status === 'rejected') expect(outcomes[1].reason).toMatchObject(deadlinePassed)
    // Starting another thread may take long on a busy machine.
    expect(await vi.waitFor(() => pool.run(echo, 'again', 'a'), { timeout: 60_000 })).toBe('again')
  })

  it('is refused when the pool is closed', async () => {
    const pool = aPool()
    const outcomes = Promise.allSettled([pool.run(spin, undefined, 'a'), pool.run(echo, 'waits', 'a')])
    await pool.close()
    expect(await outcomes).toMatchObject([{ reason: threadEnded }, { reason: threadEnded }])
    await expect(pool.run(echo, 'after', 'a')).rejects.toMatchObject(queueFull)
  })
})

describe('waiting tasks', () => {
  it('are limited for one organization and in total', async () => {
    const pool = aPool({ waitingMax: 5, waitingPerOrganizationMax: 3 })
    const running = pool.run(sleep, 300, 'a')
    const waiting = ['a', 'a', 'a', 'b', 'c'].map((organization) => pool.run(echo, organization, organization))
    await expect(pool.run(echo, 'more', 'a')).rejects.toMatchObject(queueFull)
    await expect(pool.run(echo, 'more', 'd')).rejects.toMatchObject(queueFull)
    await running
    expect(await Promise.all(waiting)).toEqual(['a', 'a', 'a', 'b', 'c'])
    expect(await pool.run(echo, 'room', 'a')).toBe('room')
  })

  it('are started in turn between organizations', async () => {
    const pool = aPool()
    const order: string[] = []
    const jobs = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(async (name) =>
      order.push(await pool.run(echo, name, name[0]!)),
    )
    await Promise.all(jobs)
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  it('of one organization leave a thread to the others', async () => {
    const pool = aPool({ threadsMax: 2 })
    const held = Promise.allSettled([pool.run(spin, undefined, 'a'), pool.run(spin, undefined, 'a')])
    expect(await pool.run(echo, 'through', 'b')).toBe('through')
    await pool.close()
    expect(await held).toMatchObject([{ reason: threadEnded }, { reason: threadEnded }])
  })
})
