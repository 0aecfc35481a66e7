import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { TaskNotBegun } from './task-refusals.ts'
import { WorkPool, type WorkPoolOptions } from './work-pool.ts'
import { testTasks } from './work-pool.fixture.ts'

const { echo, later, sleep, burn, spin, fail, environment } = testTasks

function aPool(options: Partial<WorkPoolOptions> = {}): WorkPool {
  const pool = new WorkPool(pino({ level: 'silent' }), {
    threadsMax: 1,
    runMsMax: 60_000,
    waitMsMax: 60_000,
    ...options,
  })
  onTestFinished(() => pool.close())
  return pool
}

const refusal = (message: string) => ({ code: 'UNAVAILABLE', message, extensions: { retryAfter: 1 } })
const threadEnded = refusal('The task was interrupted; retry in 1 s.')
const deadlinePassed = refusal('The task did not finish in time; retry in 1 s.')
const queueFull = refusal('Too many tasks are waiting; retry in 1 s.')
const ownLoad = (retryAfter: number) => ({
  code: 'UNAVAILABLE',
  message: `Too many of your tasks are waiting; retry in ${retryAfter} s.`,
  extensions: { retryAfter, isOwnLoad: true },
})

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

  it('is stopped at its deadline, and its thread is that of the next task', async () => {
    const pool = aPool({ runMsMax: 1000 })
    const outcomes = await Promise.allSettled([pool.run(spin, undefined, 'a'), pool.run(echo, 'waits', 'a')])
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: deadlinePassed },
      { status: 'fulfilled', value: 'waits' },
    ])
  })

  it('has its time from its start, however long it waited', async () => {
    const pool = aPool({ runMsMax: 2000 })
    const slept = await Promise.allSettled([1, 2, 3, 4, 5].map(() => pool.run(sleep, 500, 'a')))
    expect(slept.map(({ status }) => status)).toEqual(Array(5).fill('fulfilled'))
  })

  it('is refused when the pool is closed', async () => {
    const pool = aPool()
    const outcomes = Promise.allSettled([pool.run(spin, undefined, 'a'), pool.run(echo, 'waits', 'a')])
    await pool.close()
    expect(await outcomes).toMatchObject([{ reason: threadEnded }, { reason: threadEnded }])
    const refused = await pool.run(echo, 'after', 'a').catch((error: unknown) => error)
    expect(refused).toMatchObject(queueFull)
    expect((refused as TaskNotBegun).extensions).toEqual({ code: 'UNAVAILABLE', retryAfter: 1 })
  })
})

describe('waiting tasks', () => {
  it('are refused after their time, and the running one is not disturbed', async () => {
    const pool = aPool({ waitMsMax: 300 })
    const running = pool.run(sleep, 1500, 'a')
    const waiting = ['a', 'b'].map((organization) => pool.run(echo, 'waits', organization))
    const [own, others] = await Promise.allSettled(waiting)
    expect(own).toMatchObject({ status: 'rejected', reason: ownLoad(1) })
    expect(others).toMatchObject({ status: 'rejected', reason: queueFull })
    await expect(running).resolves.toBeUndefined()
  })

  it('are refused at once when their organization would have to wait too long, and those of another are not', async () => {
    const pool = aPool({ waitMsMax: 5000 })
    await pool.run(sleep, 2000, 'a')
    let hasEnded = false
    const running = pool.run(sleep, 2000, 'a').then(() => (hasEnded = true))
    const waiting = Promise.allSettled([1, 2, 3, 4, 5, 6].map(() => pool.run(echo, 'a', 'a')))
    const refused = await Promise.race([waiting, pool.run(echo, 'too late', 'a').catch((error: unknown) => error)])
    expect([hasEnded, refused]).toMatchObject([false, { code: 'UNAVAILABLE', extensions: { isOwnLoad: true } }])
    expect((refused as TaskNotBegun).extensions['retryAfter']).toBeGreaterThanOrEqual(6)
    expect(await pool.run(echo, 'other', 'b')).toBe('other')
    await running
    const statuses = (await waiting).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set(['fulfilled', 'rejected']))
  })

  it('of the organization that used the least CPU are next', async () => {
    const pool = aPool()
    await pool.run(burn, 300, 'a')
    const order: string[] = []
    const note = async (name: string) => order.push(await pool.run(echo, name, name[0]!))
    await Promise.all([pool.run(burn, 60, 'c'), ...['a1', 'a2', 'b1', 'b2', 'c1'].map(note)])
    expect(order).toEqual(['b1', 'b2', 'c1', 'a1', 'a2'])
  })

  it('of an organization whose task was stopped are after those of others', async () => {
    const pool = aPool({ runMsMax: 500 })
    const order: string[] = []
    const note = async (name: string) => order.push(await pool.run(echo, name, name[0]!))
    const stopped = pool.run(spin, undefined, 'a').catch((error: unknown) => error)
    await Promise.all(['a1', 'b1', 'b2', 'c1'].map(note))
    expect(order).toEqual(['b1', 'c1', 'b2', 'a1'])
    expect(await stopped).toMatchObject(deadlinePassed)
  })
  it('are limited for one organization and in total', async () => {
    const pool = aPool({ waitingMax: 5, waitingPerOrganizationMax: 3 })
    const running = pool.run(sleep, 300, 'a')
    const waiting = ['a', 'a', 'a', 'b', 'c'].map((organization) => pool.run(echo, organization, organization))
    await expect(pool.run(echo, 'more', 'a')).rejects.toMatchObject(ownLoad(2))
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

  it('of organizations that used much CPU lately leave a thread to the others, however many they are', async () => {
    const pool = aPool({ threadsMax: 3, muchMs: 100 })
    await Promise.all(['a', 'b', 'c'].map((name) => pool.run(burn, 150, name)))
    const held = Promise.allSettled(['a', 'b', 'c'].map((name) => pool.run(spin, undefined, name)))
    expect(await pool.run(echo, 'through', 'd')).toBe('through')
    await pool.close()
    await held
  })

  it('that people outside of an organization cause have one thread, few places and one thread less than all', async () => {
    const pool = aPool({ threadsMax: 3 })
    const held = Promise.allSettled(['a', 'b', 'c'].map((name) => pool.run(spin, undefined, name, 'OUTSIDE')))
    const more = Promise.allSettled([1, 2, 3, 4, 5].map(() => pool.run(echo, 'reader', 'a', 'OUTSIDE')))
    expect(await pool.run(echo, 'user', 'a')).toBe('user')
    expect(await pool.run(echo, 'user', 'd')).toBe('user')
    await pool.close()
    await held
    const refusals = (await more).map(
      (outcome) => outcome.status === 'rejected' && outcome.reason instanceof TaskNotBegun,
    )
    expect(refusals).toEqual([false, false, false, false, true])
  })
})
