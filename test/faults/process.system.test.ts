import { describe, expect, it } from 'vitest'
import { aFolder, demoOf, keyOf, startedMain as started } from './main-process.ts'

describe('kill -9', () => {
  it('loses no acknowledged write and executes no retried write twice', async () => {
    const folder = await aFolder()
    const first = await started({ DATA_DIR: folder })
    const headers = { 'x-api-key': keyOf(demoOf(folder)), 'content-type': 'application/json' }
    const create = async (url: string, name: string) => {
      const answer = await fetch(`${url}/v1/accounts`, {
        method: 'POST',
        headers: { ...headers, 'idempotency-key': name },
        body: JSON.stringify({ name }),
      })
      if (answer.status !== 201) throw new Error(`status ${answer.status}`)
      return { id: ((await answer.json()) as { id: string }).id, replayed: answer.headers.get('idempotent-replayed') }
    }

    const answered = new Map<string, string>()
    const names = Array.from({ length: 400 }, (_, index) => `crash-${index}`)
    const left = names.values()
    // Ten concurrent writers: when the process dies, some requests are answered, some in progress and some not sent.
    const writers = Array.from({ length: 10 }, async () => {
      for (const name of left) {
        answered.set(name, (await create(first.url, name)).id)
        if (answered.size === 60) await first.kill()
      }
    })
    const ends = await Promise.allSettled(writers)
    expect(ends.filter(({ status }) => status === 'rejected')).toHaveLength(10)

    const second = await started({ DATA_DIR: folder })
    const repeated = new Map<string, string>()
    for (const name of names.slice(0, 120)) {
      const { id, replayed } = await create(second.url, name)
      repeated.set(name, id)
      if (answered.has(name)) expect(replayed).toBe('true')
    }
    for (const [name, id] of answered) expect([name, repeated.get(name) ?? id]).toEqual([name, id])

    const found = await fetch(`${second.url}/v1/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query: '{ accountList(filter: {name: {startsWith: "crash-"}}, limit: 1) { total } }' }),
    })
    const { data } = (await found.json()) as { data: { accountList: { total: number } } }
    expect(data.accountList.total).toBe(new Set([...repeated.keys(), ...answered.keys()]).size)
    expect(await second.stop()).toBe(0)
  })
})
