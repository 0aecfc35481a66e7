import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveLibrary, type Serving } from './http.fixture.ts'

const refusalStatus =
  'a request that is refused before execution gets the status of its code in every media type, as with Apollo Server, so that proxies, logs and clients that check only the status see the refusal'

/** Recommendations of the audits that we do not follow, with the reason. None of them is a MUST. */
const declined: Readonly<Record<string, string>> = {
  '572B': refusalStatus,
  FDE2: refusalStatus,
  '7B9B': refusalStatus,
}

let serving: Serving
let key: string
beforeAll(async () => {
  serving = await serveLibrary()
  key = serving.keyWith()
})
afterAll(() => serving.close())

const withKey: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), 'x-api-key': key } })

const audits = () => serverAudits({ url: () => serving.url, fetchFn: withKey })

describe('the audits of GraphQL over HTTP', () => {
  it('declines no MUST, and only audits that exist', () => {
    const names = new Map(serverAudits({ url: '' }).map(({ id, name }) => [id, name]))
    const words = Object.keys(declined).map((id) => names.get(id)?.split(' ', 1)[0])
    expect(new Set(words)).toEqual(new Set(['SHOULD']))
  })

  it.each(serverAudits({ url: '' }).map(({ id, name }) => [id, name] as const))('%s: %s', async (id) => {
    const result = await audits()
      .find((audit) => audit.id === id)!
      .fn()
    expect(result.status === 'ok' ? 'ok' : 'declined').toBe(Object.hasOwn(declined, id) ? 'declined' : 'ok')
  })
})
