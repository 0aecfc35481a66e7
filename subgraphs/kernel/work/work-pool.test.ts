import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WorkPool, type WorkPoolOptions } from './work-pool.ts'
import type { TestTasks } from './work-pool.fixture.ts'

function aPool(options: Partial<WorkPoolOptions> = {}): WorkPool<TestTasks> {
  const file = new URL('./work-pool.fixture.ts', import.meta.url)
  const pool = new WorkPool<TestTasks>(pino({ level: 'silent' }), {
    file,
    threadsMax: 1,
    deadlineMs: 60_000,
    ...options,
  })
  onTestFinished(() => pool.close())
  return pool
}

const refusal = (message: string) => ({ code: 'UNAVAILABLE', message, extensions: { retryAfter: 1 } })
const lost = refusal('The work ended before it was done; try again.')
const late = refusal('The work was not done in time; try again.')
const full = refusal('Too much waits to be worked on; try again.')

describe('Work in a thread', () => {
  it('gives its value, leaves the event loop free, and knows no secret', async () => {
    const pool = aPool()
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    await pool.run('sleep', 200, 'a')
    clearInterval(turning)
    expect(turns).toBeGreaterThan(0)
    expect(await pool.run('echo', 'said', 'a')).toBe('said')
    expect(await pool.run('environment', undefined, 'a')).toEqual([])
  })

  it('tells a defect as one', async () => {
    await expect(aPool().run('fail', 'wrong', 'a')).rejects.toThrow(/^Error: wrong/)
  })

  it.each(['exit', 'hoard'] as const)(
    'is 503 where the thread dies by %s, and the next gets another one',
    async (name) => {
      const pool = aPool({ memoryMbMax: 16 })
      const [died, next] = await Promise.allSettled([pool.run(name, undefined, 'a'), pool.run('echo', 'alive', 'a')])
      expect(died).toMatchObject({ status: 'rejected', reason: lost })
      expect(next).toEqual({ status: 'fulfilled', value: 'alive' })
    },
  )

  it('is ended at its deadline, and so is what waits for longer', async () => {
    const pool = aPool({ deadlineMs: 1000 })
    const outcomes = await Promise.allSettled([pool.run('spin', undefined, 'a'), pool.run('echo', 'waits', 'a')])
    expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: late })
    // It waited for just as long, and its turn may have come at the same time.
    if (outcomes[1].status === 'rejected') expect(outcomes[1].reason).toMatchObject(late)
    // A busy machine takes its time to start another thread.
    expect(await vi.waitFor(() => pool.run('echo', 'again', 'a'), { timeout: 60_000 })).toBe('again')
  })

  it('ends with the pool', async () => {
    const pool = aPool()
    const outcomes = Promise.allSettled([pool.run('spin', undefined, 'a'), pool.run('echo', 'waits', 'a')])
    await pool.close()
    expect(await outcomes).toMatchObject([{ reason: lost }, { reason: lost }])
    await expect(pool.run('echo', 'after', 'a')).rejects.toMatchObject(full)
  })
})

describe('What waits', () => {
  it('is bounded for one organization and for all', async () => {
    const pool = aPool({ waitingMax: 5, waitingOfOneMax: 3 })
    const running = pool.run('sleep', 300, 'a')
    const waiting = ['a', 'a', 'a', 'b', 'c'].map((organization) => pool.run('echo', organization, organization))
    await expect(pool.run('echo', 'more', 'a')).rejects.toMatchObject(full)
    await expect(pool.run('echo', 'more', 'd')).rejects.toMatchObject(full)
    await running
    expect(await Promise.all(waiting)).toEqual(['a', 'a', 'a', 'b', 'c'])
    expect(await pool.run('echo', 'room', 'a')).toBe('room')
  })

  it('has its turn organization by organization', async () => {
    const pool = aPool()
    const order: string[] = []
    const jobs = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(async (name) =>
      order.push(await pool.run('echo', name, name[0]!)),
    )
    await Promise.all(jobs)
    expect(order).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
  })

  it('leaves a thread to the others', async () => {
    const pool = aPool({ threadsMax: 2 })
    const held = Promise.allSettled([pool.run('spin', undefined, 'a'), pool.run('spin', undefined, 'a')])
    expect(await pool.run('echo', 'through', 'b')).toBe('through')
    await pool.close()
    expect(await held).toMatchObject([{ reason: lost }, { reason: lost }])
  })
})
